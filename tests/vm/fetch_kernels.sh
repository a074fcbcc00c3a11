#!/bin/sh
# Usage: fetch_kernels.sh DIR
#
# Puts Debian's amd64 kernels into DIR/6.1 (bookworm) and DIR/6.12 (trixie), unpacked and not installed:
#
#   vmlinuz        the kernel
#   modules/       the few modules the test guest loads, with modules.dep and modules.builtin beside them
#   release        the kernel's release, such as 6.1.0-1-amd64
#   wanted         the names of the modules that were asked for
#   SHA256SUMS     of all of the above; written last, so that a kernel with sums that match is complete
#
# A complete kernel is left as it is; one that is not, or was fetched for other modules, is fetched anew. The machine's own apt sources are
# asked for the mirror only: lists, caches and package state are private and removed at the end.
set -eu

# What the guest needs, without dependencies: those are resolved here. A name may be built into the kernel.
WANTED_MODULES='virtio_pci virtio_blk ext4 crc32c_generic dm-mod dm-flakey dm-crypt xts ecb f2fs crc32_generic xfs btrfs zram'

fail() {
    echo "fetch_kernels.sh: $*" >&2
    exit 1
}

need() {
    for command in "$@"; do
        command -v "$command" >/dev/null || fail "needs the command '$command', which is not installed"
    done
}

is_complete() {
    [ -s "$1/SHA256SUMS" ] && [ "$(cat "$1/wanted" 2>/dev/null)" = "$WANTED_MODULES" ] &&
        (cd "$1" && sha256sum --quiet --check SHA256SUMS) >/dev/null 2>&1
}

# Prints "URI SUITE" for each suite of Debian itself that apt reads packages from on this machine, for both
# formats of its source lists: apt is asked, the files are not parsed. It need not have been updated before.
debian_sources() {
    mkdir -p "$scratch/no-lists/partial"
    apt-get -o Dir::State::lists="$scratch/no-lists" update --print-uris 2>"$scratch/uris.err" |
        sed -nE "s,^'([^']*[^/'])/+dists/($own_suite(-security)?)/main/binary-[^']*'.*,\1 \2,p" | sort -u
}

private_apt() {
    command=$1
    shift
    # apt's sandbox user may not enter the scratch directory, hence root; signatures are checked all the same.
    "$command" \
        -o Dir::Etc::sourcelist="$apt_root/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
        -o Dir::State="$apt_root/state" -o Dir::State::lists="$apt_root/lists" \
        -o Dir::State::status="$apt_root/status" -o Dir::Cache="$apt_root/cache" \
        -o Dir::Cache::archives="$apt_root/archives" \
        -o APT::Architecture=amd64 -o APT::Architectures::=amd64 -o Acquire::Languages=none \
        -o APT::Sandbox::User=root -o APT::Update::Error-Mode=any -o Acquire::Retries=3 "$@"
}

prepare_apt() {
    apt_root=$scratch/apt-$1
    mkdir -p "$apt_root/lists/partial" "$apt_root/cache" "$apt_root/archives/partial" "$apt_root/state"
    : >"$apt_root/status"
    keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    options='[arch=amd64]'
    [ ! -s "$keyring" ] || options="[arch=amd64 signed-by=$keyring]"
    while read -r uri own_name; do
        echo "deb $options $uri $1${own_name#"$own_suite"} main"
    done <"$scratch/sources" >"$apt_root/sources.list"
    private_apt apt-get -qq update ||
        fail "cannot read the package lists of '$1' (sources used: $(tr '\n' ';' <"$apt_root/sources.list"))"
}

# Finds the image package's present name through the metapackage, since every point release renames it.
image_package() {
    private_apt apt-cache show --no-all-versions linux-image-amd64 |
        sed -nE 's/^Depends:.*(linux-image-[0-9][^ ,]*-amd64).*/\1/p' | head -n 1
}

# Copies the wanted modules and what they depend on, with a modules.dep of their own.
copy_modules() {
    tree=$1 release=$2 target=$3
    depmod -b "$tree" "$release" || fail "depmod failed for $release"
    source=$tree/lib/modules/$release
    mkdir -p "$target"
    for module in $WANTED_MODULES; do
        line=$(grep -E "/$module\.ko(\.xz|\.zst|\.gz)?:" "$source/modules.dep" || true)
        if [ -z "$line" ]; then
            grep -q "/$module\.ko" "$source/modules.builtin" || fail "$release has no module '$module'"
            continue
        fi
        for file in $(echo "$line" | tr -d ':'); do
            mkdir -p "$target/$(dirname "$file")"
            cp "$source/$file" "$target/$file"
        done
    done
    grep -F -f - "$source/modules.dep" >"$target/modules.dep" <<LIST
$(cd "$target" && find . -name '*.ko*' | sed 's,^\./,,; s,$,:,')
LIST
    cp "$source/modules.builtin" "$target/modules.builtin"
}

fetch() {
    version=$1 suite=$2
    if is_complete "$directory/$version"; then
        echo "kernel $version: $(cat "$directory/$version/release") is there already"
        return
    fi
    prepare_apt "$suite"
    package=$(image_package)
    [ -n "$package" ] || fail "'$suite' has no linux-image-amd64 that names a kernel image"
    release=${package#linux-image-}
    case $release in
        "$version".*) ;;
        *) fail "'$suite' has kernel $release, expected $version" ;;
    esac
    echo "kernel $version: fetching $package from $suite"
    (cd "$apt_root" && private_apt apt-get -qq download "$package") || fail "cannot download $package"
    tree=$scratch/tree-$version
    dpkg-deb -x "$apt_root/$package"_*.deb "$tree" || fail "cannot unpack $package"
    [ -d "$tree/lib" ] || ln -s usr/lib "$tree/lib"

    stage=$scratch/stage-$version
    mkdir "$stage"
    cp "$tree/boot/vmlinuz-$release" "$stage/vmlinuz"
    copy_modules "$tree" "$release" "$stage/modules"
    echo "$release" >"$stage/release"
    echo "$WANTED_MODULES" >"$stage/wanted"
    (cd "$stage" && find . -type f -exec sha256sum {} + >"$scratch/sums")
    mv "$scratch/sums" "$stage/SHA256SUMS"
    rm -rf "${directory:?}/$version"
    mv "$stage" "$directory/$version"
    rm -rf "$tree" "$apt_root"
    echo "kernel $version: $release is ready"
}

[ $# -eq 1 ] || fail "usage: fetch_kernels.sh DIR"
need apt-get apt-cache dpkg-deb depmod sha256sum
mkdir -p "$1" || fail "cannot make the directory $1"
directory=$(cd "$1" && pwd)
if is_complete "$directory/6.1" && is_complete "$directory/6.12"; then
    echo "kernels $(cat "$directory/6.1/release") and $(cat "$directory/6.12/release") are there already"
    exit 0
fi

scratch=$(mktemp -d "$directory/.scratch.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP
own_suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
[ -n "$own_suite" ] || fail "/etc/os-release names no VERSION_CODENAME: is this Debian?"
debian_sources >"$scratch/sources"
[ -s "$scratch/sources" ] ||
    fail "apt has no source for Debian '$own_suite' with component main: $(cat "$scratch/uris.err")"
fetch 6.1 bookworm
fetch 6.12 trixie
