"""A guest that was booted once and kept in a file, to go on from again and again on a disk as it was then."""

from dataclasses import replace
from pathlib import Path

from rig import qemu, scenario


class KeptGuest:
    """Kept where guest/init waits for its host (scenario's "hold"). `boot` is what it had said until then."""

    def __init__(self, name, machine, software, disk, workdir):
        self._name = name
        self._machine = machine
        self._disk = disk
        self._workdir = Path(workdir)
        self._software = replace(software, state=self._workdir / f"{name}.state")
        self.boot = self._keep(software)

    def _keep(self, software):
        deadline = qemu.deadline_after()
        with qemu.Guest(self._machine, software, self._disk.path, self._workdir, self._name) as guest:
            guest.wait_for(scenario.WAITING, deadline)
            guest.monitor.save_state(self._software.state, deadline)
            guest.kill()
            return guest.wait(deadline)

    def go_on(self, name, line=""):
        """Returns the running guest. `line` is typed for it: shell variables, set anew."""
        guest = qemu.Guest(self._machine, self._software, self._disk.path, self._workdir, name)
        try:
            guest.monitor.go_on(qemu.deadline_after())
            guest.type(f"{line}\n".encode())
            return guest
        except BaseException:
            guest.__exit__()
            raise

    def remove(self):
        """Removes the file; nothing can go on from it after that."""
        self._software.state.unlink(missing_ok=True)
