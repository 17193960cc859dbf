#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Writes ert/ext/module/door_tables.h to stdout: door.sh HEADER...: a checksum of the code of the headers
# that say what a module's tables hold, so that a program takes no module whose tables mean something else.
# Comments and blanks do not count.
sum=$(cat "$@" | tr '\n\t' '  ' | sed 's:/\*[^*]*\*\**\([^/*][^*]*\*\**\)*/::g' | tr -d ' ' | cksum)
printf '/* Written by door.sh at build time. */\n#define ERT_DOOR_TABLES "%s"\n' "${sum%% *}"
