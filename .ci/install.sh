#!/bin/sh
# Installs what building, testing and the demonstration need on Debian 12. Does nothing where all of it is there.
set -eu

packages="
  g++ cmake ninja-build pkg-config git ca-certificates python3
  liblz4-dev liblzf-dev libzstd-dev libxxhash-dev libgcrypt20-dev liburing-dev libcli11-dev nlohmann-json3-dev libfmt-dev
  libgtest-dev libgmock-dev libbenchmark-dev liblzo2-dev
  libblkid-dev libarchive-dev zlib1g-dev libbz2-dev liblzma-dev
  qemu-system-x86 busybox-static cpio e2fsprogs util-linux fdisk xz-utils zstd kmod dpkg-dev dmsetup
  xfsprogs btrfs-progs f2fs-tools
"
[ "${1:-}" = --tests ] && packages="$packages clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev valgrind strace"

missing=""
for package in $packages; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

if [ "$(id -u)" -ne 0 ]; then
  echo "These packages are missing; install them as root with: apt-get install$missing" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
# shellcheck disable=SC2086  # a list of words
apt-get install -q -y --no-install-recommends $missing
