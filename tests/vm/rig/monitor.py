"""Speaks with QEMU's monitor, over a socket that was handed to it."""

import json
import time

from rig.errors import RigError

_ANSWER_SECONDS = 60


class Monitor:
    """QEMU's machine protocol: one command at a time."""

    def __init__(self, connection):
        self._connection = connection
        self._connection.settimeout(_ANSWER_SECONDS)
        self._stream = connection.makefile("rw", encoding="utf-8")
        self._greeted = False

    def close(self):
        """Hangs up."""
        self._stream.close()
        self._connection.close()

    def command(self, name, **arguments):
        """Returns QEMU's answer to one command."""
        if not self._greeted:
            self._greeted = True
            self._read()
            self.command("qmp_capabilities")
        self._stream.write(json.dumps({"execute": name, "arguments": arguments}) + "\n")
        self._stream.flush()
        while True:
            answer = self._read()
            if "error" in answer:
                raise RigError(f"QEMU refuses '{name}': {answer['error'].get('desc')}")
            if "return" in answer:
                return answer["return"]  # all else are events

    def go_on(self, deadline):
        """Waits until a guest that was kept in a file is there again, and lets it run."""
        while self.command("query-status")["status"] == "inmigrate":
            if time.monotonic() > deadline:
                raise RigError("the guest that was kept in a file does not come back")
            time.sleep(0.02)
        self.command("cont")

    def save_state(self, path, deadline):
        """Stops the guest and keeps it, memory and devices, in a file."""
        self.command("stop")
        self.command("migrate-set-parameters", **{"max-bandwidth": 1 << 40})
        self.command("migrate", uri=f"exec:cat >'{path}'")
        while (answer := self.command("query-migrate"))["status"] != "completed":
            if answer["status"] == "failed" or time.monotonic() > deadline:
                raise RigError(f"QEMU cannot keep the guest in a file: {answer}")
            time.sleep(0.05)

    def _read(self):
        try:
            line = self._stream.readline()
        except TimeoutError:
            raise RigError(f"QEMU's monitor is silent for {_ANSWER_SECONDS} s") from None
        if not line:
            raise RigError("QEMU has closed its monitor")
        return json.loads(line)
