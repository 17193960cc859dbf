/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every example file is recognized by the importer of its folder, and by no other; and every
 * importer takes any part of any example without a crash.
 */
#include "tests/unit/import_cpu_fixture.h"

#include "ert/core/base/file.h"

static const struct {
    const char *format, *file;
} examples[] = {
    {"ncu",         "ncu/h200-long.csv"          },
    {"ncu",         "ncu/failed.csv"             },
    {"nvprof",      "nvprof/metrics.csv"         },
    {"nvprof",      "nvprof/times-trace.csv"     },
    {"nvprof-text", "nvprof/metrics.txt"         },
    {"nvprof-text", "nvprof/times.txt"           },
    {"likwid",      "likwid/marker-2t.txt"       },
    {"likwid",      "likwid/issue-713.txt"       },
    {"likwid",      "likwid/issue-702.txt"       },
    {"likwid",      "likwid/issue-346.txt"       },
    {"likwid",      "likwid/knl.txt"             },
    {"likwid",      "likwid/knl-hbm-cache.txt"   },
    {"likwid",      "likwid/julia-matmul.txt"    },
    {"likwid",      "likwid/pylikwid-4.0.txt"    },
    {"likwid-csv",  "likwid/marker-2t.csv"       },
    {"sde",         "sde/stream.txt"             },
    {"sde",         "sde/functions.txt"          },
    {"vtune",       "vtune/stream-2018.csv"      },
    {"vtune",       "vtune/stream-2017.txt"      },
    {"vtune",       "vtune/knl.csv"              },
    {"advisor",     "advisor/survey.csv"         },
    {"advisor",     "advisor/python.tsv"         },
    {"perf",        "perf/software.csv"          },
    {"perf",        "perf/skylake.csv"           },
    {"perf",        "perf/sockets.csv"           },
    {"papi",        "papi/rank_000000.json"      },
    {"papi",        "papi/old.json"              },
    {"nersc",       "nersc/data.txt"             },
    {"nersc",       "nersc/data_hierarchical.txt"},
    {"valgrind",    "valgrind/two-threads.txt"   },
    {"regions",     "regions/times.txt"          }
};
enum { N_EXAMPLES = sizeof examples / sizeof examples[0] };

static char *text_of(const char *name, size_t *size)
{
    char file[1024], *text;
    data_file(name, file);
    if (ert_file_read(file, 1 << 20, &text, size, &error) != ERT_OK)
        fail_msg("%s", error.text);
    return text;
}

static void each_file_has_one_format(void **state)
{
    size_t n, size;
    (void)state;
    const struct rfl_importer *const *importers = rfl_importers(&n);
    for (size_t i = 0; i < N_EXAMPLES; i++) {
        char *text = text_of(examples[i].file, &size);
        for (size_t j = 0; j < n; j++)
            if (importers[j]->recognizes(text) !=
                (strcmp(importers[j]->name, examples[i].format) == 0))
                fail_msg("%s %s %s", importers[j]->name,
                         importers[j]->recognizes(text) ? "recognizes"
                                                        : "does not recognize",
                         examples[i].file);
        free(text);
    }
}

static void every_importer_has_an_example(void **state)
{
    (void)state;
    size_t n;
    const struct rfl_importer *const *importers = rfl_importers(&n);
    for (size_t j = 0; j < n; j++) {
        bool is_there = false;
        for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++)
            is_there |= strcmp(examples[i].format, importers[j]->name) == 0;
        if (!is_there)
            fail_msg("%s has no example in this table", importers[j]->name);
    }
}

static void other_text_has_no_format(void **state)
{
    static const char *const texts[] = {"",
                                        "\n\n",
                                        "a,b,c\n1,2,3\n",
                                        "{}",
                                        "{\"schema\": \"ert-ceilings/2\"}",
                                        "1;2;3;4;5;6\n",
                                        "Metric, the units of measurement\n",
                                        "# Package of events\n"};
    size_t n;
    (void)state;
    const struct rfl_importer *const *importers = rfl_importers(&n);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (size_t j = 0; j < n; j++)
            if (importers[j]->recognizes(texts[i]))
                fail_msg("%s recognizes '%s'", importers[j]->name, texts[i]);
}

/* Sanitizer builds see what goes over an end; the outcome of a cut text may be either. */
static void cut_texts_do_no_harm(void **state)
{
    size_t n, size;
    (void)state;
    const struct rfl_importer *const *importers = rfl_importers(&n);
    for (size_t i = 0; i < N_EXAMPLES; i++) {
        char *text = text_of(examples[i].file, &size);
        size_t step = size / 24 + 1;
        for (size_t cut = size; cut > 0; cut = cut > step ? cut - step : 0) {
            text[cut - 1] = '\0';
            for (size_t j = 0; j < n; j++)
                if (import_text(importers[j], text, NULL) != ERT_OK)
                    assert_true(*error.text != '\0');
        }
        free(text);
    }
}

static void a_format_can_be_named(void **state)
{
    const struct rfl_importer *importer;
    (void)state;
    assert_int_equal(rfl_importer_find("likwid", &importer, &error), ERT_OK);
    assert_ptr_equal(importer, &rfl_import_likwid);
    assert_int_equal(rfl_importer_find("tau", &importer, &error), ERT_USAGE);
    assert_contains(error.text, "likwid-csv");
    assert_contains(error.text, "nersc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_file_has_one_format),
        cmocka_unit_test(every_importer_has_an_example),
        cmocka_unit_test(other_text_has_no_format),
        cmocka_unit_test(cut_texts_do_no_harm),
        cmocka_unit_test(a_format_can_be_named),
    };
    return cmocka_run_group_tests(tests, NULL, free_points);
}
