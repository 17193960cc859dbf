/* SPDX-License-Identifier: BSD-3-Clause */
/* units: texts and parsing, against values converted by hand. */
#include "tests/unit/test.h"

#include "ert/core/base/units.h"

struct formatted {
    double value;
    const char *text;
};

static void check(struct ert_text (*format)(double), const struct formatted *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(format(rows[i].value).text, rows[i].text);
    }
}

#define CHECK(format, rows) check(format, rows, sizeof(rows) / sizeof(rows)[0])

static void bandwidths(void **state)
{
    static const struct formatted rows[] = {
        {4622.3e9,  "4622 GB/s"  },
        {33.27e12,  "33.27 TB/s" },
        {10e12,     "10.00 TB/s" },
        {9999.4e9,  "9999 GB/s"  },
        {9999.6e9,  "10.00 TB/s" },
        {55.5e9,    "55.50 GB/s" },
        {1e9,       "1.000 GB/s" },
        {999.96e6,  "1.000 GB/s" },
        {999.94e6,  "999.9 MB/s" },
        {12.3e3,    "12.30 kB/s" },
        {7,         "7.000 B/s"  },
        {0,         "0 B/s"      },
        {-2e9,      "-2.000 GB/s"},
        {1e300,     "1e+285 PB/s"},
        {NAN,       "-"          },
        {INFINITY,  "-"          },
        {-INFINITY, "-"          },
        {1e-300,    "1e-300 B/s" },
    };
    CHECK(ert_units_bandwidth, rows);
}

static void performances(void **state)
{
    assert_string_equal(ert_units_rate(1.25e6, "1/s").text, "1.250 M/s");
    static const struct formatted rows[] = {
        {33.3346e12, "33.33 TFLOP/s"},
        {167e9,      "167.0 GFLOP/s"},
        {1.0703e15,  "1.070 PFLOP/s"},
        {999.96e9,   "1.000 TFLOP/s"},
        {2e6,        "2.000 MFLOP/s"},
        {5e19,       "50.00 EFLOP/s"},
        {0,          "0 FLOP/s"     },
    };
    CHECK(ert_units_performance, rows);
}

static void frequencies_and_times(void **state)
{
    static const struct formatted clocks[] = {
        {1.98e9,  "1.980 GHz"},
        {3201e6,  "3.201 GHz"},
        {876.5e6, "876.5 MHz"},
        {32768,   "32.77 kHz"},
        {50,      "50.00 Hz" },
    };
    CHECK(ert_units_frequency, clocks);
    static const struct formatted times[] = {
        {4.25e-3,   "4.25 ms"},
        {20,        "20 s"   },
        {85.004,    "85 s"   },
        {1.5e-6,    "1.5 us" },
        {2.04e-8,   "20.4 ns"},
        {999.96e-3, "1 s"    },
        {12346,     "12350 s"},
        {0,         "0 ns"   },
        {4e-10,     "0.4 ns" },
    };
    CHECK(ert_units_time, times);
}

static void capacities(void **state)
{
    static const struct {
        uint64_t size_bytes;
        const char *text;
    } rows[] = {
        {0,                           "0 B"      },
        {1023,                        "1023 B"   },
        {1024,                        "1 KiB"    },
        {49152,                       "48 KiB"   },
        {UINT64_C(300) << 20,         "300 MiB"  },
        {(UINT64_C(1) << 30) * 3 / 2, "1.5 GiB"  },
        {(UINT64_C(1) << 20) - 1,     "1 MiB"    },
        {UINT64_MAX,                  "16 EiB"   },
        {1234567,                     "1.177 MiB"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_string_equal(ert_units_capacity(rows[i].size_bytes).text, rows[i].text);
    }
}

static void good_sizes(void **state)
{
    static const struct {
        const char *text;
        uint64_t size_bytes;
    } rows[] = {
        {"4096",                4096             },
        {"0",                   0                },
        {"48KiB",               49152            },
        {"48 KiB",              49152            },
        {"1.5 GiB",             1610612736       },
        {"1.5GiB",              1610612736       },
        {".5KiB",               512              },
        {"2GB",                 2000000000       },
        {"2kB",                 2000             },
        {"2KB",                 2000             },
        {"1e3",                 1000             },
        {"7B",                  7                },
        {"1.3 KiB",             1331             }, /* 1331.2 */
        {"9007199254740993",    9007199254740993u}, /* 2^53 + 1: not a double */
        {"4096PiB",             UINT64_C(1) << 62},
        {"4611686018427387904", UINT64_C(1) << 62},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t size_bytes = 99;
        struct ert_error error = {0};
        assert_int_equal(ert_units_parse_size(rows[i].text, &size_bytes, &error), ERT_OK);
        assert_int_equal(size_bytes, rows[i].size_bytes);
    }
}

static void bad_sizes(void **state)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"",                     "not a size"           },
        {" ",                    "not a size"           },
        {" 4",                   "not a size"           },
        {"-1",                   "not a size"           },
        {"+1",                   "not a size"           },
        {"0x10",                 "not a size"           },
        {"inf",                  "not a size"           },
        {"nan",                  "not a size"           },
        {"KiB",                  "not a size"           },
        {".",                    "not a size"           },
        {"48Kib",                "KiB, MiB, GiB"        },
        {"48 KiB ",              "not a size"           },
        {"48  KiB",              "not a size"           },
        {"4 ",                   "not a size"           },
        {"1e400",                "at most 4096 PiB"     },
        {"4097PiB",              "at most 4096 PiB"     },
        {"4611686018427387905",  "at most 4096 PiB"     },
        {"99999999999999999999", "at most 4096 PiB"     },
        {"1.5",                  "whole number of bytes"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t size_bytes = 99;
        struct ert_error error = {0};
        assert_int_equal(ert_units_parse_size(rows[i].text, &size_bytes, &error),
                         ERT_USAGE);
        assert_int_equal(error.status, ERT_USAGE);
        assert_contains(error.text, rows[i].text);
        assert_contains(error.text, rows[i].words);
        assert_int_equal(size_bytes, 99); /* written only on success */
    }
}

static void times_are_read(void **state)
{
    static const struct formatted good[] = {
        {20,     "20"   },
        {20,     "20s"  },
        {1.5e-3, "1.5ms"},
        {180,    "3min" },
        {180,    "3 min"},
        {7200,   "2h"   },
        {2e-6,   "2us"  },
        {3e-9,   "3ns"  },
        {0,      "0"    },
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        double time_s = -1;
        struct ert_error error = {0};
        assert_int_equal(ert_units_parse_time(good[i].text, &time_s, &error), ERT_OK);
        assert_close(time_s, good[i].value, 1e-15);
    }
    static const char *const bad[] = {"",    "-1", "1 m", "inf",   "nan",     "s",
                                      "0x1", "1S", "1,5", "1e400", "1e308min"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double time_s = -1;
        struct ert_error error = {0};
        assert_int_equal(ert_units_parse_time(bad[i], &time_s, &error), ERT_USAGE);
        assert_contains(error.text, "time");
        assert_true(time_s == -1);
    }
}

static void a_long_text_does_not_overflow(void **state)
{
    char text[4096];
    memset(text, '9', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    uint64_t size_bytes = 0;
    double time_s = 0;
    struct ert_error error = {0};
    assert_int_equal(ert_units_parse_size(text, &size_bytes, &error), ERT_USAGE);
    assert_int_equal(ert_units_parse_time(text, &time_s, &error), ERT_USAGE);
    assert_int_equal(ert_units_parse_size("x", &size_bytes, NULL), ERT_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bandwidths),
        cmocka_unit_test(performances),
        cmocka_unit_test(frequencies_and_times),
        cmocka_unit_test(capacities),
        cmocka_unit_test(good_sizes),
        cmocka_unit_test(bad_sizes),
        cmocka_unit_test(times_are_read),
        cmocka_unit_test(a_long_text_does_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
