#!/usr/bin/env python3
"""Reads the sources and says what breaks the rules of the house: layers, headers, lengths, words.

    tidy.py CHECK SOURCE_DIR [COMPILER]

Exit status 0 if all is well; else every finding is one line "file:line: what", and the status is 1.
"""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

CODE_DIRS = ("include", "lib", "suspend", "resume", "tests", "bench")
CODE_SUFFIXES = (".cc", ".h")
LENGTH_LIMIT = 400

# Which layer a module is in; arrows point down, and modules of layer 1 do not know each other.
LAYERS = {
    "base": 0,
    "format": 1, "codec": 1, "pipeline": 1, "io": 1, "kernel": 1, "config": 1, "report": 1, "console": 1,
    "seal": 2, "boot": 2,
    "swap": 3,
    "image": 4,
    "area": 4,
    "cycle": 5,
    "tool": 6,
    "check": 7,
}

# Written in pieces, so that this file passes its own test. Absolute paths of machines that built this, and hosts that
# packages were fetched from, are of no use to anyone else.
FORBIDDEN = [
    re.compile(r"(?<![\w.])/(" + "|".join(["wo" + "rk", "ro" + "ot", "ho" + "me"]) + r")/\w"),
    re.compile("|".join(["arti" + "factory", "py" + r"pi\.org", "registry" + r"\.npmjs", "crates" + r"\.io/api",
                         "proxy" + r"\.golang", "nexus" + r"\."])),
]


def tracked_files(root):
    """What git knows or would add; without git, everything but build directories."""
    try:
        out = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z"], check=True,
                             capture_output=True).stdout.decode()
        files = [root / name for name in out.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        files = [path for path in root.rglob("*") if "build" not in path.relative_to(root).parts]
    return sorted(path for path in files if path.is_file())


def code_files(root):
    return [path for path in tracked_files(root)
            if path.suffix in CODE_SUFFIXES and path.relative_to(root).parts[0] in CODE_DIRS]


def strip_comments_and_strings(text):
    """Same number of lines, without what is only said."""
    pattern = re.compile(r"//[^\n]*|/\*.*?\*/|R\"(\w*)\(.*?\)\1\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'", re.S)

    def blank(match):
        return "\n" * match.group(0).count("\n") if match.group(0)[0] == "/" else '""' + "\n" * match.group(0).count("\n")

    return pattern.sub(blank, text)


def includes(text):
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if match:
            yield number, match.group(1)


def module_table(root):
    """module -> modules it depends on, as its CMakeLists.txt says."""
    table = {}
    for path in sorted((root / "lib").glob("*/CMakeLists.txt")):
        text = re.sub(r"#[^\n]*", "", path.read_text())
        match = re.search(r"dormouse_module\(\s*(\w+)(.*?)\)", text, re.S)
        if not match:
            continue
        depends = re.search(r"\bDEPENDS\b((?:\s+[a-z_]+)*)", match.group(2))
        table[match.group(1)] = set(depends.group(1).split()) if depends else set()
    return table


def check_layers(root):
    table = module_table(root)
    if len(table) < 5:
        yield "lib: the table of modules was not found"
    for module, depends in table.items():
        if module not in LAYERS:
            yield f"lib/{module}: has no layer; add it to the table in tests/tidy"
            continue
        for other in depends:
            if other not in LAYERS or LAYERS[other] >= LAYERS[module]:
                yield f"lib/{module}/CMakeLists.txt: depends on {other}, which is not below it"
    for path in code_files(root):
        parts = path.relative_to(root).parts
        if parts[0] == "include":
            allowed, who = {"dormouse"}, "a public header"
        elif parts[0] == "lib" and len(parts) > 2:
            allowed = {"dormouse", parts[1]} | table.get(parts[1], set())
            who = f"module {parts[1]}"
        else:
            continue
        for number, name in includes(path.read_text()):
            if name.split("/")[0] not in allowed:
                yield f"{path.relative_to(root)}:{number}: {who} may not include \"{name}\""


def check_style(root):
    for path in code_files(root):
        name = path.relative_to(root)
        text = path.read_text()
        lines = text.count("\n")
        if lines > LENGTH_LIMIT:
            yield f"{name}:{lines}: longer than {LENGTH_LIMIT} lines"
        if path.suffix == ".h" and not re.search(r"^#pragma once$", text, re.M):
            yield f"{name}:1: no #pragma once"
        if name.parts[0] in ("tests", "bench"):
            continue  # a test of the counter of allocations has to allocate
        # Where a constructor is private, a unique_ptr may take what `new` gives on the spot.
        owned = re.sub(r"(unique_ptr<[^;()]*?>\s*\w*\(\s*)new\b", r"\1", strip_comments_and_strings(text))
        for number, line in enumerate(owned.splitlines(), 1):
            if re.search(r"\bnew\b(?!\s*\()", line) and "#include" not in line:
                yield f"{name}:{number}: new without an owner"
            if re.search(r"(?<!=)\s\bdelete\b", re.sub(r"=\s*delete\b", "", line)):
                yield f"{name}:{number}: delete"


def check_words(root):
    for path in tracked_files(root):
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue  # a golden file
        for number, line in enumerate(text.splitlines(), 1):
            for pattern in FORBIDDEN:
                if pattern.search(line):
                    yield f"{path.relative_to(root)}:{number}: names a machine or a host: {line.strip()[:100]}"


def check_headers(root, compiler):
    """Every header of the library compiles when it is the only one."""
    headers = [path for path in code_files(root)
               if path.suffix == ".h" and path.relative_to(root).parts[0] in ("include", "lib")]

    def compile_alone(path):
        command = [compiler, "-std=c++23", "-fsyntax-only", "-Wall", "-Wextra", "-x", "c++", "-I", str(root / "include"),
                   "-I", str(root / "lib"), "-include", str(path), os.devnull]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            first = next((line for line in result.stderr.splitlines() if "error" in line), result.stderr[:200])
            return f"{path.relative_to(root)}:1: does not compile alone: {first}"
        return None

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from (finding for finding in pool.map(compile_alone, headers) if finding)


def check_format(root):
    tool = shutil.which("clang-format-19")
    if not tool:
        print("clang-format-19 is not installed: skipped")
        sys.exit(77)
    files = [str(path) for path in code_files(root)]
    result = subprocess.run([tool, "--dry-run", "-Werror", *files], capture_output=True, text=True, cwd=root)
    seen = set()
    for line in result.stderr.splitlines():
        match = re.match(r"(\S+?):(\d+):\d+: error", line)
        if match and match.group(1) not in seen:
            seen.add(match.group(1))
            yield f"{os.path.relpath(match.group(1), root)}:{match.group(2)}: clang-format-19 wants it otherwise"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    root = Path(sys.argv[2]).resolve()
    checks = {
        "layers": lambda: check_layers(root),
        "style": lambda: check_style(root),
        "words": lambda: check_words(root),
        "headers": lambda: check_headers(root, sys.argv[3] if len(sys.argv) > 3 else "c++"),
        "format": lambda: check_format(root),
    }
    if sys.argv[1] not in checks:
        sys.exit(f"there is no check {sys.argv[1]}: {', '.join(checks)}")
    findings = list(checks[sys.argv[1]]())
    for finding in findings:
        print(finding)
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
