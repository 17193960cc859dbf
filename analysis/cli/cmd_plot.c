/* roofline plot: the ceilings of a file as charts, SVG or text, or of several as a page. */
#include "analysis/cli/commands.h"
#include "analysis/cli/plot_page.h"

#include "analysis/roofline.h"

#include <langinfo.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { DEFAULT_COLUMNS = 100, WIDEST_TERMINAL = 120 };

struct options {
    const char *out, *device;
    uint64_t columns;
    bool text, theory;
};

static const struct ert_opt rows[] = {
#define ROW(name, kind, field, ...)                                                        \
    {                                                                                      \
        name, kind, offsetof(struct options, field), __VA_ARGS__                           \
    }
    ROW("out", ERT_OPT_TEXT, out, "FILE",
        "FILE.svg: a chart, of further devices FILE-ID.svg; FILE.html: one page of all "
        "ceilings and profiles, to open in a browser (default: text only)",
        0, 0, NULL),
    ROW("text", ERT_OPT_FLAG, text, NULL, "draw with characters, also where --out is given",
        0, 0, NULL),
    ROW("device", ERT_OPT_TEXT, device, "ID",
        "only this device, e.g. cpu or gpu0 (default: all)", 0, 0, NULL),
    ROW("width", ERT_OPT_COUNT, columns, "COLUMNS",
        "of the text chart (default: the terminal's, at most 120; else 100)",
        RFL_MIN_COLUMNS, RFL_MAX_COLUMNS, NULL),
    ROW("theory", ERT_OPT_FLAG, theory, NULL, "also the theoretical peak of each roof", 0,
        0, NULL),
#undef ROW
};

/* A chart much wider than high hides the slopes, so a wide terminal is not filled. */
static size_t terminal_columns(void)
{
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 ||
        size.ws_col < RFL_MIN_COLUMNS)
        return DEFAULT_COLUMNS;
    return size.ws_col < WIDEST_TERMINAL ? size.ws_col : WIDEST_TERMINAL;
}

static enum ert_status write_files(const struct ert_ceilings *ceilings,
                                   const struct options *options, struct ert_error *error)
{
    if (options->device) {
        size_t index;
        ERT_TRY(rfl_find_device(ceilings, options->device, &index, error));
        ERT_TRY(rfl_plot_svg(ceilings, index, options->theory, options->out, error));
        printf("%s: %s\n", options->device, options->out);
        return ERT_OK;
    }
    struct rfl_plots plots;
    enum ert_status status =
        rfl_plot_svg_all(ceilings, options->theory, options->out, &plots, error);
    for (size_t i = 0; i < plots.n_plots; i++)
        if (plots.plots[i].file[0])
            printf("%s: %s\n", plots.plots[i].device, plots.plots[i].file);
        else if (status == ERT_OK)
            printf("%s: no chart: %s\n", plots.plots[i].device, plots.plots[i].reason);
    return status;
}

/* All devices, or the one that is asked for; those with nothing to draw say so. */
static enum ert_status write_text(const struct ert_ceilings *ceilings,
                                  const struct options *options, struct ert_error *error)
{
    size_t columns = options->columns ? (size_t)options->columns : terminal_columns();
    size_t first = 0, last = ceilings->n_devices, drawn = 0;
    bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    if (options->device) {
        ERT_TRY(rfl_find_device(ceilings, options->device, &first, error));
        last = first + 1;
    }
    for (size_t i = first; i < last; i++) {
        struct ert_error reason = {ERT_OK, ""};
        printf("%s", i > first ? "\n" : "");
        enum ert_status status =
            rfl_plot_text(ceilings, i, options->theory, columns, utf8, stdout, &reason);
        if (status == ERT_OK)
            drawn++;
        else if (status != ERT_UNAVAILABLE || last - first == 1)
            return ert_fail(error, status, "%s", reason.text);
        else
            printf("%s\n", reason.text);
    }
    if (!drawn)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "no device of the ceilings has anything to draw");
    return ERT_OK;
}

static enum ert_status run(int argc, char **argv, struct ert_error *error)
{
    struct options options = {NULL, NULL, 0, false, false};
    const char *words[RFL_MAX_PLOT_WORDS] = {NULL};
    size_t n_words = 0;
    struct ert_ceilings ceilings = {0};
    ERT_TRY(ert_opt_parse(rows, sizeof rows / sizeof rows[0], argc, argv, &options, words,
                          RFL_MAX_PLOT_WORDS, &n_words, error));
    if (!n_words)
        return ert_fail(error, ERT_USAGE, "plot: no ceilings file given");
    if (rfl_plot_is_page(options.out) && options.text)
        return ert_fail(error, ERT_USAGE,
                        "plot: --text and an HTML page: they are drawn one at a time");
    if (rfl_plot_is_page(options.out))
        return rfl_plot_page(words, n_words, options.device, options.theory, options.out,
                             error);
    if (n_words > 1)
        return ert_fail(error, ERT_USAGE,
                        "plot: unexpected word '%.64s': several files need --out FILE.html",
                        words[1]);
    ERT_TRY(ert_ceilings_read(words[0], &ceilings, error));
    enum ert_status status = ERT_OK;
    if (options.out)
        status = write_files(&ceilings, &options, error);
    if (status == ERT_OK && (options.text || !options.out))
        status = write_text(&ceilings, &options, error);
    ert_ceilings_free(&ceilings);
    return status;
}

const struct rfl_command rfl_command_plot = {
    .name = "plot",
    .words = "CEILINGS... [PROFILE...]",
    .summary = "the roofline chart of each device, as SVG or text, or all in one HTML page",
    .options = rows,
    .n_options = sizeof rows / sizeof rows[0],
    .run = run,
};
