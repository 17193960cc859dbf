/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/core/points/strings.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void rfl_name_cut(const char *name, char *text, size_t size)
{
    if (strlen(name) < size)
        memcpy(text, name, strlen(name) + 1);
    else
        snprintf(text, size, "%.*s..", (int)ert_utf8_fit(name, size - 3), name);
}

char *rfl_text_kind(const char *text)
{
    char *kind = ert_xstrdup(text), *to = kind;
    for (const char *at = text; *at; at++) {
        const char before = at > text ? at[-1] : ' ';
        if ((before == ' ' || before == '(') && isdigit((unsigned char)*at))
            at += strcspn(at, " ") - !at[strcspn(at, " ")];
        else
            *to++ = *at;
    }
    *to = '\0';
    return kind;
}
