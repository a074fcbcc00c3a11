#!/bin/sh
# usage: install_test.sh SOURCE_DIR BUILD_DIR CMAKE CXX
# Installs BUILD_DIR under a temporary root, checks what is there, and builds and runs the README's example against it,
# once found by find_package() and once by pkg-config.
set -eu
source=$1 build=$2 cmake=$3
CXX=$4 CXXFLAGS=${CXXFLAGS:-}
export CXX CXXFLAGS

work=$(mktemp -d "${TMPDIR:-/tmp}/dormouse-install.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM

step() { echo "== $*"; }
die() {
  echo "FAILED: $*" >&2
  exit 1
}

step "install"
# DESTDIR too: a part that is configured for a place of its own, such as /etc, must not land on this machine.
DESTDIR=$work/root "$cmake" --install "$build" --prefix /opt/dormouse >"$work/install.log" 2>&1 ||
  { cat "$work/install.log" >&2; die "cmake --install"; }
prefix=$work/root/opt/dormouse

find_one() { find "$work/root" -path "*/$1" | grep . || die "not installed: $1"; }
for file in sbin/s2disk sbin/s2both sbin/resume bin/suspend-keygen sbin/swap-offset man8/swap-offset.8 man8/s2disk.8 man8/s2both.8 man8/resume.8 \
  man5/suspend.conf.5 man1/suspend-keygen.1 completions/s2disk completions/resume completions/suspend-keygen \
  completions/swap-offset \
  hooks/dormouse scripts/local-premount/dormouse systemd-hibernate.service.d/dormouse.conf suspend.conf.example \
  dormouse/dormouse-config.cmake pkgconfig/dormouse.pc; do
  find_one "$file" >/dev/null
done
for header in "$source"/include/dormouse/*.h; do
  cmp "$header" "$prefix/include/dormouse/$(basename "$header")"
done

step "scripts and the example configuration can be read"
sh -n "$(find_one hooks/dormouse)"
sh -n "$(find_one scripts/local-premount/dormouse)"
bash -n "$(find_one completions/s2disk)"
bash -n "$(find_one completions/resume)"
bash -n "$(find_one completions/suspend-keygen)"
bash -n "$(find_one completions/swap-offset)"
# As it is, and with every setting in it switched on, but for the device, which is given; that it is missing is the one
# complaint.
example=$(find_one suspend.conf.example)
sed -E '/^#resume/!s/^#([a-z][a-z ]* = )/\1/' "$example" >"$work/all.conf"
for config in "$example" "$work/all.conf"; do
  code=0
  "$prefix/sbin/s2disk" --config "$config" --from /dev/null --resume-device "$work/missing" --progress none \
    --report-file "$work/report" >/dev/null 2>"$work/messages" || code=$?
  if [ "$code" -ne 2 ] || ! grep -q "find swap area" "$work/messages" || [ "$(wc -l <"$work/messages")" -ne 1 ]; then
    cat "$work/messages" >&2
    die "$config is not accepted without a word"
  fi
done

step "every public header compiles alone"
cflags=$(PKG_CONFIG_PATH=$(dirname "$(find_one pkgconfig/dormouse.pc)") pkg-config --cflags dormouse)
for header in "$prefix"/include/dormouse/*.h; do
  # shellcheck disable=SC2086  # words
  echo "#include <dormouse/$(basename "$header")>" |
    "$CXX" -std=c++23 -Wall -Wextra -Werror -fsyntax-only $cflags -x c++ - || die "$header does not compile alone"
done

# The README's code blocks of one kind.
block() { awk -v fence="\`\`\`$1" '$0 == fence {on = 1; next} $0 == "```" {on = 0} on' "$source/README.md"; }
mkdir "$work/example"
block cpp >"$work/example/example.cc"
block cmake >"$work/example/CMakeLists.txt"
if [ ! -s "$work/example/example.cc" ] || [ ! -s "$work/example/CMakeLists.txt" ]; then die "README.md holds no example"; fi

step "find_package(dormouse)"
with_cmake() {
  "$cmake" -S "$work/example" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" && "$cmake" --build "$work/cmake"
}
with_cmake >"$work/cmake.log" 2>&1 || {
  cat "$work/cmake.log" >&2
  die "the example with CMake"
}

step "pkg-config"
PKG_CONFIG_PATH=$(dirname "$(find_one pkgconfig/dormouse.pc)")
export PKG_CONFIG_PATH
pkg-config --exact-version="$("$prefix/sbin/s2disk" --version | awk '{print $NF}')" dormouse || die "dormouse.pc has another version"
for static in "" --static; do
  # shellcheck disable=SC2046,SC2086  # words
  (cd "$work/example" && "$CXX" -std=c++23 -Wall -Wextra -Werror $CXXFLAGS example.cc \
    $(pkg-config $static --cflags --libs dormouse) -o "$work/by-pkg-config")
done

# About 5 MiB of this and that, whole pages.
{
  head -c 2097152 /dev/zero
  cat "$work/example/example.cc" "$prefix/sbin/resume"
} | head -c 5242880 >"$work/snapshot"
truncate -s %4096 "$work/snapshot"
truncate -s 32M "$work/area"
PATH=$PATH:/sbin:/usr/sbin mkswap "$work/area" >/dev/null 2>&1
head -c 4096 "$work/area" >"$work/header"

for program in "$work/cmake/example" "$work/by-pkg-config"; do
  step "run $(basename "$program")"
  rm -f "$work/copy"
  "$program" "$work/snapshot" "$work/area" "$work/copy"
  cmp "$work/snapshot" "$work/copy"
  cmp -n 4096 "$work/header" "$work/area"
done

step "the installed tools read each other's area"
s2disk() { "$prefix/sbin/s2disk" --config /dev/null --progress none --resume-device "$work/area" "$@"; }
resume() { "$prefix/sbin/resume" --config /dev/null --progress none --resume-device "$work/area" "$@"; }
s2disk --from "$work/snapshot" >/dev/null
resume --status
code=0
"$work/by-pkg-config" "$work/snapshot" "$work/area" "$work/copy" 2>"$work/messages" || code=$?
[ "$code" -eq 6 ] || die "the example wrote over an image: exit code $code"
rm -f "$work/copy"
resume --to "$work/copy" >/dev/null
cmp "$work/snapshot" "$work/copy"
resume --discard
cmp -n 4096 "$work/header" "$work/area"
echo "all well"
