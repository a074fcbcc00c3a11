"""The raw results: one JSON object a line, so that a run that was interrupted can be continued."""

import json
import os
from pathlib import Path

from rig.errors import RigError

NAME = "results.jsonl"
SETUP = "setup"
GUEST = "guest"
RESULT = "result"
FAILURE = "failure"

# A run may be continued on these terms only: its figures must belong together.
_FIXED = ("kernel", "tools", "guest")


class Store:
    """The file of results in one directory, read as a whole and then added to."""

    def __init__(self, directory):
        self.path = Path(directory) / NAME
        self.records = self._read() if self.path.exists() else []

    @property
    def setup(self):
        """The first line: where and with what all of this was measured. None while there is nothing."""
        return next((record for record in self.records if record["type"] == SETUP), None)

    @property
    def results(self):
        """All that was measured."""
        return [record for record in self.records if record["type"] == RESULT]

    @property
    def failures(self):
        """What came to nothing and was not measured later."""
        done = self.done
        return [
            record
            for record in self.records
            if record["type"] == FAILURE and (record["cell"], record["run"]) not in done
        ]

    @property
    def done(self):
        """What needs no measuring any more, as {(name of the cell, run)}."""
        return {(record["cell"], record["run"]) for record in self.results}

    def begin(self, setup):
        """Notes the set-up of a run; where there are results already, checks that theirs was the same."""
        if not self.results:
            self.path.write_bytes(b"")
            self.records = []
            self.add(SETUP, **setup)
            return
        self._cut_off_torn_line()
        for key in _FIXED:
            if self.setup.get(key) != setup[key]:
                raise RigError(
                    f"{self.path} cannot be continued: its {key} was {self.setup.get(key)!r}, now it is "
                    f"{setup[key]!r}. Name another directory with --output"
                )

    def add(self, kind, **values):
        """Adds a line, and sees to it that it is on the disk."""
        record = {"type": kind, **values}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self.records.append(record)

    def _cut_off_torn_line(self):
        text = self.path.read_bytes()
        os.truncate(self.path, text.rfind(b"\n") + 1)

    def _read(self):
        # What follows the last newline was torn off when a run was interrupted, and will be measured again.
        *lines, _ = self.path.read_text(encoding="utf-8").split("\n")
        records = []
        for number, line in enumerate(lines, start=1):
            try:
                records.append(json.loads(line))
            except ValueError as error:
                raise RigError(f"{self.path}:{number}: not a line of results: {error}") from None
        return records
