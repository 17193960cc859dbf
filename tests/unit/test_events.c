/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * events: the raw events of each core against numbers of the public tables (Linux's pmu-events of amdzen1 to
 * amdzen5, illumos' amdpmc, Intel's FP_ARITH_INST_RETIRED), written down here once more; who gets which; and
 * what a core has no event for.
 */
#include "tests/unit/test.h"

#include "ert/ext/validate/perf.h"

#define INTEL "GenuineIntel"
#define AMD   "AuthenticAMD"

static struct ert_cpu cpu_of(const char *vendor, uint32_t family, uint32_t model)
{
    struct ert_cpu cpu = {.family = family, .model = model};
    snprintf(cpu.vendor, sizeof cpu.vendor, "%s", vendor);
    return cpu;
}

/* A server of each generation. */
enum { XEON, NAPLES, ROME, MILAN, GENOA, TURIN, N_SERVERS };
static const struct {
    const char *vendor;
    uint32_t family, model;
} servers[N_SERVERS] = {
    [XEON] = {INTEL, 0x06, 0x8f},
      [NAPLES] = {AMD,   0x17, 0x01},
      [ROME] = {AMD,   0x17, 0x31},
    [MILAN] = {AMD,   0x19, 0x01},
      [GENOA] = {AMD,   0x19, 0x11},
      [TURIN] = {AMD,   0x1a, 0x02},
};

static struct ert_cpu server(int i)
{
    return cpu_of(servers[i].vendor, servers[i].family, servers[i].model);
}

/* The events are those of the list, 0-terminated, each of one weight. */
static void assert_events(const char *what, size_t row, struct ert_events events,
                          const uint64_t *wanted, double weight)
{
    size_t n = 0;
    while (n < ERT_MAX_EVENTS && wanted[n])
        n++;
    if (events.n != n)
        fail_msg("%s, row %zu: %zu events, should be %zu", what, row, events.n, n);
    for (size_t i = 0; i < n; i++)
        if (events.list[i].config != wanted[i] || events.list[i].weight != weight)
            fail_msg("%s, row %zu: %#llx x %g, should be %#llx x %g", what, row,
                     (unsigned long long)events.list[i].config, events.list[i].weight,
                     (unsigned long long)wanted[i], weight);
}

static void operations_have_the_events_of_the_tables(void **state)
{
    (void)state;
    static const struct {
        int server;
        enum ert_type type;
        uint32_t vector_bytes;
        uint64_t wanted[ERT_MAX_EVENTS];
        double weight;
    } rows[] = {
        {XEON,   ERT_FP64, 16, {0x04c7}, 2 },
        {XEON,   ERT_FP64, 32, {0x10c7}, 4 },
        {XEON,   ERT_FP64, 64, {0x40c7}, 8 },
        {XEON,   ERT_FP32, 16, {0x08c7}, 4 },
        {XEON,   ERT_FP32, 32, {0x20c7}, 8 },
        {XEON,   ERT_FP32, 64, {0x80c7}, 16},
        {XEON,   ERT_FP64, 8,  {0},      0 },
        {XEON,   ERT_BF16, 64, {0},      0 },
        {NAPLES, ERT_FP64, 32, {0xf003}, 1 }, /* 0x80 + 0x40 + 0x20 + 0x10 */
        {NAPLES, ERT_FP32, 32, {0x0f03}, 1 }, /* 0x08 + 0x04 + 0x02 + 0x01 */
        {ROME,   ERT_FP64, 32, {0xff03}, 1 },
        {ROME,   ERT_FP32, 16, {0xff03}, 1 },
        {MILAN,  ERT_FP64, 8,  {0xff03}, 1 },
        {MILAN,  ERT_FP32, 32, {0xff03}, 1 },
        {GENOA,  ERT_FP64, 64, {0x1f03}, 1 },
        {GENOA,  ERT_FP32, 64, {0x1f03}, 1 },
        {GENOA,  ERT_BF16, 64, {0x1003}, 1 },
        {TURIN,  ERT_FP64, 64, {0x0f03}, 1 },
        {TURIN,  ERT_FP32, 64, {0x0f03}, 1 },
        {TURIN,  ERT_BF16, 64, {0},      0 },
        {ROME,   ERT_BF16, 32, {0},      0 },
        {TURIN,  ERT_FP16, 64, {0},      0 },
        {TURIN,  ERT_INT8, 64, {0},      0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct ert_cpu cpu = server(rows[i].server);
        assert_events("operations", i,
                      ert_events_operations(&cpu, rows[i].type, rows[i].vector_bytes),
                      rows[i].wanted, rows[i].weight);
    }
}

/* Of all widths: the first shows whether counters may be opened at all. */
static void operations_of_all_widths(void **state)
{
    (void)state;
    const struct ert_cpu xeon = server(XEON), turin = server(TURIN);
    struct ert_events events = ert_events_operations(&xeon, ERT_FP64, 0);
    assert_int_equal(events.n, 3);
    for (size_t i = 0; i < 3; i++) {
        static const uint64_t configs[] = {0x04c7, 0x10c7, 0x40c7};
        assert_int_equal(events.list[i].config, configs[i]);
        assert_true(events.list[i].weight == (double)(2 << i));
    }
    assert_int_equal(ert_events_operations(&turin, ERT_FP64, 0).n, 1);
}

static void accesses_are_counted_up_to_the_width_of_the_path(void **state)
{
    (void)state;
    static const uint64_t intel[ERT_MAX_EVENTS] = {0x81d0, 0x82d0}, none[1] = {0};
    static const uint64_t amd[ERT_MAX_EVENTS] = {0x0329}; /* ls_dispatch, 0x01 + 0x02 */
    static const struct {
        int server;
        const uint64_t *narrow, *at_32, *at_64;
    } rows[] = {
        {XEON,   intel, intel, intel},
        {NAPLES, amd,   none,  none },
        {ROME,   amd,   amd,   none },
        {MILAN,  amd,   amd,   none },
        {GENOA,  amd,   amd,   none },
        {TURIN,  amd,   amd,   amd  },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct ert_cpu cpu = server(rows[i].server);
        assert_events("accesses", i, ert_events_accesses(&cpu, 16), rows[i].narrow, 16);
        assert_events("accesses", i, ert_events_accesses(&cpu, 32), rows[i].at_32, 32);
        assert_events("accesses", i, ert_events_accesses(&cpu, 64), rows[i].at_64, 64);
    }
    const struct ert_cpu mobile = cpu_of(AMD, 0x1a, 0x24);
    assert_int_equal(ert_events_accesses(&mobile, 32).n, 1);
    assert_int_equal(ert_events_accesses(&mobile, 64).n, 0);
}

/*
 * Zen, Zen 2: 0x01 L2, 0x02 L3 or another CCX, 0x08 DRAM, 0x10 and 0x40 the same of another die. Zen 3:
 * also 0x04, another CCX. Zen 4 and Zen 5: also 0x80, other memories; .all is 0xff.
 */
static void fills_are_those_of_deeper_sources(void **state)
{
    (void)state;
    static const struct {
        int server;
        const char *beyond;
        uint64_t wanted[ERT_MAX_EVENTS];
    } rows[] = {
        {NAPLES, "L1",   {0x5b43, 0x5b59, 0x5b5a}},
        {NAPLES, "L2",   {0x5a43, 0x5a59, 0x5a5a}},
        {ROME,   "L1",   {0x5b43, 0x5b59, 0x5b5a}},
        {ROME,   "L2",   {0x5a43, 0x5a59, 0x5a5a}},
        {ROME,   "L3",   {0x5843, 0x5859, 0x585a}},
        {MILAN,  "L1",   {0x5f44}                },
        {MILAN,  "L2",   {0x5e44}                },
        {MILAN,  "L3",   {0x5c44}                },
        {GENOA,  "L1",   {0xff44}                },
        {GENOA,  "L2",   {0xfe44}                },
        {GENOA,  "L3",   {0xdc44}                },
        {TURIN,  "L1",   {0xff44}                },
        {TURIN,  "L2",   {0xfe44}                },
        {TURIN,  "L3",   {0xdc44}                },
        {TURIN,  "DRAM", {0}                     },
        {XEON,   "L1",   {0}                     },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct ert_cpu cpu = server(rows[i].server);
        assert_events("fills", i, ert_events_fills(&cpu, rows[i].beyond), rows[i].wanted,
                      64);
    }
}

/* Linux's arch/x86/kernel/cpu/amd.c and what a load's path is wide, once more; the mask tells generations. */
static const struct range {
    const char *vendor;
    uint32_t family, first, last;
    uint64_t fp64;
    uint32_t path_bytes;
} ranges[] = {
    {INTEL, 6,    0x00, 0xff, 0x04c7, 64},
    {AMD,   0x17, 0x00, 0x2f, 0xf003, 16},
    {AMD,   0x17, 0x30, 0x4f, 0xff03, 32},
    {AMD,   0x17, 0x50, 0x5f, 0xf003, 16},
    {AMD,   0x17, 0x60, 0x7f, 0xff03, 32},
    {AMD,   0x17, 0x90, 0x91, 0xff03, 32},
    {AMD,   0x17, 0xa0, 0xaf, 0xff03, 32},
    {AMD,   0x19, 0x00, 0x0f, 0xff03, 32},
    {AMD,   0x19, 0x10, 0x1f, 0x1f03, 32},
    {AMD,   0x19, 0x20, 0x5f, 0xff03, 32},
    {AMD,   0x19, 0x60, 0xaf, 0x1f03, 32},
    {AMD,   0x1a, 0x00, 0x1f, 0x0f03, 64},
    {AMD,   0x1a, 0x20, 0x2f, 0x0f03, 32},
    {AMD,   0x1a, 0x40, 0x4f, 0x0f03, 64},
    {AMD,   0x1a, 0x60, 0x7f, 0x0f03, 32},
};

static const struct range *range_of(const struct ert_cpu *cpu)
{
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (strcmp(cpu->vendor, ranges[i].vendor) == 0 && cpu->family == ranges[i].family &&
            cpu->model >= ranges[i].first && cpu->model <= ranges[i].last)
            return &ranges[i];
    return NULL;
}

/* Every model that there can be, Zen 6 (1Ah, 50h) among the unknown. */
static void models_have_the_rows_of_their_generation(void **state)
{
    (void)state;
    for (uint32_t family = 0; family < 0x20; family++)
        for (uint32_t i = 0; i < 0x200; i++) {
            const struct ert_cpu cpu = cpu_of(i < 0x100 ? AMD : INTEL, family, i % 0x100);
            struct ert_events events = ert_events_operations(&cpu, ERT_FP64, 16);
            const struct range *range = range_of(&cpu);
            struct ert_error error;
            uint32_t path_bytes = 0;
            for (uint32_t bytes = 1; bytes <= 128; bytes++)
                if (ert_events_accesses(&cpu, bytes).n)
                    path_bytes = bytes;
            if ((events.n ? events.list[0].config : 0) != (range ? range->fp64 : 0) ||
                path_bytes != (range ? range->path_bytes : 0) ||
                ert_events_known(&cpu, &error) != (range ? ERT_OK : ERT_UNAVAILABLE))
                fail_msg("%s %Xh %Xh: %#llx, %u bytes", cpu.vendor, cpu.family, cpu.model,
                         (unsigned long long)events.list[0].config, path_bytes);
        }
}

static void unknown_cores_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *vendor;
        uint32_t family, model;
        const char *text;
    } rows[] = {
        {AMD,   0x1b, 0x01,
         "no table of hardware events for AuthenticAMD family 1Bh model 1h"             },
        {"ARM", 0x41, 0xd40, "no table of hardware events for ARM family 41h model D40h"},
        {"",    0,    0,     "no table of hardware events for this CPU"                 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct ert_cpu cpu = cpu_of(rows[i].vendor, rows[i].family, rows[i].model);
        struct ert_error error;
        assert_int_equal(ert_events_known(&cpu, &error), ERT_UNAVAILABLE);
        assert_string_equal(error.text, rows[i].text);
        assert_int_equal(ert_events_operations(&cpu, ERT_FP64, 16).n, 0);
        assert_int_equal(ert_events_accesses(&cpu, 16).n, 0);
        assert_int_equal(ert_events_fills(&cpu, "L1").n, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_have_the_events_of_the_tables),
        cmocka_unit_test(operations_of_all_widths),
        cmocka_unit_test(accesses_are_counted_up_to_the_width_of_the_path),
        cmocka_unit_test(fills_are_those_of_deeper_sources),
        cmocka_unit_test(models_have_the_rows_of_their_generation),
        cmocka_unit_test(unknown_cores_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
