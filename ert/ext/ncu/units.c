/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/ncu/units.h"

#include "ert/core/base/error.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* What a unit's word counts. */
enum base { BASE_SECOND, BASE_BYTE, BASE_HZ, BASE_CYCLE, BASE_PERCENT, BASE_COUNT };

static const struct {
    const char *word;
    enum base base;
} words[] = {
    {"second",   BASE_SECOND },
    {"sec",      BASE_SECOND },
    {"s",        BASE_SECOND },
    {"byte",     BASE_BYTE   },
    {"Byte",     BASE_BYTE   },
    {"Bytes",    BASE_BYTE   },
    {"B",        BASE_BYTE   },
    {"hz",       BASE_HZ     },
    {"Hz",       BASE_HZ     },
    {"cycle",    BASE_CYCLE  },
    {"%",        BASE_PERCENT},
    {"",         BASE_COUNT  },
    {"inst",     BASE_COUNT  },
    {"sector",   BASE_COUNT  },
    {"thread",   BASE_COUNT  },
    {"warp",     BASE_COUNT  },
    {"register", BASE_COUNT  },
};

/* What a prefix multiplies by, 0 for no prefix that is known: of times m to n, else k to P, Ki to Ti. */
static double prefix_factor(const char *text, size_t length, bool is_time)
{
    static const char big[] = "kMGTP", small[] = "mun";
    bool is_binary = length == 2 && text[1] == 'i' && !is_time && strchr("KMGT", *text);
    const char *letters = is_time ? small : big;
    if (length == 0)
        return 1;
    const char *at = strchr(letters, *text == 'K' && !is_time ? 'k' : *text);
    if (!at || (length > 1 && !is_binary))
        return 0;
    double power = (double)(at - letters + 1);
    return is_time ? 1 / pow(1000, power) : pow(is_binary ? 1024 : 1000, power);
}

/* One word of a unit, as "Mbyte" or "nsecond" are. */
static bool units_read_word(const char *text, size_t length, enum base *base,
                            double *factor)
{
    for (size_t w = 0; w < ERT_LENGTH(words); w++) {
        size_t n = strlen(words[w].word);
        if (n > length || strncmp(text + length - n, words[w].word, n) != 0)
            continue;
        *base = words[w].base;
        *factor = prefix_factor(text, length - n, *base == BASE_SECOND);
        if (*factor > 0)
            return true;
    }
    return false;
}

bool ert_units_read(const char *unit, enum ert_measure *measure, double *factor)
{
    size_t length = strcspn(unit, "/");
    enum base above, below = BASE_COUNT;
    double divisor = 1;
    if (!units_read_word(unit, length, &above, factor) ||
        (unit[length] &&
         !units_read_word(unit + length + 1, strlen(unit + length + 1), &below, &divisor)))
        return false;
    bool per_second = unit[length] && below == BASE_SECOND, whole = !unit[length];
    *factor /= divisor;
    *measure = above == BASE_SECOND && whole       ? ERT_IN_SECONDS
               : above == BASE_BYTE && whole       ? ERT_IN_BYTES
               : above == BASE_BYTE && per_second  ? ERT_IN_BYTES_PER_S
               : above == BASE_HZ && whole         ? ERT_IN_HZ
               : above == BASE_CYCLE && per_second ? ERT_IN_HZ
               : above == BASE_PERCENT && whole    ? ERT_IN_PERCENT
                                                   : ERT_IN_COUNTS;
    return *measure != ERT_IN_COUNTS || above == BASE_CYCLE || above == BASE_COUNT;
}
