#!/bin/sh
# Fuzzes: tests/fuzz/run.sh SECONDS [TARGET...]
# Builds the fuzzers (preset fuzz, clang 19) and lets each target, all of them by default, run for SECONDS, beginning
# with its corpus and with what earlier runs found. Prints executions, executions per second and coverage (edges,
# features). Ends with status 1 after a crash, a broken promise, a leak, an input that takes more than 5 s, or more than
# 256 MB of memory; the input is then named. To look into it: build/dev/tests/fuzz/fuzz_TARGET FILE
# What was found stays in build/dev/found; an input that showed a fault belongs into tests/fuzz/corpus/TARGET.
set -eu
cd "$(dirname "$0")/../.."

[ $# -ge 1 ] || { echo "usage: tests/fuzz/run.sh SECONDS [TARGET...]" >&2; exit 2; }
seconds=$1
shift
if [ $# -eq 0 ]; then
  for source in tests/fuzz/*_fuzz.cc; do
    target=${source##*/}
    set -- "$@" "${target%_fuzz.cc}"
  done
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --preset fuzz >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
programs=""
for target; do programs="$programs fuzz_$target"; done
# shellcheck disable=SC2086  # a list of words
cmake --build --preset fuzz -j "$(nproc)" --target $programs >"$log" 2>&1 || { cat "$log" >&2; exit 1; }

# A reader's threads live for one input; the first check would map memory for each of them. What is freed waits in
# quarantine, 256 MB of it by default: fast targets would fill the limit below with nothing but that.
export ASAN_OPTIONS="detect_stack_use_after_return=0:quarantine_size_mb=16${ASAN_OPTIONS:+:$ASAN_OPTIONS}"

status=0
printf '%-16s %12s %10s %8s %8s %8s\n' target executions per-second edges features rss-MB
for target; do
  found=build/dev/found/$target
  mkdir -p "$found/inputs" "$found/faults"
  failed=0
  longest=16384
  [ "$target" != config_file ] || longest=2048
  "build/dev/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=256 -max_len="$longest" \
    -print_final_stats=1 -artifact_prefix="$found/faults/" "$found/inputs" "tests/fuzz/corpus/$target" \
    >"$log" 2>&1 || failed=1
  statistic() { sed -n "s/^stat::$1: *//p" "$log"; }
  coverage() { sed -n "s/^#[0-9]*.* $1: \([0-9]*\) .*/\1/p" "$log" | tail -n 1; }
  printf '%-16s %12s %10s %8s %8s %8s\n' "$target" "$(statistic number_of_executed_units)" \
    "$(statistic average_exec_per_sec)" "$(coverage cov)" "$(coverage ft)" "$(statistic peak_rss_mb)"
  if [ "$failed" -ne 0 ]; then
    status=1
    tail -n 60 "$log" >&2
  fi
done
exit $status
