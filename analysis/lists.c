#include "analysis/lists.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void rfl_append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

void rfl_append_item(char *text, size_t size, const char *item)
{
    rfl_append(text, size, "%s%s", *text ? ", " : "", item);
}

void rfl_names_add(struct rfl_names *names, size_t limit, const char *name)
{
    if (strlen(names->text) + strlen(name) + 3 > limit)
        names->left_out++;
    else
        rfl_append_item(names->text, sizeof names->text, name);
}

const char *rfl_names_end(struct rfl_names *names)
{
    if (names->left_out)
        rfl_append(names->text, sizeof names->text, " and %zu more", names->left_out);
    return names->text;
}
