#include "analysis/plot/output.h"

#include "analysis/plot/cairo.h"
#include "analysis/plot/chart.h"
#include "analysis/plot/svg.h"
#include "ert/base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct output_row {
    const char *extension;
    const char *reason; /* why this build has not got it; "" it has */
    enum ert_status (*draw)(const struct rfl_scene *scene, char **bytes, size_t *size,
                            struct ert_error *error);
} rows[] = {
    {".svg",  "",               rfl_output_svg},
    {".png",  rfl_cairo_reason, rfl_cairo_png },
    {".pdf",  rfl_cairo_reason, rfl_cairo_pdf },
    {".html", "",               NULL          }, /* of whole files, not of a scene: page.h */
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

enum ert_status rfl_output_svg(const struct rfl_scene *scene, char **bytes, size_t *size,
                               struct ert_error *error)
{
    FILE *memory = open_memstream(bytes, size);
    if (!memory)
        return ert_fail(error, ERT_FAILED, "no memory for a chart: %s", strerror(errno));
    struct rfl_svg svg;
    rfl_svg_init(&svg, memory);
    enum ert_status status = rfl_chart_draw(scene, &svg.canvas, error);
    bool written = !ferror(memory);
    if (fclose(memory) != 0 || !written)
        return ert_fail(error, ERT_FAILED, "out of memory for a chart");
    return status;
}

/* The extensions that there are, as a list: ".svg, .png, ..." */
static void list_extensions(char *list, size_t size)
{
    list[0] = '\0';
    for (size_t i = 0, used = 0; i < N_ROWS && used < size; i++)
        used += (size_t)snprintf(list + used, size - used, "%s%s", i ? ", " : "",
                                 rows[i].extension);
}

static enum ert_status find(const char *file, const struct output_row **row,
                            struct ert_error *error)
{
    char list[128];
    const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
    bool has = dot && (!slash || dot > slash);
    for (size_t i = 0; i < N_ROWS && has; i++)
        if (strcasecmp(rows[i].extension, dot) == 0) {
            *row = &rows[i];
            return ERT_OK;
        }
    list_extensions(list, sizeof list);
    return ert_fail(error, ERT_USAGE, "%.200s: extension '%.16s', must be one of %s", file,
                    has ? dot : "", list);
}

enum ert_status rfl_output_check(const char *file, struct ert_error *error)
{
    const struct output_row *row;
    ERT_TRY(find(file, &row, error));
    if (*row->reason)
        return ert_fail(error, ERT_UNAVAILABLE, "%.200s: no %s: %s", file, row->extension,
                        row->reason);
    return ERT_OK;
}

enum ert_status rfl_output_write(const struct rfl_scene *scene, const char *file,
                                 struct ert_error *error)
{
    const struct output_row *row;
    char *bytes = NULL;
    size_t size = 0;
    ERT_TRY(find(file, &row, error));
    if (!row->draw)
        return ert_fail(error, ERT_USAGE, "%.200s: a page is made of files, not of a chart",
                        file);
    enum ert_status status = row->draw(scene, &bytes, &size, error);
    if (status == ERT_OK)
        status = ert_file_write(file, bytes, size, error);
    free(bytes);
    return status;
}
