#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Backends that are files of their own (ert/ext/module/module.h): where ert and ert-gpp look for
# ert-cuda.so, and what they refuse, with the reason; with modules that are planted here. And that no
# program needs CUDA or libstdc++.
. "$top_srcdir/tests/tap.sh"
top_builddir=$(cd "$top_builddir" && pwd)
ert=$top_builddir/ert/ert
gpp=$top_builddir/gpp/ert-gpp
work=$(mktemp -d "${TMPDIR:-/tmp}/ert-module-XXXXXX")
trap 'rm -rf "$work"' EXIT

# plant FOLDER FLAG...: a module that is whole but for what the flags say.
plant() {
    mkdir -p "$work/$1" && chmod 755 "$work/$1"
    so=$work/$1/ert-cuda.so
    shift
    (cd "$top_builddir" && $CC -std=gnu11 -shared -fPIC $ERT_CPPFLAGS $ERT_SANITIZERS "$@" -o "$so" \
        "$work/planted.c")
}

# with FOLDERS COMMAND...: in other folders than the build's.
with() {
    ERT_MODULE_PATH=$1
    export ERT_MODULE_PATH
    shift
    "$@"
}

# says FOLDER WORDS: the reason of `ert list` with modules from there.
says() {
    with "$work/$1" prints "no CUDA module: $2" "$ert" list
}

cat >"$work/planted.c" <<'C'
#include "ert/ext/module/door_tables.h"
#include "ert/ext/module/module.h"
#include "gpp/versions.h"

#include <string.h>
#include <unistd.h>

#ifndef DOOR
#define DOOR ERT_DOOR
#endif
#ifndef TABLES
#define TABLES ERT_DOOR_TABLES
#endif
#ifndef NAME
#define NAME "cuda"
#endif
#ifndef ENTRY
#define ENTRY ert_module
#endif

static const char *unavailable(char *reason, size_t size)
{
    (void)reason, (void)size;
    return "planted reason";
}

static const struct ert_backend backend = {
    .name = NAME, .summary = "planted backend", .has_gpus = true, .unavailable = unavailable};
static enum ert_status refuse(const struct gpp_version *version, const struct gpp_problem *problem,
                              const struct gpp_options *options, struct gpp_session **session,
                              struct gpp_facts *facts, struct ert_error *error)
{
    (void)version, (void)problem, (void)options, (void)session, (void)facts;
    strcpy(error->text, "planted refusal");
    return ERT_UNAVAILABLE;
}

static const struct gpp_engine engine = {.open = refuse};

#ifdef FATAL
void end(void);
__attribute__((constructor)) void end(void)
{
    _exit(77);
}
#endif

const struct ert_module *ENTRY(void);
const struct ert_module *ENTRY(void)
{
    static const struct ert_module module = {DOOR, "1.9.0", TABLES, &backend, &engine};
    return &module;
}
C

check "a module is built" plant whole
mkdir "$work/empty"
check "without a module" says empty "no file ert-cuda.so in $work/empty"
check "the backend of a module" with "$work/whole" prints "planted backend; unavailable: planted reason" \
    "$ert" list
check "and its GPU versions of ert-gpp" with "$work/whole" answers 3 "planted refusal" \
    "$gpp" run --system tiny --version v0
check "which without one have the reason" with "$work/empty" answers 3 "no file ert-cuda.so in $work/empty" \
    "$gpp" run --system tiny --version v0
check "a run on GPUs has the reason" with "$work/whole" answers 3 "planted reason" "$ert" run --device gpu
check "the first folder that has the file" with "$work/empty:$work/whole" prints "planted backend" "$ert" list
check "a symbolic link, as packages have them" ln -s "$work/whole" "$work/link"
check "is followed" with "$work/link" prints "planted backend" "$ert" list

# What opening a vendor's library does is its own affair.
check "one that ends the program is built" plant fatal -DFATAL
check "and is opened for devices that may be its own" with "$work/fatal" gives 77 "$ert" list
check "but not for a planted one" with "$work/fatal" gives 0 "$ert" run --device fake0 \
    --out "$work/run"

check "an older one is built" plant old -DDOOR=0
check "and is too old" says old \
    "$work/old/ert-cuda.so is too old for this program: from ert 1.9.0 with interface 0"
check "also for ert-gpp" with "$work/old" answers 3 "is too old for this program" \
    "$gpp" run --system tiny --version v0
check "a newer one is built" plant new -DDOOR=99
check "and is too new" says new "$work/new/ert-cuda.so is too new for this program: from ert 1.9.0 with \
interface 99;"
check "one with other tables is built" plant tables -DTABLES='"1234"'
check "and does not belong here" says tables "$work/tables/ert-cuda.so does not belong to this program: \
from ert 1.9.0 with tables 1234;"
check "another vendor's is built" plant vendor -DNAME='"hip"'
check "and has another name" says vendor "$work/vendor/ert-cuda.so is the module of 'hip'"
check "one without an entry is built" plant entry -DENTRY=ert_other
check "and is no module" says entry "$work/entry/ert-cuda.so is not a module of ert"
check "a refused one is not passed over" with "$work/old:$work/whole" prints "is too old" "$ert" list

mkdir "$work/text" "$work/gone" "$work/folder" "$work/folder/ert-cuda.so"
echo "no shared object" >"$work/text/ert-cuda.so"
ln -s nowhere "$work/gone/ert-cuda.so"
check "a text is no shared object" says text "$work/text/ert-cuda.so: "
check "a link to nowhere" says gone "$work/gone/ert-cuda.so: No such file"
check "a folder of that name" says folder "$work/folder/ert-cuda.so: "
if [ "$(id -u)" -eq 0 ]; then
    skip "a file that may not be read" "root may read all files"
    cp -r "$work/whole" "$work/other" && chown 12345 "$work/other/ert-cuda.so"
    check "a file of another user" says other "$work/other/ert-cuda.so belongs to user 12345, neither root"
    cp -r "$work/whole" "$work/others" && chown 12345 "$work/others"
    check "a folder of another user" says others "$work/others belongs to user 12345, neither root"
else
    cp -r "$work/whole" "$work/closed" && chmod 000 "$work/closed/ert-cuda.so"
    check "a file that may not be read" says closed "$work/closed/ert-cuda.so: Permission denied"
    skip "a file of another user" "only root can plant one"
    skip "a folder of another user" "only root can plant one"
fi
cp -r "$work/whole" "$work/open" && chmod 777 "$work/open"
check "a folder that everybody writes to" says open "$work/open: is writable by everybody"
cp -r "$work/whole" "$work/writable" && chmod 666 "$work/writable/ert-cuda.so"
check "a file that everybody writes to" says writable "$work/writable/ert-cuda.so: is writable by everybody"
cp -r "$work/whole" "$work/grouped" && chgrp 12345 "$work/grouped" 2>/dev/null && chmod g+w "$work/grouped"
if [ "$(id -u)" -eq 0 ]; then
    check "a folder that a group writes to" says grouped "$work/grouped: is writable by all of group 12345"
    mkdir "$work/linked" "$work/theirs" && cp "$work/whole/ert-cuda.so" "$work/theirs" &&
        chown 12346 "$work/theirs" && ln -s "$work/theirs/ert-cuda.so" "$work/linked/ert-cuda.so"
    check "a link into another user's folder" says linked "$work/theirs belongs to user 12346"
else
    skip "folders of others" "only root can make them"
fi
mkdir "$work/pipe" && mkfifo "$work/pipe/ert-cuda.so"
check "a pipe is no module" says pipe "$work/pipe/ert-cuda.so: is no regular file"

cd "$work/whole" || exit 1
check "a relative folder is refused" with . prints "ERT_MODULE_PATH: '.', must be absolute" "$ert" list
check "so is the empty one" with ":$work/whole" prints "ERT_MODULE_PATH: '', must be absolute" "$ert" list
check "the current folder is not searched" with "" lacks "planted backend" "$ert" list
mkdir -p "$work/moved/bin" "$work/moved/lib" && cp "$ert" "$work/moved/bin/" && cp -r . "$work/moved/lib/ert"
check "the folder beside an installation that was moved" \
    with "" prints "planted backend" "$work/moved/bin/ert" list
if [ -f "$top_builddir/lib/ert/ert-cuda.so" ]; then
    check "the build's own module needs no setting" with "" lacks "no CUDA module" "$ert" list
    check "for ert-gpp neither" with "" lacks "no CUDA module" \
        sh -c '"$0" run --system tiny --version v0 || test $? -eq 3' "$gpp"
else
    skip "the build's own module" "built without CUDA"
fi

# What a header of the door includes is of the door, but for what is in no table.
closed() {
    sed -n '/^door_headers +*= /,/[^\\]$/p' "$top_srcdir/ert/ext/module/local.mk" \
        "$top_srcdir"/ert/ext/local.mk "$top_srcdir"/ert/ext/*/local.mk | sort -u |
        tr ' \\\t' '\n\n\n' | grep / | sort >"$work/door"
    (cd "$top_srcdir" && xargs sed -n 's/^#include "\(.*\)"/\1/p' <"$work/door") | sort -u |
        grep -vx -e ert/core/base/fields.h -e ert/core/backend/backends.def >"$work/included"
    comm -13 "$work/door" "$work/included" | grep . && return 1
    [ -s "$work/included" ]
}
check "the door counts all headers of its tables" closed

# needs PROGRAM: the libraries that it is linked with.
needs() {
    readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
}
free_of_cuda() {
    needs "$1" >"$work/needs" && grep -q libc.so "$work/needs" && ! grep -E 'stdc|cuda|nv' "$work/needs"
}
for program in ert/ert gpp/ert-gpp analysis/roofline; do
    if command -v readelf >/dev/null; then
        check "$program needs neither CUDA nor libstdc++" free_of_cuda "$top_builddir/$program"
    else
        skip "$program needs neither CUDA nor libstdc++" "no readelf"
    fi
done
done_testing
