#include "ert/base/error.h"

#include <stdarg.h>
#include <stdio.h>

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
