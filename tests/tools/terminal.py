"""A tool on a terminal of its own: what it shows, and keys for it."""

import fcntl
import os
import re
import select
import signal
import subprocess
import termios
import time

_PATIENCE_SECONDS = 120


class Terminal:
    """One run of a tool, on the far end of a pty as its controlling terminal. Ends with its context."""

    def __init__(self, words):
        self._near, self._far = os.openpty()
        self._seen = b""
        self._tool = subprocess.Popen(words, stdin=self._far, stdout=self._far, stderr=self._far,
                                      start_new_session=True, preexec_fn=self._take)

    def _take(self):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._tool.kill()
        self._tool.wait()
        os.close(self._near)
        os.close(self._far)

    @property
    def screen(self):
        """What was shown so far."""
        return self._seen.decode(errors="replace")

    def echoes(self):
        """Whether the terminal shows what is typed on it."""
        return bool(termios.tcgetattr(self._far)[3] & termios.ECHO)

    def wait_for(self, pattern, times=1):
        """Waits until `pattern` was shown so often."""
        if not self._read_until(lambda: len(re.findall(pattern, self.screen)) >= times):
            raise AssertionError(f"never {times} times {pattern!r}:\n{self.screen}")

    def type(self, keys):
        """Types."""
        os.write(self._near, keys)

    def send(self, number):
        """Sends the tool a signal."""
        self._tool.send_signal(number)

    def end(self):
        """Waits for the end of the tool; returns its exit code."""
        self._read_until(lambda: False)
        return self._tool.wait(_PATIENCE_SECONDS)

    def _read_until(self, holds):
        """Reads until `holds`, or the tool has ended and all is read. Returns whether it holds."""
        end = time.monotonic() + _PATIENCE_SECONDS
        while not holds():
            ended = self._tool.poll() is not None
            ready, _, _ = select.select([self._near], [], [], 0 if ended else 0.05)
            if ready:
                self._seen += os.read(self._near, 65536)
            elif ended:
                return holds()
            if time.monotonic() > end:
                self._tool.send_signal(signal.SIGKILL)
                raise AssertionError(f"it neither ended nor went on:\n{self.screen}")
        return True
