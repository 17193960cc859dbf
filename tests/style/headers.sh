#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every header compiles alone: in C, and in C++ where it promises that with extern "C".
. "$top_srcdir/tests/tap.sh"
cd "$top_builddir" || exit 1
CC=${CC:-cc}
CXX=${CXX:-c++}

# compile LANGUAGE HEADER...: prints what the compiler says about each header on its own.
compile() {
    compiler="$CC -std=gnu11"
    [ "$1" = c++ ] && compiler="$CXX -std=gnu++17"
    language=$1
    shift
    for header; do
        printf '#include "%s"\n' "$header" |
            $compiler -Wall -Wno-unused -fsyntax-only -I"$top_srcdir" -I"$top_builddir" \
                $ERT_CPPFLAGS -x "$language" - || echo "$header does not compile alone"
    done
}

# Headers that need CUDA's own, MPI's or Valgrind's, be it through another one, are compiled with their
# sources.
cuda_free() {
    while read -r header; do
        $CC -M -MG -I. -I"$build" $ERT_CPPFLAGS "$header" 2>&1 |
            grep -Eq 'cuda_runtime[a-z_]*\.h|[/ ]mpi\.h|pub_tool_basics\.h' || echo "$header"
    done
}

build=$(cd "$top_builddir" && pwd)
cd "$top_srcdir" || exit 1
headers=$(find ert analysis gpp examples tests -name '*.h' ! -path ert/core/base/config.h | sort | cuda_free)
cxx_headers=$(grep -l 'extern "C"' $headers)
cd "$top_builddir" || exit 1

check "every header compiles alone in C" empty compile c $headers
if echo 'int main() {}' | $CXX -fsyntax-only -x c++ - 2>/dev/null; then
    check "headers with extern \"C\" compile alone in C++" empty compile c++ $cxx_headers
else
    skip "headers with extern \"C\" compile alone in C++" "no C++ compiler"
fi
done_testing
