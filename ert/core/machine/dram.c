/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/machine/dram.h"

#include "ert/core/base/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that a channel moves per transfer: 64 bits of data, on DDR5 in two halves. */
static const unsigned channel_bytes = 8;

/* Values beyond these limits must be mistakes: no module or machine is near them. */
static const unsigned long max_channels = 1024, min_mt_per_s = 400, max_mt_per_s = 20000;
static const uint64_t min_bytes_per_s = 1000000, max_bytes_per_s = 1000000000000000;

/* Splits "8xDDR5-4800" or "8 x DDR5-4800" into 8 and 4800; false for another form. */
static bool split_channels(const char *text, unsigned long *channels,
                           unsigned long *mt_per_s)
{
    char count[5], generation[2], speed[6];
    int end = 0;
    if (sscanf(text, "%4[0-9] x DDR%1[345]-%5[0-9]%n", count, generation, speed, &end) !=
            3 ||
        text[end] != '\0')
        return false;
    *channels = strtoul(count, NULL, 10);
    *mt_per_s = strtoul(speed, NULL, 10);
    return true;
}

/* Reads "307.2GB/s" in bytes per second; false for another form. */
static bool split_rate(const char *text, uint64_t *bytes_per_s)
{
    char size[ERT_DRAM_TEXT];
    struct ert_error why;
    size_t length = strlen(text);
    if (length < 2 || strcmp(text + length - 2, "/s") != 0)
        return false;
    snprintf(size, sizeof size, "%.*s", (int)(length - 2), text);
    return ert_units_parse_size(size, bytes_per_s, &why) == ERT_OK;
}

enum ert_status ert_dram_parse(const char *who, const char *text, struct ert_dram *dram,
                               struct ert_error *error)
{
    unsigned long channels, mt_per_s;
    uint64_t bytes_per_s;
    bool is_short = strlen(text) < ERT_DRAM_TEXT;
    if (is_short && split_channels(text, &channels, &mt_per_s)) {
        if (channels < 1 || channels > max_channels)
            return ert_fail(error, ERT_USAGE, "%s: '%s': %lu channels, must be 1 to %lu",
                            who, text, channels, max_channels);
        if (mt_per_s < min_mt_per_s || mt_per_s > max_mt_per_s)
            return ert_fail(error, ERT_USAGE, "%s: '%s': %lu MT/s, must be %lu to %lu", who,
                            text, mt_per_s, min_mt_per_s, max_mt_per_s);
        dram->rate_bytes_per_s = (double)channels * channel_bytes * (double)mt_per_s * 1e6;
        snprintf(dram->formula, sizeof dram->formula, "%lu channel%s x %u B x %lu MT/s",
                 channels, channels == 1 ? "" : "s", channel_bytes, mt_per_s);
        return ERT_OK;
    }
    if (is_short && split_rate(text, &bytes_per_s)) {
        if (bytes_per_s < min_bytes_per_s || bytes_per_s > max_bytes_per_s)
            return ert_fail(error, ERT_USAGE, "%s: '%s': must be 1 MB/s to 1 PB/s", who,
                            text);
        dram->rate_bytes_per_s = (double)bytes_per_s;
        snprintf(dram->formula, sizeof dram->formula, "%s", text);
        return ERT_OK;
    }
    return ert_fail(error, ERT_USAGE,
                    "%s: '%.64s': must be channels, DDR3 to DDR5 and MT/s, such as "
                    "8xDDR5-4800, or a rate such as 307.2GB/s",
                    who, text);
}

bool ert_dram_is_stated(const struct ert_device *device, const char *level)
{
    return *device->cpu.dram_stated && strcmp(level, "DRAM") == 0;
}

enum ert_status ert_dram_state(struct ert_machine *machine, const char *text,
                               struct ert_error *error)
{
    bool is_used = false;
    for (uint32_t i = 0; i < machine->n_devices; i++) {
        struct ert_device *device = &machine->devices[i];
        if (device->kind != ERT_DEVICE_CPU || !ert_device_level(device, "DRAM"))
            continue;
        snprintf(device->cpu.dram_stated, sizeof device->cpu.dram_stated, "%s", text);
        is_used = true;
    }
    if (is_used)
        return ERT_OK;
    return ert_fail(error, ERT_USAGE,
                    "DRAM bandwidth %s: this machine has no memory level named DRAM", text);
}
