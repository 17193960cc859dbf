/* SPDX-License-Identifier: BSD-3-Clause */
/* theory, CPUs: peaks that were computed by hand, and parts that nobody knows. */
#include "tests/unit/theory_fixture.h"

#include "ert/core/machine/dram.h"

/* Knights Landing 7210: 64 x 8 x 2 x 2 = 2048 flop per clock. */
static void knights_landing(void **state)
{
    struct ert_device device = cpu("GenuineIntel", 6, 0x57, 64, 1.2e9);
    device.boost_hz = 1.3e9;
    ert_backend_peaks(&device, 0, 0, peaks, &n_peaks);
    assert_close(value("fp64-fma", "base"), 2.4576e12, 1e-12);
    assert_close(value("fp64-fma", "boost"), 2.6624e12, 1e-12);
    assert_close(value("fp64-add", "base"), 1.2288e12, 1e-12);
    assert_close(value("fp32-fma", "base"), 4.9152e12, 1e-12);
    assert_close(value("L1-load", "base"), 64 * 128 * 1.2e9, 1e-12);
    assert_contains(row("fp64-fma")->formula,
                    "64 cores x 2 units x 8 lanes x 2 flop x 1.200 GHz");
    assert_contains(row("L1-load")->formula, "64 cores x 128 B x 1.200 GHz");
    ert_backend_peaks(&device, 16, 0, peaks, &n_peaks);
    assert_close(value("fp64-fma", "base"), 2.4576e12 / 4, 1e-12);
}

/* Flop per clock and core of FP64 FMA, add and mul, and L1 bytes: from the vendors' manuals. */
static void core_table(void **state)
{
    static const struct {
        const char *vendor;
        uint32_t family, model;
        double fma, add, mul, load, store, triad;
    } expected[] = {
        {"GenuineIntel", 6,    0x2d,  0,  4,  4,  32,  16, 48 },
        {"GenuineIntel", 6,    0x3f,  16, 4,  8,  64,  32, 96 },
        {"GenuineIntel", 6,    0x4f,  16, 4,  8,  64,  32, 96 },
        {"GenuineIntel", 6,    0x9e,  16, 8,  8,  64,  32, 96 },
        {"GenuineIntel", 6,    0x6a,  32, 16, 16, 128, 64, 192},
        {"GenuineIntel", 6,    0x7e,  16, 8,  8,  128, 64, 192},
        {"GenuineIntel", 6,    0x8f,  32, 16, 16, 128, 64, 192},
        {"GenuineIntel", 6,    0xcf,  32, 16, 16, 128, 64, 192},
        {"GenuineIntel", 6,    0xad,  32, 16, 16, 128, 64, 192},
        {"AuthenticAMD", 0x17, 0x01,  8,  4,  4,  32,  16, 32 },
        {"AuthenticAMD", 0x17, 0x50,  8,  4,  4,  32,  16, 32 },
        {"AuthenticAMD", 0x17, 0x60,  16, 8,  8,  64,  32, 96 },
        {"AuthenticAMD", 0x17, 0x31,  16, 8,  8,  64,  32, 96 },
        {"AuthenticAMD", 0x19, 0x01,  16, 8,  8,  64,  32, 96 },
        {"AuthenticAMD", 0x19, 0x11,  16, 8,  8,  64,  32, 96 },
        {"AuthenticAMD", 0x1a, 0x02,  32, 16, 16, 128, 64, 192},
        {"ARM",          0x41, 0xd0c, 8,  4,  4,  0,   0,  0  },
        {"ARM",          0x41, 0xd40, 16, 8,  8,  0,   0,  0  },
        {"ARM",          0x41, 0xd4f, 16, 8,  8,  0,   0,  0  },
        {"Fujitsu",      0x46, 0x001, 32, 16, 16, 128, 64, 0  },
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct ert_device device =
            cpu(expected[i].vendor, expected[i].family, expected[i].model, 1, 1e9);
        ert_backend_peaks(&device, 0, 0, peaks, &n_peaks);
        assert_true(row("fp64-fma")->per_clock == expected[i].fma);
        assert_true(row("fp64-add")->per_clock == expected[i].add);
        assert_true(row("fp64-mul")->per_clock == expected[i].mul);
        assert_true(row("fp32-fma")->per_clock == 2 * expected[i].fma);
        assert_true(row("L1-load")->per_clock == expected[i].load);
        assert_true(row("L1-store")->per_clock == expected[i].store);
        assert_true(row("L1-add")->per_clock == expected[i].triad);
        assert_true(row("L1-triad")->per_clock == expected[i].triad);
    }
}

/* The one store port of Intel's server cores binds a copy: 128 B per clock, not 192. */
static void copy_is_bound_by_the_store_port(void **state)
{
    struct ert_device device = cpu("GenuineIntel", 6, 0x8f, 2, 2e9);
    ert_backend_peaks(&device, 0, 3e9, peaks, &n_peaks);
    assert_close(value("L1-copy", "held"), 2 * 128 * 3e9, 1e-12);
    assert_close(value("L1-add", "held"), 2 * 192 * 3e9, 1e-12);
}

static void skylake_server_by_name(void **state)
{
    static const struct {
        const char *name;
        double fma; /* flop per clock; 0 unknown */
    } expected[] = {
        {"Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz",     32},
        {"Intel(R) Xeon(R) Platinum 8174 CPU @ 3.10GHz", 32},
        {"Intel(R) Xeon(R) Gold 5122 CPU @ 3.60GHz",     32},
        {"Intel(R) Xeon(R) Gold 5118 CPU @ 2.30GHz",     16},
        {"Intel(R) Xeon(R) Silver 4110 CPU @ 2.10GHz",   16},
        {"Intel Xeon Processor (Skylake, IBRS)",         0 },
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct ert_device device = cpu("GenuineIntel", 6, 0x55, 1, 1e9);
        snprintf(device.name, sizeof device.name, "%s", expected[i].name);
        ert_backend_peaks(&device, 0, 0, peaks, &n_peaks);
        assert_true(row("fp64-fma")->per_clock == expected[i].fma);
        assert_true((row("fp64-fma")->unknown[0] != 0) == (expected[i].fma == 0));
        assert_true(row("L1-load")->per_clock == 128);
    }
}

/* What programs may not use does not count. */
static void features_limit_the_width(void **state)
{
    struct ert_device device = cpu("GenuineIntel", 6, 0x8f, 1, 1e9);
    device.cpu.isa = (struct ert_isa){.sse2 = true, .avx = true, .avx2 = true, .fma = true};
    ert_backend_peaks(&device, 0, 0, peaks, &n_peaks);
    assert_true(row("fp64-fma")->per_clock == 16);
    assert_true(row("L1-load")->per_clock == 96);
    device.cpu.isa.fma = false;
    ert_backend_peaks(&device, 0, 0, peaks, &n_peaks);
    assert_contains(row("fp64-fma")->unknown, "no FMA");
    assert_true(row("fp64-add")->per_clock == 8);
}

/* A hypervisor shows Rocket Lake, which has one 512-bit unit and no AMX, but AMX is there. */
static void amx_unmasks_a_hidden_model(void **state)
{
    struct ert_device device = cpu("GenuineIntel", 6, 167, 2, 2.6e9);
    device.cpu.isa = (struct ert_isa){
        .sse2 = true, .avx = true, .avx2 = true, .fma = true, .avx512f = true};
    ert_backend_peaks(&device, 0, 0, peaks, &n_peaks);
    assert_true(row("fp64-fma")->per_clock == 2 * 16);
    device.cpu.isa.amx_tile = true;
    ert_backend_peaks(&device, 0, 0, peaks, &n_peaks);
    assert_close(value("fp64-fma", "base"), 2 * 2 * 8 * 2 * 2.6e9, 1e-12);
    assert_close(value("L1-add", "base"), 2 * 192 * 2.6e9, 1e-12);
    assert_contains(row("fp64-fma")->source, "by AMX, which model 0xa7 lacks");
}

/* Sapphire Rapids with all of its extensions. */
static struct ert_device sapphire_rapids(void)
{
    struct ert_device device = cpu("GenuineIntel", 6, 0x8f, 2, 2e9);
    device.cpu.isa = (struct ert_isa){.sse2 = true,
                                      .avx = true,
                                      .avx2 = true,
                                      .fma = true,
                                      .avx512f = true,
                                      .avx512bf16 = true,
                                      .avx512fp16 = true,
                                      .avx512vnni = true,
                                      .avxvnni = true,
                                      .amx_tile = true,
                                      .amx_bf16 = true,
                                      .amx_int8 = true};
    return device;
}

/* Operations per clock of two cores: twice 2 x 32 x 2, 256 and a tile product in 16 clocks. */
static void extensions_have_peaks(void **state)
{
    struct ert_device device = sapphire_rapids();
    ert_backend_peaks(&device, 0, 3e9, peaks, &n_peaks);
    assert_true(n_peaks < ERT_MAX_PEAKS); /* none was dropped */
    assert_close(value("fp16-fma", "held"), 2 * 128 * 3e9, 1e-12);
    assert_close(value("fp16-add", "base"), 2 * 64 * 2e9, 1e-12);
    assert_close(value("fp16-mul", "base"), 2 * 64 * 2e9, 1e-12);
    assert_close(value("int8-dot", "held"), 2 * 256 * 3e9, 1e-12);
    assert_close(value("int8-dot-avxvnni", "held"), 2 * 128 * 3e9, 1e-12);
    assert_close(value("bf16-amx", "held"), 2 * 1024 * 3e9, 1e-12);
    assert_close(value("int8-amx", "held"), 2 * 2048 * 3e9, 1e-12);
    assert_string_equal(row("bf16-amx")->formula,
                        "2 cores x 1 unit x 256 lanes x 64 flop / 16 clocks x 2.000 GHz");
    assert_contains(row("bf16-amx")->source, "Intel AMX");
    for (size_t i = 0; i < n_peaks; i++) /* no text was cut */
        assert_true(strlen(peaks[i].source) < sizeof peaks[i].source - 1 &&
                    strlen(peaks[i].formula) < sizeof peaks[i].formula - 1);
}

/* Features that are not there have no peak, and no unknown one either. */
static void absent_extensions_have_no_peak(void **state)
{
    struct ert_device device = sapphire_rapids();
    device.cpu.isa.avx512fp16 = device.cpu.isa.avx512vnni = device.cpu.isa.amx_bf16 = false;
    ert_backend_peaks(&device, 0, 3e9, peaks, &n_peaks);
    for (size_t i = 0; i < n_peaks; i++)
        assert_true(strncmp(peaks[i].name, "fp16", 4) != 0 &&
                    strcmp(peaks[i].name, "int8-dot") != 0 &&
                    strcmp(peaks[i].name, "bf16-amx") != 0);
    assert_close(value("int8-amx", "held"), 2 * 2048 * 3e9, 1e-12);
}

/* Each instruction set has the peak of its own width, at one clock. */
static void lesser_instruction_sets_have_their_own(void **state)
{
    static const struct {
        const char *name;
        double per_clock;
    } expected[] = {
        {"fp64-fma",        2 * 32     },
        {"fp64-fma-avx512", 2 * 32     },
        {"fp64-fma-avx2",   2 * 16     },
        {"fp64-add-avx2",   2 * 8      },
        {"fp64-add-sse2",   2 * 4      },
        {"fp32-mul-sse2",   2 * 8      },
        {"fp64-fma-scalar", 2 * 4      },
        {"fp32-fma-scalar", 2 * 4      },
        {"fp32-add-scalar", 2 * 2      },
        {"inst-issue",      2 * 6      },
        {"fp64-div-avx2",   2 * 4 / 8. },
        {"fp64-sqrt",       2 * 8 / 24.},
        {"fp32-div-sse2",   2 * 4 / 3. },
        {"fp64-div-scalar", 2 * 1 / 4. },
    };
    struct ert_device device = sapphire_rapids();
    ert_backend_peaks(&device, 0, 3e9, peaks, &n_peaks);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const struct ert_peak *peak = ert_theory_find(peaks, n_peaks, expected[i].name);
        assert_non_null(peak);
        assert_string_equal(peak->clock, "held");
        assert_true(peak->per_clock == expected[i].per_clock);
    }
    size_t n = 0;
    for (size_t i = 0; i < n_peaks; i++)
        n += strcmp(peaks[i].name, "fp64-fma-avx2") == 0;
    assert_int_equal(n, 1);
    assert_contains(row("fp32-div")->formula, "2 cores x 16 lanes / 10 clocks");
    device = cpu("AuthenticAMD", 0x1a, 0x02, 1, 1e9); /* 16 in 2.5 clocks; no roots */
    ert_backend_peaks(&device, 0, 0, peaks, &n_peaks);
    assert_close(row("fp32-div")->per_clock, 6.4, 1e-15);
    assert_null(ert_theory_find(peaks, n_peaks, "fp64-sqrt"));
    device = cpu("ARM", 0x41, 0xd40, 1, 1e9);
    device.cpu.isa = (struct ert_isa){.neon = true, .sve = true, .fma = true};
    ert_backend_peaks(&device, 0, 0, peaks, &n_peaks);
    assert_true(ert_theory_find(peaks, n_peaks, "fp64-fma-scalar")->per_clock <
                ert_theory_find(peaks, n_peaks, "fp64-fma")->per_clock);
}

static void hybrid_and_unlisted_are_unknown(void **state)
{
    struct ert_device device = cpu("GenuineIntel", 6, 0x97, 8, 3e9);
    device.cpu.n_core_kinds = 2;
    snprintf(device.cpu.core_kinds[0].name, sizeof device.cpu.core_kinds[0].name,
             "IntelAtom");
    snprintf(device.cpu.core_kinds[1].name, sizeof device.cpu.core_kinds[1].name,
             "IntelCore");
    ert_backend_peaks(&device, 0, 0, peaks, &n_peaks);
    assert_contains(row("fp64-fma")->unknown, "IntelAtom, IntelCore");
    device = cpu("CentaurHauls", 7, 0x3b, 8, 3e9);
    ert_backend_peaks(&device, 0, 0, peaks, &n_peaks);
    assert_contains(row("fp64-fma")->unknown, "CentaurHauls family 0x7 model 0x3b");
}

static void levels_without_a_number(void **state)
{
    struct ert_device device = cpu("GenuineIntel", 6, 0x8f, 2, 1e9);
    device.n_levels = 4;
    device.levels[0] = (struct ert_level){.name = "L1", .kind = ERT_LEVEL_CACHE};
    device.levels[1] = (struct ert_level){.name = "L2", .kind = ERT_LEVEL_CACHE};
    device.levels[2] = (struct ert_level){.name = "L3", .kind = ERT_LEVEL_CACHE};
    device.levels[3] = (struct ert_level){.name = "DRAM", .kind = ERT_LEVEL_MEMORY};
    device.cpu.n_numa = 2;
    snprintf(device.cpu.numa[0].kind, sizeof device.cpu.numa[0].kind, "DRAM");
    snprintf(device.cpu.numa[1].kind, sizeof device.cpu.numa[1].kind, "DRAM");
    device.cpu.numa[0].bandwidth_bytes_per_s = 100e9;
    ert_backend_peaks(&device, 0, 0, peaks, &n_peaks);
    assert_close(value("L2-load", "base"), 128e9, 1e-12);
    assert_contains(row("DRAM")->unknown, "does not state"); /* of one node only */
    device.cpu.numa[1].bandwidth_bytes_per_s = 50e9;
    ert_backend_peaks(&device, 0, 0, peaks, &n_peaks);
    assert_close(value("DRAM", "memory"), 150e9, 1e-12);
}

/* By hand: channels x 8 B x MT/s. */
static void stated_bandwidths_by_hand(void **state)
{
    static const struct {
        const char *text;
        double rate_bytes_per_s;
        const char *formula;
    } rows[] = {
        {"8xDDR5-4800",     307.2e9,       "8 channels x 8 B x 4800 MT/s"    },
        {"8 x DDR5-4800",   307.2e9,       "8 channels x 8 B x 4800 MT/s"    },
        {"6xDDR4-2933",     140.784e9,     "6 channels x 8 B x 2933 MT/s"    },
        {"1xDDR3-1333",     10.664e9,      "1 channel x 8 B x 1333 MT/s"     },
        {"24xDDR5-12800",   2457.6e9,      "24 channels x 8 B x 12800 MT/s"  },
        {"1024xDDR4-20000", 163.84e12,     "1024 channels x 8 B x 20000 MT/s"},
        {"1xDDR4-400",      3.2e9,         "1 channel x 8 B x 400 MT/s"      },
        {"307.2GB/s",       307.2e9,       "307.2GB/s"                       },
        {"1.5 TB/s",        1.5e12,        "1.5 TB/s"                        },
        {"286 GiB/s",       307090161664., "286 GiB/s"                       },
        {"1MB/s",           1e6,           "1MB/s"                           },
        {"1PB/s",           1e15,          "1PB/s"                           },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ert_dram dram;
        struct ert_error error = {0};
        if (ert_dram_parse("here", rows[i].text, &dram, &error) != ERT_OK)
            fail_msg("%s", error.text);
        assert_true(dram.rate_bytes_per_s == rows[i].rate_bytes_per_s);
        assert_string_equal(dram.formula, rows[i].formula);
    }
}

static void bad_statements_are_refused(void **state)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"",                                  "8xDDR5-4800, or a rate"        },
        {"DDR5-4800",                         "8xDDR5-4800, or a rate"        },
        {"8xDDR6-4800",                       "DDR3 to DDR5"                  },
        {"8xLPDDR5-6400",                     "DDR3 to DDR5"                  },
        {"8xDDR5",                            "must be channels"              },
        {"8xDDR5-4800MT/s",                   "must be channels"              },
        {"8xDDR5--4800",                      "must be channels"              },
        {"-8xDDR5-4800",                      "must be channels"              },
        {" 8xDDR5-4800",                      "must be channels"              },
        {"8xDDR5-4800 ",                      "must be channels"              },
        {"12345xDDR5-4800",                   "must be channels"              },
        {"307.2",                             "must be channels"              },
        {"307.2GB",                           "must be channels"              },
        {"307.2Gb/s",                         "must be channels"              },
        {"-1GB/s",                            "must be channels"              },
        {"/s",                                "must be channels"              },
        {"8x                      DDR5-4800", "must be channels"              },
        {"0xDDR5-4800",                       "0 channels, must be 1 to 1024" },
        {"1025xDDR5-4800",                    "1025 channels"                 },
        {"8xDDR5-399",                        "399 MT/s, must be 400 to 20000"},
        {"8xDDR5-20001",                      "20001 MT/s"                    },
        {"999kB/s",                           "must be 1 MB/s to 1 PB/s"      },
        {"1.001PB/s",                         "must be 1 MB/s to 1 PB/s"      },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ert_dram dram;
        struct ert_error error = {0};
        if (ert_dram_parse("--here", rows[i].text, &dram, &error) != ERT_USAGE)
            fail_msg("accepted: %s", rows[i].text);
        assert_contains(error.text, "--here: '");
        assert_contains(error.text, rows[i].text);
        assert_contains(error.text, rows[i].words);
    }
}

static struct ert_machine *machine_with(const char *level)
{
    struct ert_machine *machine = calloc(1, sizeof *machine);
    assert_non_null(machine);
    machine->n_devices = 2;
    machine->devices[0] = gpu(9, 0, 132);
    machine->devices[1] = cpu("GenuineIntel", 6, 0x8f, 2, 1e9);
    machine->devices[1].n_levels = 2;
    machine->devices[1].levels[0] =
        (struct ert_level){.name = "MCDRAM", .kind = ERT_LEVEL_MEMORY};
    machine->devices[1].levels[1].kind = ERT_LEVEL_MEMORY;
    snprintf(machine->devices[1].levels[1].name, 16, "%s", level);
    return machine;
}

/* The user's word is the theory of DRAM, not of other memories, and beats the platform's. */
static void what_is_stated_is_the_theory_of_dram(void **state)
{
    struct ert_error error = {0};
    struct ert_machine *machine = machine_with("DRAM");
    struct ert_device *device = &machine->devices[1];
    snprintf(machine->devices[0].levels[0].name, 16, "DRAM"); /* a GPU's GDDR */
    assert_int_equal(ert_dram_state(machine, "8xDDR5-4800", &error), ERT_OK);
    assert_string_equal(device->cpu.dram_stated, "8xDDR5-4800");
    assert_string_equal(machine->devices[0].cpu.dram_stated, "");
    ert_backend_peaks(device, 0, 0, peaks, &n_peaks);
    assert_close(value("DRAM", "memory"), 307.2e9, 1e-12);
    assert_string_equal(row("DRAM")->formula, "as stated: 8 channels x 8 B x 4800 MT/s");
    assert_string_equal(row("DRAM")->source, "stated by the user (8xDDR5-4800)");
    assert_true(ert_theory_find(peaks, n_peaks, "DRAM-load2_store1") == row("DRAM"));
    assert_contains(row("MCDRAM")->unknown, "does not state");

    device->cpu.n_numa = 2;
    device->cpu.numa[0] =
        (struct ert_numa_node){.kind = "DRAM", .bandwidth_bytes_per_s = 100e9};
    device->cpu.numa[1] =
        (struct ert_numa_node){.kind = "DRAM", .bandwidth_bytes_per_s = 50e9};
    ert_backend_peaks(device, 0, 0, peaks, &n_peaks);
    assert_close(value("DRAM", "memory"), 307.2e9, 1e-12);
    assert_string_equal(row("DRAM")->source,
                        "stated by the user (8xDDR5-4800), in place of "
                        "the platform's 150.0 GB/s (ACPI HMAT)");

    snprintf(device->cpu.dram_stated, sizeof device->cpu.dram_stated, "much");
    ert_backend_peaks(device, 0, 0, peaks, &n_peaks);
    assert_contains(row("DRAM")->unknown, "dram_stated: 'much': must be");
    free(machine);
}

static void without_dram_nothing_can_be_stated(void **state)
{
    struct ert_error error = {0};
    struct ert_machine *machine = machine_with("memory");
    assert_int_equal(ert_dram_state(machine, "8xDDR5-4800", &error), ERT_USAGE);
    assert_string_equal(error.text,
                        "DRAM bandwidth 8xDDR5-4800: this machine has no memory "
                        "level named DRAM");
    assert_string_equal(machine->devices[1].cpu.dram_stated, "");
    free(machine);
}

/* The clock is all that is missing: the work per clock stands. */
static void no_clock(void **state)
{
    struct ert_device device = cpu("AuthenticAMD", 0x19, 0x11, 192, 0);
    ert_backend_peaks(&device, 0, 0, peaks, &n_peaks);
    assert_true(row("fp64-fma")->per_clock == 192 * 16);
    assert_true(row("fp64-fma")->value == 0);
    assert_string_equal(row("fp64-fma")->unknown, "no clock is known");
    assert_null(ert_theory_find(peaks, n_peaks, "fp64-fma"));
}

/* Without one of its own name a ceiling would be compared with nothing, and nobody would see it. */
static void every_pattern_has_a_theory_of_l1(void **state)
{
    struct ert_device device = cpu("GenuineIntel", 6, 0x57, 64, 1.3e9);
    ert_backend_peaks(&device, 0, 0, peaks, &n_peaks);
    for (int i = 0; i < ERT_N_KERNELS; i++) {
        const struct ert_kernel *kernel = ert_kernel_row((enum ert_kernel_id)i);
        char name[64];
        if (kernel->kind != ERT_KIND_MEMORY || (kernel->limits & ERT_MEMORY_ONLY))
            continue;
        snprintf(name, sizeof name, "L1-%s", kernel->op);
        assert_true(row(name)->per_clock > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knights_landing),
        cmocka_unit_test(core_table),
        cmocka_unit_test(copy_is_bound_by_the_store_port),
        cmocka_unit_test(skylake_server_by_name),
        cmocka_unit_test(features_limit_the_width),
        cmocka_unit_test(amx_unmasks_a_hidden_model),
        cmocka_unit_test(extensions_have_peaks),
        cmocka_unit_test(absent_extensions_have_no_peak),
        cmocka_unit_test(lesser_instruction_sets_have_their_own),
        cmocka_unit_test(hybrid_and_unlisted_are_unknown),
        cmocka_unit_test(levels_without_a_number),
        cmocka_unit_test(stated_bandwidths_by_hand),
        cmocka_unit_test(bad_statements_are_refused),
        cmocka_unit_test(what_is_stated_is_the_theory_of_dram),
        cmocka_unit_test(without_dram_nothing_can_be_stated),
        cmocka_unit_test(no_clock),
        cmocka_unit_test(every_pattern_has_a_theory_of_l1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
