#include "ert/validate/symbols.h"

#include "ert/validate/tool.h"

#include <ctype.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void ert_symbols_program(char *path, size_t size)
{
    /* Not "self": it is another program that opens it. */
    snprintf(path, size, "/proc/%ld/exe", (long)getpid());
}

/* The first object that the loader names is the program. */
static int keep_base(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    *(uint64_t *)context = info->dlpi_addr;
    return 1;
}

uint64_t ert_symbols_address(const void *function)
{
    uint64_t base = 0;
    dl_iterate_phdr(keep_base, &base);
    return (uint64_t)(uintptr_t)function - base;
}

enum ert_status ert_symbols_read(char **text, struct ert_error *error)
{
    char nm[256], program[64];
    struct ert_tool_output output;
    ERT_TRY(ert_tool_find("nm", NULL, nm, sizeof nm, error));
    ert_symbols_program(program, sizeof program);
    const char *const argv[] = {nm, program, NULL};
    ERT_TRY(ert_tool_run(argv, 30, &output, error));
    if (output.exit_code != 0 || !*output.out) {
        ert_tool_free(&output);
        return ert_fail(error, ERT_UNAVAILABLE, "the program has no symbols: stripped");
    }
    *text = output.out;
    output.out = NULL;
    ert_tool_free(&output);
    return ERT_OK;
}

bool ert_symbols_name(const char *text, uint64_t address, char *name, size_t size)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        char *end;
        unsigned long long at = strtoull(text, &end, 16);
        /* "000000000004d700 t NAME"; undefined ones have no address. */
        if (end != text && at == address && *end == ' ' && strchr("tTwW", end[1]) &&
            end[2] == ' ') {
            snprintf(name, size, "%.*s", (int)(text + length - (end + 3)), end + 3);
            return true;
        }
        text += length + (text[length] != '\0');
    }
    return false;
}

bool ert_symbols_base_name(const char *mangled, char *name, size_t size)
{
    if (strncmp(mangled, "_Z", 2) != 0)
        return false;
    mangled += 2 + (mangled[2] == 'L'); /* L: of internal linkage */
    size_t digits = 0, length = 0;
    while (isdigit((unsigned char)mangled[digits]) && digits < 4)
        length = 10 * length + (size_t)(mangled[digits++] - '0');
    if (length == 0 || length >= size || strlen(mangled + digits) < length)
        return false;
    snprintf(name, size, "%.*s", (int)length, mangled + digits);
    return true;
}
