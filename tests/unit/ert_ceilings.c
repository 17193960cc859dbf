/* ert_ceilings FILE OUT: a roofline.json of LBNL's ERT as ceilings.json, for test_export.sh. */
#include "analysis/import/ert_json.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    struct ert_error error = {ERT_USAGE, "usage: ert_ceilings FILE OUT"};
    struct ert_ceilings ceilings = {0};
    enum ert_status status =
        argc == 3 ? rfl_ert_read(argv[1], &ceilings, &error) : ERT_USAGE;
    if (status == ERT_OK)
        status = ert_ceilings_write(argv[2], &ceilings, &error);
    ert_ceilings_free(&ceilings);
    if (status != ERT_OK)
        fprintf(stderr, "ert_ceilings: %s\n", error.text);
    return status;
}
