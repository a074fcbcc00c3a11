#!/bin/sh
# Builds dormouse, then hibernates and resumes a real Linux guest in QEMU and prints its write and read times.
# The machine it runs on is not touched, except that as root it installs missing packages.
set -eu
cd "$(dirname "$0")/.."

echo "== Building dormouse"
.ci/install.sh
cmake --preset release -B build/demo -DDORMOUSE_TESTS=OFF -DDORMOUSE_BENCH=OFF >/dev/null
cmake --build build/demo -j "$(nproc)"

kernels=build/demo/vm-kernels
echo "== Fetching Debian's kernels (into $kernels; not installed)"
tests/vm/fetch_kernels.sh "$kernels"

echo "== Starting a guest: it saves itself with 's2disk --compress --early-writeout 1', goes off, boots and resumes"
exec tests/vm/run_case.py --tools build/demo --kernels "$kernels" --kernel 6.1 --case demo
