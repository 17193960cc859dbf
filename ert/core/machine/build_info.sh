#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Writes ert/core/machine/build_info.h to stdout: build_info.sh SOURCE_FOLDER FLAGS. The git description
# is asked for only where the folder is a checkout of its own: a tarball unpacked inside another
# repository must not take that one's name. Flags that take the build's folder out of the objects would bring
# it back with their own text.
git=unknown
if test -e "$1/.git"; then
    git=$(git -C "$1" describe --always --dirty --tags 2>/dev/null) || git=unknown
fi
escape() {
    printf '%s' "$1" | tr -d '\n' | sed 's/[\\"]/\\&/g'
}
printf '/* Written by build_info.sh at build time. */\n'
printf '#define ERT_BUILD_GIT   "%s"\n' "$(escape "${git:-unknown}")"
flags=$(printf '%s' "$2" | sed 's/-f[a-z]*-prefix-map=[^ ]* *//g')
printf '#define ERT_BUILD_FLAGS "%s"\n' "$(escape "$flags")"
