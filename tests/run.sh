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

# Prints nothing while all is well; $1 is the preset, the rest are targets (default: everything).
build() {
  preset=$1
  shift
  echo "== building preset $preset"
  cmake --preset "$preset" >"build-$preset.log" 2>&1 || { cat "build-$preset.log" >&2; exit 1; }
  rm -f "build-$preset.log"
  cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"}
}

if [ "$mode" != quick ]; then
  # The second compiler has to agree, and the sanitizers have to be silent: one build shows both.
  build dev
  # (The leak checker and strace exclude each other, hence without those that use it; and without those that start a tool
  # a thousand times to see one field of the format.)
  ctest --preset dev -j "$jobs" -E '^(tidy|install|vm)/|^tools/(sparse|room|limits|order|stop|damage|sealed_format)$'
  # A few seconds of every fuzzer, beginning with its corpus.
  tests/fuzz/run.sh 8
  # What threads share.
  build tsan pipeline_test io_test conformance_test image_test cycle_test console_test seal_test s2disk resume
  ctest --preset tsan -j "$jobs" -R '^(pipeline|io|conformance|image|cycle|console|seal)/|^tools/round_trip$'
fi

build release
case "$mode" in
  share) exec ctest --preset release -j "$jobs" -LE vm-full ;;
  full) exec ctest --preset release -j "$jobs" ;;
  quick) exec ctest --preset release -j "$jobs" -LE vm ;;
esac
