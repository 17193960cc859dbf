/* SPDX-License-Identifier: BSD-3-Clause */
/* list_roofs FILE: what libroofline says of a file, for test_readers.py: tab-separated, one answer a line. */
#include "analysis/ext/lib/roofline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct roofline *roofline;
    struct roofline_roof roof;
    char why[512];
    if (argc != 2 || roofline_open(argv[1], &roofline, why, sizeof why) != ROOFLINE_OK) {
        fprintf(stderr, "%s\n", argc != 2 ? "usage: list_roofs FILE" : why);
        return 2;
    }
    for (size_t d = 0; roofline_device(roofline, d); d++) {
        const char *device = roofline_device(roofline, d);
        for (size_t i = 0; roofline_roof(roofline, device, i, &roof); i++) {
            const int is_peak = roof.kind == ROOFLINE_PEAK;
            /* Bytes from and to the host or other nodes are no level of the device. */
            if (strcmp(roof.level, "host") == 0 || strcmp(roof.level, "NET") == 0)
                continue;
            printf("%s\t%s\t%.17g\t%.17g\t%.17g\t%d\n", device, roof.name, roof.value,
                   roof.low, roof.high, roof.is_best);
            /* A share that is none had the full peak. */
            if (!isnan(roofline_peak(roofline, device, roof.type, "", NAN)) ||
                !isnan(roofline_peak(roofline, device, roof.type, "", 1.1)) ||
                !isnan(roofline_peak(roofline, device, roof.type, "", -0.1))) {
                fprintf(stderr, "%s: a peak for a share of FMA that is none\n", roof.name);
                return 1;
            }
            if (is_peak)
                printf("%s\tpeak %s\t%.17g\n", device, roof.type,
                       roofline_peak(roofline, device, roof.type, "", 1));
            else
                printf("%s\tbandwidth %s\t%.17g\n", device, roof.level,
                       roofline_bandwidth(roofline, device, roof.level));
        }
    }
    roofline_close(roofline);
    return 0;
}
