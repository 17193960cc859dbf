#include "ert/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum ert_status ert_fail(struct ert_error *error, enum ert_status status,
                         const char *format, ...)
{
    if (!error)
        return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    error->status = status;
    return status;
}

void ert_list_add(char *list, size_t size, const char *name)
{
    size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%s", used ? ", " : "", name);
}
