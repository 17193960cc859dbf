#include "analysis/cli/plot_page.h"

#include "analysis/import/import.h"
#include "analysis/plot/page.h"
#include "analysis/roofs.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Devices of all ceilings files together: those of eight full nodes. */
enum { MAX_INPUTS = 8 * ERT_MAX_DEVICES, HEAD_BYTES = 256 };

struct pages {
    size_t n_ceilings, n_inputs;
    struct ert_ceilings ceilings[RFL_MAX_PLOT_WORDS];
    struct rfl_page_input inputs[MAX_INPUTS];
    struct rfl_points points;
};

bool rfl_plot_is_page(const char *file)
{
    const char *dot = file ? strrchr(file, '.') : NULL;
    return dot && strcasecmp(dot, ".html") == 0;
}

/* A ceilings file names its schema at its beginning; a profile does not. */
static enum ert_status is_ceilings(const char *file, bool *yes, struct ert_error *error)
{
    char head[HEAD_BYTES];
    struct ert_lines lines;
    ERT_TRY(ert_lines_open(file, &lines, error));
    head[fread(head, 1, sizeof head - 1, lines.stream)] = '\0';
    ert_lines_close(&lines);
    *yes = strstr(head, "\"ert-ceilings/") != NULL;
    return ERT_OK;
}

static enum ert_status add_ceilings(struct pages *pages, const char *file,
                                    const char *device, struct ert_error *error)
{
    struct ert_ceilings *ceilings = &pages->ceilings[pages->n_ceilings];
    size_t first = 0, end;
    ERT_TRY(ert_ceilings_read(file, ceilings, error));
    pages->n_ceilings++;
    end = ceilings->n_devices;
    if (device) {
        ERT_TRY(rfl_find_device(ceilings, device, &first, error));
        end = first + 1;
    }
    for (size_t i = first; i < end; i++) {
        if (pages->n_inputs == MAX_INPUTS)
            return ert_fail(error, ERT_USAGE, "%.200s: more than %d devices for one page",
                            file, MAX_INPUTS);
        pages->inputs[pages->n_inputs++] = (struct rfl_page_input){ceilings, i, file};
    }
    return ERT_OK;
}

static enum ert_status add_file(struct pages *pages, const char *file, const char *device,
                                struct ert_error *error)
{
    const struct rfl_import_options options = {0};
    bool ceilings = false;
    ERT_TRY(is_ceilings(file, &ceilings, error));
    if (ceilings)
        return add_ceilings(pages, file, device, error);
    return rfl_import_file(file, NULL, &options, &pages->points, error);
}

static enum ert_status write_page(const struct pages *pages, bool theory, const char *out,
                                  struct ert_error *error)
{
    if (!pages->n_ceilings)
        return ert_fail(error, ERT_USAGE, "plot: no ceilings file given");
    ERT_TRY(
        rfl_page_write(pages->inputs, pages->n_inputs, &pages->points, theory, out, error));
    printf("%s: %zu device%s, %zu point%s\n", out, pages->n_inputs,
           pages->n_inputs == 1 ? "" : "s", pages->points.n,
           pages->points.n == 1 ? "" : "s");
    return ERT_OK;
}

enum ert_status rfl_plot_page(const char *const *words, size_t n_words, const char *device,
                              bool theory, const char *out, struct ert_error *error)
{
    struct pages pages = {0};
    enum ert_status status = ERT_OK;
    for (size_t i = 0; i < n_words && status == ERT_OK; i++)
        status = add_file(&pages, words[i], device, error);
    if (status == ERT_OK)
        status = write_page(&pages, theory, out, error);
    rfl_points_free(&pages.points);
    for (size_t i = 0; i < pages.n_ceilings; i++)
        ert_ceilings_free(&pages.ceilings[i]);
    return status;
}
