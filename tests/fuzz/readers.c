#include "tests/fuzz/readers.h"

#include "analysis/import/ert_json.h"
#include "analysis/import/import.h"
#include "analysis/points_json.h"
#include "ert/ceilings/ceilings.h"
#include "ert/sweep/config.h"
#include "ert/sweep/samples.h"

static void read_ceilings(const char *file)
{
    struct ert_error error;
    struct ert_ceilings ceilings = {0};
    ert_ceilings_read(file, &ceilings, &error);
    ert_ceilings_free(&ceilings);
}

static void read_config(const char *file)
{
    struct ert_error error;
    struct ert_config config;
    ert_config_default(&config);
    ert_config_read(file, &config, &error);
}

static void read_samples(const char *file)
{
    struct ert_error error;
    struct ert_samples samples = {0};
    ert_samples_read(file, &samples, &error);
    ert_samples_free(&samples);
}

static void read_points(const char *file)
{
    struct ert_error error;
    struct rfl_points points = {0};
    rfl_points_read(file, &points, &error);
    rfl_points_free(&points);
}

static void read_ert(const char *file)
{
    struct ert_error error;
    struct ert_ceilings ceilings = {0};
    if (rfl_ert_read(file, &ceilings, &error) == ERT_OK)
        ert_ceilings_free(&ceilings);
}

static void read_any(const char *file)
{
    const struct rfl_import_options options = {0};
    struct ert_error error;
    struct rfl_points points = {0};
    rfl_import_file(file, NULL, &options, &points, &error);
    rfl_points_free(&points);
}

static const struct {
    const char *name;
    void (*read)(const char *file);
} fixed[] = {
    {"ceilings", read_ceilings},
    {"config",   read_config  },
    {"samples",  read_samples },
    {"points",   read_points  },
    {"ert",      read_ert     },
    {"any",      read_any     },
};
enum { N_FIXED = sizeof fixed / sizeof fixed[0] };

const char *readers_name(size_t index)
{
    size_t n;
    const struct rfl_importer *const *importers = rfl_importers(&n);
    if (index < N_FIXED)
        return fixed[index].name;
    return index - N_FIXED < n ? importers[index - N_FIXED]->name : NULL;
}

/* Each launch by itself, and summed. */
static void import(const struct rfl_importer *importer, const char *file)
{
    for (int list = 0; list < 2; list++) {
        const struct rfl_import_options options = {.list = list != 0};
        struct ert_error error;
        struct rfl_points points = {0};
        rfl_import_file(file, importer, &options, &points, &error);
        rfl_points_free(&points);
    }
}

void readers_read(size_t index, const char *file)
{
    size_t n;
    const struct rfl_importer *const *importers = rfl_importers(&n);
    if (index < N_FIXED)
        fixed[index].read(file);
    else
        import(importers[index - N_FIXED], file);
}
