"""Runs the words on its command line and prints the peak of their resident memory in KiB.

A program of its own, with next to nothing loaded: the kernel counts what the starting process had when it forked.
"""

import os
import sys


def _run(words):
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(null, 1)
        os.execv(words[0], words)
    _, status, usage = os.wait4(child, 0)
    print(usage.ru_maxrss)
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(_run(sys.argv[1:]))
