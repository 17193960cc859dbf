# SPDX-License-Identifier: BSD-3-Clause
# root: rows and throw-away roots, for check.sh and its kinds; sourced with kind and archive set.
work=$PACKAGES_WORK
mirror=${PACKAGES_MIRROR:-}
folder=$(basename "$archive" .tar.xz) # ert-2.0.0
version=${folder#ert-}
out=$(pwd)/packages
mkdir -p "$out/log"
umask 022

# try WHAT COMMAND...: one row. The output goes to a file, whose end is shown when the command fails.
try() {
    row=$1 log=$out/log/$kind-$(echo "$1" | tr -c 'A-Za-z0-9\n' -)
    shift
    if "$@" </dev/null >"$log" 2>&1; then
        echo "PASS $kind: $row"
        return
    fi
    tail -n 20 "$log" | sed 's/^/    /'
    echo "FAIL $kind: $row ($log)"
    return 1
}

skip() {
    echo "SKIP $kind: $1"
}

# has PROGRAM PACKAGE WHAT: a row that says what cannot be checked here.
has() {
    command -v "$1" >/dev/null || { skip "$3: no $1 (Debian: $2)"; return 1; }
}

# new_root NAME: an empty Debian in $work/NAME.
new_root() {
    mkdir "$work/$1" && tar -xf "$work/base.tar" -C "$work/$1" &&
        cp -L /etc/resolv.conf /etc/hosts "$work/$1/etc/"
}

# within NAME COMMAND...: in that root, with nothing of this environment but a proxy.
within() {
    root=$work/$1
    shift
    for mount in proc sys dev; do
        mountpoint -q "$root/$mount" || mount --rbind "/$mount" "$root/$mount" || return
    done
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        ${http_proxy:+http_proxy="$http_proxy"} chroot "$root" "$@"
}

# install_in NAME PACKAGE...
install_in() {
    name=$1
    shift
    within "$name" apt-get update -q && within "$name" apt-get install -qy --no-install-recommends "$@"
}

# unpack ROOT/FOLDER: the archive, and as its tools want it Debian's source package.
unpack() {
    mkdir -p "$work/$1" && tar -xf "$archive" -C "$work/$1" &&
        cp "$archive" "$work/$1/ert_$version.orig.tar.xz" &&
        cp -a "$work/$1/$folder/configs/packages/debian" "$work/$1/$folder/"
}

build_root() {
    new_root build && unpack build/first &&
        install_in build build-essential python3-venv lmod rpm rpmlint &&
        within build apt-get build-dep -qy --no-install-recommends "/first/$folder"
}

# from_pypi FOLDER PROJECT...: wheels from PyPI, fetched here, where the site's pip is set up.
from_pypi() {
    to=$1
    shift
    python3 -m pip wheel -q -w "$work/build/$to" "$@"
}
