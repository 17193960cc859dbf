/* SPDX-License-Identifier: BSD-3-Clause */
/* opt: one table parses, checks ranges and writes the help. */
#include "tests/unit/test.h"

#include "ert/core/base/program.h"

struct options {
    bool quick;
    const char *out, *device;
    uint64_t rounds, set_bytes;
    double time_s;
};

static const char *const devices[] = {"cpu", "gpu", "all", NULL};

#define AT(member) offsetof(struct options, member)

static const struct ert_opt rows[] = {
    {"quick",  ERT_OPT_FLAG,   AT(quick),     NULL,   "a short run",      0,      0,      NULL   },
    {"out",    ERT_OPT_TEXT,   AT(out),       "DIR",  "where results go", 0,      0,      NULL   },
    {"device", ERT_OPT_CHOICE, AT(device),    "NAME", "what to measure",  0,      0,      devices},
    {"rounds", ERT_OPT_COUNT,  AT(rounds),    "N",    "rounds to run",    1,      1000,   NULL   },
    {"set",    ERT_OPT_SIZE,   AT(set_bytes), "SIZE", "largest set",      4096,   0x1p40, NULL   },
    {"time",   ERT_OPT_TIME,   AT(time_s),    "TIME", "budget",           0.5e-3, 3600,   NULL   },
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

static const struct options defaults = {
    .out = "results", .device = "all", .rounds = 5, .set_bytes = 1 << 20, .time_s = 20};

struct parsed {
    enum ert_status status;
    struct ert_error error;
    struct options options;
    const char *words[2];
    size_t n_words;
};

/* Parses the words given, the list of which ends with NULL. */
static struct parsed parse(const char *const *arguments)
{
    struct parsed parsed = {.options = defaults, .n_words = 99};
    char *argv[16];
    int argc = 0;
    for (; arguments[argc]; argc++)
        argv[argc] = (char *)(uintptr_t)arguments[argc];
    parsed.status = ert_opt_parse(rows, N_ROWS, argc, argv, &parsed.options, parsed.words,
                                  2, &parsed.n_words, &parsed.error);
    return parsed;
}

static void nothing_leaves_the_defaults(void **state)
{
    struct parsed p = parse((const char *const[]){NULL});
    assert_int_equal(p.status, ERT_OK);
    assert_int_equal(p.n_words, 0);
    assert_memory_equal(&p.options, &defaults, sizeof defaults);
}

static void every_kind_is_read(void **state)
{
    struct parsed p = parse(
        (const char *const[]){"--quick", "--out", "a b", "one", "--device=gpu", "--rounds",
                              "1000", "--set=48KiB", "--time", "1.5 ms", "two", NULL});
    assert_int_equal(p.status, ERT_OK);
    assert_true(p.options.quick);
    assert_string_equal(p.options.out, "a b");
    assert_string_equal(p.options.device, "gpu");
    assert_int_equal(p.options.rounds, 1000);
    assert_int_equal(p.options.set_bytes, 49152);
    assert_close(p.options.time_s, 1.5e-3, 1e-15);
    assert_int_equal(p.n_words, 2);
    assert_string_equal(p.words[0], "one");
    assert_string_equal(p.words[1], "two");
}

static void odd_forms_are_read(void **state)
{
    struct parsed p = parse((const char *const[]){"--out=a=b", "--", "--quick", "-", NULL});
    assert_int_equal(p.status, ERT_OK);
    assert_string_equal(p.options.out, "a=b");
    assert_false(p.options.quick);
    assert_int_equal(p.n_words, 2);
    assert_string_equal(p.words[0], "--quick");
    p = parse((const char *const[]){"--out=--x", "-", NULL});
    assert_string_equal(p.options.out, "--x");
    assert_string_equal(p.words[0], "-");
    p = parse((const char *const[]){"--rounds", "3", "--rounds=4", NULL});
    assert_int_equal(p.options.rounds, 4); /* the last one counts */
    p = parse((const char *const[]){"--out=", NULL});
    assert_string_equal(p.options.out, "");
}

static void bad_words_are_named(void **state)
{
    static const struct {
        const char *arguments[4];
        const char *text;
    } bad[] = {
        {{"--flops"},
         "unknown option '--flops'; known options: --quick, --out, --device, --rounds, "
         "--set, --time"                                                                      },
        {{"-x"},
         "unknown option '-x'; known options: --quick, --out, --device, --rounds, --set, "
         "--time"                                                                             },
        {{"-out", "a"},
         "unknown option '-out'; known options: --quick, "
         "--out, --device, --rounds, --set, --time"                                           },
        {{"--out"},                            "--out: value DIR is missing"                  },
        {{"--out", "--quick"},                 "--out: value DIR is missing"                  },
        {{"--quick=1"},                        "--quick: takes no value, but '1' was given"   },
        {{"--quick="},                         "--quick: takes no value, but '' was given"    },
        {{"--device", "tpu"},                  "--device: 'tpu': must be one of cpu, gpu, all"},
        {{"--device="},                        "--device: '': must be one of cpu, gpu, all"   },
        {{"--rounds", "0"},                    "--rounds: 0, must be at least 1"              },
        {{"--rounds", "1001"},                 "--rounds: 1001, must be at most 1000"         },
        {{"--rounds", "-1"},                   "--rounds: '-1': must be a whole number"       },
        {{"--rounds", "1.5"},                  "--rounds: '1.5': must be a whole number"      },
        {{"--rounds", "1e2"},                  "--rounds: '1e2': must be a whole number"      },
        {{"--rounds="},                        "--rounds: '': must be a whole number"         },
        {{"--rounds", " 1"},                   "--rounds: ' 1': must be a whole number"       },
        {{"--rounds", "99999999999999999999"}, "--rounds: 99999999999999999999, too large"    },
        {{"--set", "1KiB"},                    "--set: 1KiB, must be at least 4 KiB"          },
        {{"--set", "2TiB"},                    "--set: 2TiB, must be at most 1 TiB"           },
        {{"--set", "-4"},
         "--set: '-4': not a size; must be a number and one of B, KiB, MiB, GiB, TiB, PiB, "
         "kB, KB, MB, GB, TB, PB"                                                             },
        {{"--time", "0"},                      "--time: 0, must be at least 500 us"           },
        {{"--time", "2h"},                     "--time: 2h, must be at most 3600 s"           },
        {{"--time", "x"},
         "--time: 'x': not a time; must be a number and one of s, ms, us, ns, "
         "min, h"                                                                             },
        {{"a", "b", "c"},                      "unexpected argument 'c'; at most 2 allowed"   },
        {{"a", "b", ""},                       "unexpected argument ''; at most 2 allowed"    },
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct parsed p = parse(bad[i].arguments);
        assert_string_equal(p.error.text, bad[i].text);
        assert_int_equal(p.status, ERT_USAGE);
        assert_int_equal(p.n_words, 99); /* written only on success */
    }
}

static void a_very_long_word_is_an_error(void **state)
{
    char word[3000] = "--";
    memset(word + 2, 'q', sizeof word - 3);
    word[sizeof word - 1] = '\0';
    struct parsed p = parse((const char *const[]){word, NULL});
    assert_int_equal(p.status, ERT_USAGE);
    assert_contains(p.error.text, "unknown option");
    struct ert_error error = {0};
    char *argv[] = {word};
    size_t n = 0;
    assert_int_equal(ert_opt_parse(NULL, 0, 1, argv, NULL, NULL, 0, &n, &error), ERT_USAGE);
    assert_contains(error.text, "known options: none");
}

static void the_help_is_aligned_and_names_the_limits(void **state)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    ert_opt_help(out, rows, N_ROWS);
    fclose(out);
    assert_string_equal(text, "  --quick        a short run\n"
                              "  --out DIR      where results go\n"
                              "  --device NAME  what to measure [cpu, gpu, all]\n"
                              "  --rounds N     rounds to run [1 to 1000]\n"
                              "  --set SIZE     largest set [4 KiB to 1 TiB]\n"
                              "  --time TIME    budget [500 us to 3600 s]\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_leaves_the_defaults),
        cmocka_unit_test(every_kind_is_read),
        cmocka_unit_test(odd_forms_are_read),
        cmocka_unit_test(bad_words_are_named),
        cmocka_unit_test(a_very_long_word_is_an_error),
        cmocka_unit_test(the_help_is_aligned_and_names_the_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
