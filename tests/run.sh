#!/bin/sh
# Builds everything and runs every test. On a machine without the packages it needs, and as root, installs them.
#   tests/run.sh          what continuous integration runs: all tests, of the slow guest matrix a chosen share
#   tests/run.sh --full   the whole guest matrix
#   tests/run.sh --quick  no sanitizer builds and no guests
set -eu
cd "$(dirname "$0")/.."

mode=share
case "${1:-}" in
  '') ;;
  --full) mode=full ;;
  --quick) mode=quick ;;
  *) echo "usage: tests/run.sh [--full|--quick]" >&2; exit 2 ;;
esac

.ci/install.sh --tests
jobs=$(nproc)

build() {
  cmake --preset "$1" >"build-$1.log" 2>&1 || { cat "build-$1.log" >&2; exit 1; }
  rm -f "build-$1.log"
  cmake --build --preset "$1" -j "$jobs"
}

if [ "$mode" != quick ]; then
  # The second compiler has to agree; the sanitizers have to be silent.
  build clang
  for preset in dev tsan; do
    build "$preset"
    ctest --preset "$preset" -j "$jobs"
  done
fi

build release
case "$mode" in
  share) exec ctest --preset release -j "$jobs" -LE vm-full ;;
  full) exec ctest --preset release -j "$jobs" ;;
  quick) exec ctest --preset release -j "$jobs" -LE vm ;;
esac
