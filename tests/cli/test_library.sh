#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The library as its users build with it: installed, found by pkg-config, the README's program.
. "$top_srcdir/tests/tap.sh"
plant=$top_builddir/tests/unit/plant_ceilings
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
LC_ALL=C
export LC_ALL

install_library() {
    make -C "$top_builddir" DESTDIR="$scratch" MAKEFLAGS= install-libLIBRARIES \
        install-includeHEADERS install-pkgconfigDATA install-man3
}

# The program of the README, as it stands there.
extract_example() {
    sed -n '/^```c$/,/^```$/p' "$top_srcdir/analysis/lib/README.md" | sed '/^```/d' >attainable.c
    [ -s attainable.c ]
}

# As the README says, with the folder that stands in for /.
build_example() {
    pc=$(find "$scratch" -name libroofline.pc)
    sed "s|^prefix=|prefix=$scratch|" "$pc" >libroofline.pc
    flags=$(PKG_CONFIG_PATH=$scratch:$PKG_CONFIG_PATH pkg-config --cflags --libs libroofline) ||
        return 1
    echo "$flags"
    # CFLAGS carry the sanitizers of a build with them.
    $CC $ERT_SANITIZERS -Wall -Wextra -Werror -o attainable attainable.c $flags
}

check "installs" install_library
check "the README has a program" extract_example
check "pkg-config and the compiler build it" build_example
"$plant" h200 h200.json && "$plant" none none.json || exit 1
check "it says what HBM allows" prints "gpu0 HBM: 2310.0 GFLOP/s" ./attainable h200.json 0.5
check "and where the peak is reached" prints "gpu0 HBM: 33300.0 GFLOP/s" ./attainable h200.json 1000
check "and that the file is of another machine" prints "note: not of this machine: gpu0:" \
    ./attainable h200.json 0.5
check "a missing file is named" answers 2 "no-such.json" ./attainable no-such.json 1
check "ceilings without any are refused" gives 2 ./attainable none.json 1
if [ -n "$(find /usr/share/groff -name doc.tmac 2>/dev/null)" ]; then
    check "the man page is well-formed" empty groff -mdoc -ww -z -Tutf8 \
        "$top_srcdir/analysis/lib/libroofline.3"
else
    skip "the man page is well-formed" "no groff with its macros here"
fi
done_testing
