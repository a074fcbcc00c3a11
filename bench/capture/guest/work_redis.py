"""Starts a Redis server and fills it with the keys of a shop: sessions, users, baskets, counters, rankings, tokens."""

import json
import random
import socket
import subprocess
import sys
import time
from pathlib import Path

_SOCKET = "/run/capture-redis.sock"
_SERVER = (
    "/usr/bin/redis-server",
    "--port",
    "0",
    "--unixsocket",
    _SOCKET,
    "--save",
    "",
    "--appendonly",
    "no",
)
_START_SECONDS = 60
_USERS = 45_000
_SESSIONS = 25_000
_BASKETS = 15_000
_TOKENS = 20_000
_RANKED = 40_000
_BATCH = 200
# Pictures, packed pages and fonts, as web servers keep them at hand; their content packs no further.
_CACHED_SUFFIXES = (".gz", ".pak", ".png", ".ttf")
_CACHED_BYTES = 4 << 20
_PAGES = ("/", "/cart", "/login", "/search?q=lamp", "/item/{}", "/help", "/account", "/item/{}/reviews")


class Redis:
    """The server as this needs it: many commands in one go, and no answer but OK wanted."""

    def __init__(self):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(_SOCKET)
        self._answers = self._socket.makefile("rb")
        self._waiting = []

    def add(self, *words):
        """Puts one command into the batch."""
        encoded = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        self._waiting.append(
            b"*%d\r\n" % len(encoded) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in encoded)
        )
        if len(self._waiting) == _BATCH:
            self.flush()

    def flush(self):
        """Sends the batch and reads its answers, each one line."""
        self._socket.sendall(b"".join(self._waiting))
        for _ in self._waiting:
            answer = self._answers.readline()
            if not answer.startswith((b"+", b":")):
                raise RuntimeError(f"redis answers {answer!r}")
        self._waiting.clear()


def connect(server):
    """Waits for the server."""
    deadline = time.monotonic() + _START_SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        try:
            return Redis()
        except OSError:
            time.sleep(0.2)
    raise RuntimeError("redis-server does not start")


def cache_files(redis):
    """Sets a key for each packed file of the system. Returns their number."""
    number = 0
    for path in sorted(Path("/usr").rglob("*")):
        if path.suffix in _CACHED_SUFFIXES and path.is_file() and not path.is_symlink():
            redis.add("SET", f"cache:{path}", path.read_bytes()[:_CACHED_BYTES])
            number += 1
    redis.flush()
    return number


def fill(redis, draw):
    """Sets all other keys."""
    for number in range(_USERS):
        redis.add(
            "HSET",
            f"user:{number}",
            "name",
            f"user {draw.randrange(10**6)}",
            "visits",
            draw.randrange(900),
            "last",
            1_700_000_000 + draw.randrange(10**7),
            "town",
            draw.choice("ABCDEFGH") * 5,
        )
    for number in range(_SESSIONS):
        visited = [draw.choice(_PAGES).format(draw.randrange(5000)) for _ in range(draw.randrange(4, 24))]
        session = {
            "user": draw.randrange(_USERS),
            "agent": "Mozilla/5.0 (X11; Linux x86_64)",
            "visited": visited,
        }
        redis.add("SET", f"session:{draw.randbytes(16).hex()}", json.dumps(session))
    for number in range(_BASKETS):
        redis.add(
            "RPUSH",
            f"basket:{number}",
            *(f"item:{draw.randrange(5000)}" for _ in range(draw.randrange(1, 12))),
        )
    for number in range(_TOKENS):
        redis.add("SET", f"token:{number}", draw.randbytes(96).hex())
    for number in range(_RANKED):
        redis.add("ZADD", "ranking", draw.randrange(10**6), f"user:{number}")
    redis.flush()


def main():
    """Fills the server, says so, and goes on counting."""
    draw = random.Random(int(sys.argv[1]))
    with subprocess.Popen(_SERVER, stdout=subprocess.DEVNULL) as server:
        redis = connect(server)
        fill(redis, draw)
        keys = _USERS + _SESSIONS + _BASKETS + _TOKENS + 1 + cache_files(redis)
        print(f"warm: {keys} keys, {_RANKED} ranked", flush=True)
        while server.poll() is None:
            for _ in range(20):
                redis.add("HINCRBY", f"user:{draw.randrange(_USERS)}", "visits", 1)
            redis.flush()
            time.sleep(0.2)
    return 1


if __name__ == "__main__":
    sys.exit(main())
