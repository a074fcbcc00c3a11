"""A Python program at work: the standard library imported and parsed, an index of its words, records of all kinds."""

import ast
import importlib
import random
import re
import sys
import time
from pathlib import Path

# Importing these opens a window, a browser or a poem, or runs something.
_SKIPPED = {"antigravity", "idlelib", "this", "tkinter", "turtle", "turtledemo", "test", "lib2to3"}
_PARSED_FILES = 50
_RECORDS = 60_000
_SERIES = 200
_POINTS = 2_000
_FIRST_NAMES = ("Ada", "Alan", "Barbara", "Donald", "Edsger", "Grace", "Ken", "Leslie", "Margaret", "Niklaus")
_TOWNS = ("Aachen", "Bergen", "Cork", "Delft", "Espoo", "Fribourg", "Ghent", "Haarlem", "Innsbruck", "Jena")


def import_everything():
    """Imports what there is of the standard library."""
    imported = []
    for name in sorted(sys.stdlib_module_names - _SKIPPED):
        if name.startswith("_"):
            continue
        try:
            imported.append(importlib.import_module(name))
        except ImportError:
            pass  # a small installation lacks some, and some belong to other systems
    return imported


def read_sources():
    """Returns {path: text} of the standard library."""
    root = Path(ast.__file__).parent
    return {str(path): path.read_text(errors="replace") for path in sorted(root.rglob("*.py"))}


def index_words(sources):
    """Returns {word: [(path, line number)]}."""
    index = {}
    for path, text in sources.items():
        for number, line in enumerate(text.splitlines(), 1):
            for word in re.findall(r"[A-Za-z_]\w+", line):
                index.setdefault(word, []).append((path, number))
    return index


def make_records(draw):
    """A table of customers as programs keep them: dictionaries of strings, numbers and lists."""
    table = {}
    for number in range(_RECORDS):
        name = draw.choice(_FIRST_NAMES)
        table[f"customer:{number}"] = {
            "id": number,
            "name": f"{name} {draw.randrange(16**6):x}",
            "mail": f"{name.lower()}.{number}@example.org",
            "town": draw.choice(_TOWNS),
            "balance": draw.gauss(1000, 300),
            "orders": [draw.randrange(1_000_000) for _ in range(draw.randrange(6))],
        }
    return table


def make_series(draw):
    """Random walks, as measurements are."""
    series = []
    for _ in range(_SERIES):
        value = 20.0
        walk = []
        for _ in range(_POINTS):
            value += draw.gauss(0, 0.25)
            walk.append(value)
        series.append(walk)
    return series


def main():
    """Fills the memory, says so, and goes on changing some of it."""
    draw = random.Random(int(sys.argv[1]))
    modules = import_everything()
    sources = read_sources()
    trees = [ast.parse(sources[path]) for path in sorted(sources)[:_PARSED_FILES]]
    index = index_words(sources)
    table = make_records(draw)
    series = make_series(draw)
    print(
        f"warm: {len(modules)} modules, {len(trees)} syntax trees, {len(index)} words, {len(table)} records, "
        f"{len(series) * _POINTS} numbers",
        flush=True,
    )
    names = list(table)
    while True:
        time.sleep(0.2)
        for _ in range(20):
            table[draw.choice(names)]["orders"].append(draw.randrange(1_000_000))


if __name__ == "__main__":
    sys.exit(main())
