"""Measures what is still to be measured, on one guest or several at a time."""

import datetime
import os
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rig.errors import RigError

from mail2006 import store


class Runner:
    """Takes cells from a queue, puts figures into the store. `open_station(directory)` makes a guest ready."""

    def __init__(self, results, scratch, open_station, say):
        self._store = results
        self._scratch = Path(scratch)
        self._open_station = open_station
        self._say = say
        self._lock = threading.Lock()
        self._waiting = []
        self._total = 0

    def run(self, tasks, jobs):
        """Measures all tasks, [(cell, run)]. A cell that fails is noted, and the rest goes on."""
        self._waiting = list(tasks)
        self._total = len(self._waiting)
        with ThreadPoolExecutor(max_workers=jobs) as pool:
            workers = [pool.submit(self._work, number) for number in range(min(jobs, self._total))]
            try:
                for worker in workers:
                    worker.result()
            except BaseException:
                with self._lock:
                    self._waiting.clear()
                raise

    def _work(self, number):
        directory = self._scratch / f"guest{number}"
        directory.mkdir()
        started = time.monotonic()
        station = self._open_station(directory)
        try:
            seconds = time.monotonic() - started
            self._say(f"guest {number} is ready after {seconds:.0f} s: {rates_text(station.disk_rates)}")
            with self._lock:
                self._store.add(store.GUEST, disk_rates=station.disk_rates, ram_bytes=station.ram_bytes)
            while (task := self._next()) is not None:
                self._measure(station, *task)
        finally:
            station.close()
            shutil.rmtree(directory)

    def _next(self):
        with self._lock:
            return self._waiting.pop(0) if self._waiting else None

    def _measure(self, station, cell, run):
        started = time.monotonic()
        try:
            figures = station.measure(cell)
        except RigError as error:
            with self._lock:
                self._store.add(store.FAILURE, cell=cell.name, run=run, error=str(error))
            self._say(f"{cell.name} FAILED: {error}")
            return
        load = os.getloadavg()[0]
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        with self._lock:
            self._store.add(store.RESULT, cell=cell.name, run=run, time=now, host_load=load, **figures)
            done = self._total - len(self._waiting)
        self._say(
            f"[{done}/{self._total}] {cell.name}, run {run}: {figures['pages']} pages, "
            f"write {figures['write_seconds']:.2f} s, read {figures['read_seconds']:.2f} s "
            f"({time.monotonic() - started:.0f} s in all)"
        )


def rates_text(disk_rates):
    """What the guest's own dd makes of its disk, from bytes per second."""
    rates = {name: f"{rate / 1e6:.1f}" for name, rate in disk_rates.items()}
    return (
        f"writes {rates['write']} MB/s (4 MiB after a pause: {rates['write_small']}), "
        f"reads {rates['read']} MB/s ({rates['read_small']})"
    )
