#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The library as its users build with it: installed, found by pkg-config, the README's program.
. "$top_srcdir/tests/cli/roofline_fixture.sh"

install_library() {
    make -C "$top_builddir" DESTDIR="$scratch" MAKEFLAGS= install-libLIBRARIES \
        install-sharedlibPROGRAMS install-exec-local install-cmakeDATA \
        install-includeHEADERS install-pkgconfigDATA install-man3
}

# The program of the README, as it stands there.
extract_example() {
    sed -n '/^```c$/,/^```$/p' "$top_srcdir/analysis/ext/lib/README.md" | sed '/^```/d' >attainable.c
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

build_static() {
    folder=$(dirname "$(find "$scratch" -name libroofline.a)")
    flags=$(PKG_CONFIG_PATH=$scratch:$PKG_CONFIG_PATH pkg-config --cflags libroofline) &&
        $CC $ERT_SANITIZERS -o attainable-static attainable.c $flags "$folder/libroofline.a" \
            $(pkg-config --libs libcjson) -lm
}

# Each header that is installed, as C++ programs see it.
headers_are_cpp() {
    for header in $(find "$scratch" -name '*.h'); do
        g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -DRFL_REGION_NO_NVTX -fsyntax-only -x c++ \
            -include "$header" /dev/null || return 1
    done
}

exported() {
    nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | grep -v '^roofline_[a-z_]*@@ROOFLINE_0$'
}

build_by_cmake() {
    cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.13)
project(attainable C)
find_package(roofline 2.0 CONFIG REQUIRED)
add_executable(attainable-cmake attainable.c)
target_link_libraries(attainable-cmake roofline::roofline)
CMAKE
    cmake -S . -B cmake-build -Droofline_DIR="$(dirname "$(find "$scratch" -name roofline-config.cmake)")" &&
        cmake --build cmake-build
}

check "installs" install_library
check "the README has a program" extract_example
check "pkg-config and the compiler build it" build_example
library=$(find "$scratch" -name libroofline.so.0)
LD_LIBRARY_PATH=$(dirname "$library")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
"$plant" h200 h200.json && "$plant" none none.json || exit 1
check "it says what HBM allows" prints "gpu0 HBM: 2310.0 GFLOP/s" ./attainable h200.json 0.5
check "and where the peak is reached" prints "gpu0 HBM: 33300.0 GFLOP/s" ./attainable h200.json 1000
check "the program is linked with the shared library" prints libroofline.so.0 readelf -d attainable
check "the shared library exports what the header declares" unfound exported
check "the static library does the same" build_static
check "and says the same" prints "gpu0 HBM: 2310.0 GFLOP/s" ./attainable-static h200.json 0.5
if command -v g++ >/dev/null; then
    check "the headers are C++ too" headers_are_cpp
else
    skip "the headers are C++ too" "no g++"
fi
if [ -n "$ERT_SANITIZERS" ] || ! command -v cmake >/dev/null; then
    skip "CMake finds it" "no cmake, or a build with sanitizers"
else
    check "CMake finds it" build_by_cmake
    check "what CMake built runs" prints "gpu0 HBM: 2310.0" cmake-build/attainable-cmake h200.json 0.5
fi
# A removed or changed function or structure is a new .so number; the dump is then made anew:
# abidw --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --exported-interfaces-only
# --header-file roofline.h --drop-private-types, of a library of roofline.c alone.
if [ -n "$ERT_SANITIZERS" ] || [ "$(uname -m)" != x86_64 ] || ! command -v abidiff >/dev/null; then
    skip "its ABI is that of 0" "no abidiff (abigail-tools), not x86-64, or a build with sanitizers"
elif ! readelf -S "$library" | grep -q debug_info; then
    skip "its ABI is that of 0" "built without -g"
else
    check "its ABI is that of 0" abidiff --no-added-syms \
        "$top_srcdir/analysis/ext/lib/libroofline.abi" "$library"
fi
check "a missing file is named" answers 2 "no-such.json" ./attainable no-such.json 1
check "ceilings without any are refused" gives 2 ./attainable none.json 1
if [ -n "$(find /usr/share/groff -name doc.tmac 2>/dev/null)" ]; then
    check "the man page is well-formed" empty groff -mdoc -ww -z -Tutf8 \
        "$top_srcdir/analysis/ext/lib/libroofline.3"
else
    skip "the man page is well-formed" "no groff with its macros here"
fi
installed_elsewhere() {
    make -C "$top_builddir" MAKEFLAGS= prefix="$scratch/else where" install-pkgconfigDATA \
        install-libroofline-prefix && grep -qx "prefix=$scratch/else where" \
        "$scratch/else where"/lib*/pkgconfig/libroofline.pc
}
check "make install prefix=X: pkg-config finds it there" installed_elsewhere
done_testing
