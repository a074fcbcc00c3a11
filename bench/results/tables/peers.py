"""The same snapshot to the same disk and back by what a user could do by hand, and by a writer of the old kind."""

import shlex
from dataclasses import dataclass

from results.context import Context, rotated
from results.disk import Area
from results.figures import Samples
from results.markdown import table
from results.programs import dd_summary, needed, shell, timed
from results.section import Section
from results.targets import Target

TITLE = "Peers"
RUNS = 5
_OWN_CODECS = ("lz4", "zstd", "auto", "none")
_OLD, _OLD_EARLY = "LZO, page at a time", "LZO, page at a time, early writeout 1 %"


def measure(context):
    """The section."""
    samples = Samples()
    context.snapshot.warm()
    with context.area() as area:
        peers = _peers(context, area)
        for number in context.rounds():
            for peer in rotated(peers, number):
                area.forget_cached()
                seconds, stored = peer.write()
                samples.add(context.snapshot.size / 1e6 / seconds, peer.name, "write")
                samples.add(stored / context.snapshot.size, peer.name, "ratio")
                area.forget_cached()
                samples.add(context.snapshot.size / 1e6 / peer.read(), peer.name, "read")
                peer.forget()
    section = Section()
    section.add("Image by the time of the whole process or pipeline, MB/s, the flush at the end included; the way back "
                "ends in /dev/null. The snapshot comes from the page cache, what is read back from the disk. Ratios to "
                "the LZO writer (`page_at_a_time`, one thread, through the page cache, one flush at the end) are "
                "those of pairs of one round.",
                _table(samples, [peer.name for peer in peers]),
                "By hand: `zstd -T0 -1 -c` and `lz4 -1 -c` into `dd oflag=direct conv=notrunc,fsync bs=1M`, and the "
                "same `dd` from the snapshot; back with `dd iflag=direct bs=1M`.")
    section.targets = _targets(samples)
    return section


def _peers(context, area):
    for name in ("zstd", "lz4"):
        needed(name, name)
    old = [_OldWriter(context, area, name, percent) for name, percent in ((_OLD, 0), (_OLD_EARLY, 1))]
    hand = [_Packer(context, area, "zstd -T0 -1 and dd", "zstd -q -T0 -1 -c", "zstd -q -dc"),
            _Packer(context, area, "lz4 -1 and dd", "lz4 -q -1 -c", "lz4 -q -dc"), _Plain(context, area, "dd")]
    return [*old, *hand, *(_Dormouse(context, area, f"dormouse, {codec}", codec) for codec in _OWN_CODECS)]


@dataclass
class _Peer:
    """write() gives the seconds of the whole process, or pipeline, and the bytes stored; read() the seconds. A read
    comes after a write."""

    context: Context
    area: Area
    name: str

    def forget(self):
        """What has to be done before the area is written to again."""


@dataclass
class _OldWriter(_Peer):
    percent: int

    def write(self):
        timing = timed([self.context.programs.path("page_at_a_time"), "write", self.percent, self.context.snapshot.path,
                        self.area.path])
        return timing.seconds, int(timing.stdout)

    def read(self):
        return timed([self.context.programs.path("page_at_a_time"), "read", self.area.path, "/dev/null"]).seconds


@dataclass
class _Packer(_Peer):
    pack: str
    unpack: str
    stored: int = 0

    def write(self):
        timing = shell(f"{self.pack} {shlex.quote(str(self.context.snapshot.path))} | {self.area.write_command()}")
        # The packer's own exit status is lost in the pipeline, but reading back unpacks and checks.
        self.stored = dd_summary(timing.stderr)[0]
        return timing.seconds, self.stored

    def read(self):
        # Read were whole MiB.
        exact = f"{self.area.read_command(self.stored)} | head -c {self.stored}"
        return shell(f"{exact} | {self.unpack} >/dev/null").seconds


@dataclass
class _Plain(_Peer):
    def write(self):
        timing = shell(self.area.write_command(self.context.snapshot.path))
        return timing.seconds, self.context.snapshot.size

    def read(self):
        return shell(f"{self.area.read_command(self.context.snapshot.size)} of=/dev/null").seconds


@dataclass
class _Dormouse(_Peer):
    codec: str

    def write(self):
        timing, report = self.context.programs.report("s2disk", "--from", self.context.snapshot.path, "--resume-device",
                                                      self.area.path, f"--compress={self.codec}")
        return timing.seconds, report["image"]["stored_bytes"]

    def read(self):
        return self.context.programs.report("resume", "--resume-device", self.area.path, "--to", "/dev/null")[0].seconds

    def forget(self):
        self.context.programs.report("resume", "--resume-device", self.area.path, "--discard")


def _table(samples, names):
    rows = []
    for name in names:
        rows.append([name, samples[name, "ratio"].text(".3f"),
                     *(cell for way in ("write", "read")
                       for cell in (samples[name, way].text(), _by_old(samples, name, way).text(".2f")))])
    return table(["peer", "ratio", "write MB/s", "by LZO", "read MB/s", "by LZO"], rows)


def _by_old(samples, name, way, old=_OLD):
    return samples[name, way].over(samples[old, way])


def _targets(samples):
    found = []
    for old in (_OLD, _OLD_EARLY):
        for verb, way, wanted in (("writing", "write", 2.2), ("loading", "read", 3.0)):
            found += [Target(f"{verb}, dormouse {codec} by {old}",
                             _by_old(samples, f"dormouse, {codec}", way, old), wanted) for codec in ("lz4", "auto")]
    return found
