/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/core/place/report.h"

#include "analysis/core/points/levels.h"
#include "analysis/core/points/reader.h"
#include "analysis/core/points/table.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const remark_heads[] = {
    "warning: ", "warning: ", "no roof: ", "missing ", "warning: ", "note: ", "note: "};

/* "missing time: no time was given"; xmalloc. */
static char *remark_text(const struct rfl_remark *remark)
{
    const bool is_missing = remark->kind == RFL_REMARK_MISSING;
    return ert_xprintf("%s%s%s%s", remark_heads[remark->kind],
                       is_missing ? remark->what : "", is_missing ? ": " : "",
                       remark->text);
}

/* ---- lines and their columns ---- */

/* A row of any table: of a kernel, and in a view of one of its roofs. NaN, NULL and "": unknown. */
struct line {
    const char *kernel, *run, *device, *rate_unit, *bound, *hint, *advice, *bounds;
    char *remarks; /* malloc */
    double time_s, share, launches, flop_per_s, rate, fraction, least, most, saved_s;
    double spread, speedup, step, operations, fma_share, of_peak, of_bound;
    double clock_hz;
    struct rfl_view_row row;
    const char *roof;
};

static const struct rfl_view_row no_row = {"",  "",  NAN, NAN,  NAN,   NAN,  NAN,
                                           NAN, NAN, NAN, NULL, false, false};

/* A sum of kernels has a time and its headroom, but no rate and no roof. */
static const struct line no_kernel = {
    .rate_unit = "flop/s", .rate = NAN, .fraction = NAN, .least = NAN, .most = NAN};

/* The tables that have a column, and in which it is only for readers or only in CSV. */
enum { SHARES = 1, VERSIONS = 2, PLACED_VERSIONS = 4, VIEW = 8, READERS = 16, CSV = 32 };

enum { HINT_RANK = 5 }; /* of the column "what to do", the first to go; only with advice */

#define UNIT "of the line"

/*
 * key: in CSV, whose numbers are in SI units, and for the numbers of a view in JSON. header: for readers; '>'
 * marks numbers; NULL: that of the view. how: as rfl_table_number; UNIT: the row's own; NULL: a text.
 */
static const struct column {
    const char *key, *header, *how;
    size_t at, to; /* offset in struct line; the other end of a range, or 0 */
    unsigned tables;
    int rank;    /* a narrow terminal drops columns from the highest rank down */
    int of_view; /* header in struct rfl_view */
} columns[] = {
#define COLUMN(key, header, how, member, tables, rank)                                     \
    {                                                                                      \
        key, header, how, offsetof(struct line, member), 0, tables, rank, 0                \
    }
#define HIDDEN(key, how, member, tables) COLUMN(key, "", how, member, (tables) | CSV, 0)
#define IN_ROW(key, how, member, to, of_view)                                              \
    {                                                                                      \
        key, NULL, how, offsetof(struct line, row.member), to, VIEW, 0, of_view            \
    }
    COLUMN("kernel", "kernel", NULL, kernel, SHARES | VERSIONS, 0),
    HIDDEN("kernel", NULL, kernel, VIEW),
    HIDDEN("run", NULL, run, SHARES | VIEW),
    COLUMN("run", "run", NULL, run, VERSIONS, 0),
    HIDDEN("device", NULL, device, SHARES | VIEW),
    COLUMN("time_s", ">time", "s", time_s, SHARES | VERSIONS, 0),
    COLUMN("share", ">share", "%.1f %%", share, SHARES, 0),
    COLUMN("launches", ">launches", "%.0f", launches, SHARES, 4),
    COLUMN("spread", ">+- %", "%.1f", spread, VERSIONS, 0),
    COLUMN("speedup", ">speed-up", "%.2f", speedup, VERSIONS, 0),
    COLUMN("step", ">step", "%.2f", step, VERSIONS, 0),
    COLUMN("rate", ">rate", UNIT, rate, VERSIONS, 0),
    COLUMN("operations", ">operations", "%.4g", operations, VERSIONS, 0),
    COLUMN("fma_percent", ">FMA %", "%.1f", fma_share, VERSIONS, 0),
    HIDDEN("flop_per_s", "", flop_per_s, SHARES),
    COLUMN("", ">reached", UNIT, rate, SHARES | READERS, 3),
    COLUMN("peak_percent", ">of peak %", "%.1f", of_peak, PLACED_VERSIONS, 0),
    COLUMN("bound", "bound by", NULL, bound, SHARES | PLACED_VERSIONS, 1),
    COLUMN("bound_percent", ">of it %", "%.1f", of_bound, PLACED_VERSIONS, 0),
    HIDDEN("fraction", "", fraction, SHARES),
    {"fraction_low", ">of roof", "%.1f %%", offsetof(struct line, least),
                                                          offsetof(struct line, most), SHARES, 1, 0},
    HIDDEN("fraction_high", "", most, SHARES),
    COLUMN("headroom_s", ">headroom", "s", saved_s, SHARES, 2),
    COLUMN("hint", "what to do", NULL, hint, SHARES, HINT_RANK),
    HIDDEN("clock_hz", "", clock_hz, VIEW),
    COLUMN("roof", "roof", NULL, roof, VIEW, 0),
    HIDDEN("unit", NULL, row.unit, VIEW),
    IN_ROW("intensity", "%#.4g", intensity, 0, 0),
    IN_ROW("reached", UNIT, reached, 0, 1),
    IN_ROW("value", UNIT, value, offsetof(struct line, row.value_low), 2),
    IN_ROW("measured", UNIT, measured, 0, 3),
    IN_ROW("fraction", "%.1f %%", fraction, offsetof(struct line, row.fraction_high), 4),
    HIDDEN("value_low", "", row.value_low, VIEW),
    HIDDEN("fraction_high", "", row.fraction_high, VIEW),
    HIDDEN("read_share", "", row.read_share, VIEW),
    COLUMN("bounds", "", NULL, bounds, VIEW, 0),
    HIDDEN("advice", NULL, advice, SHARES | VIEW),
    HIDDEN("remarks", NULL, remarks, SHARES | VIEW),
#undef COLUMN
#undef HIDDEN
#undef IN_ROW
};

/* A report while it is written. */
struct writing {
    const struct rfl_report *report;
    const struct rfl_view *view; /* NULL: a row per kernel */
    FILE *out;
    enum ert_format format;
    size_t width;                    /* of the terminal */
    unsigned tables;                 /* which columns */
    struct ert_strings strings;      /* texts of lines */
    struct ert_strings levels;       /* of all points, in the order found; of versions */
    const struct rfl_point **points; /* malloc; in the order of the rows */
    const char **names;              /* malloc; theirs */
    double whole_s; /* 100 % of the shares: time that the device or the program worked */
    struct line *lines; /* malloc; for readers: kernels listed, the rest, the total */
    size_t n_listed, n_lines;
    struct rfl_table table;
    struct rfl_remarks remarks; /* of the kernel that is being written */
    struct ert_strings kinds;
    struct group {
        char *text;     /* malloc; of the first kernel */
        size_t n, last; /* number of kernels; the latest of them, counted from 1 */
    } * groups;         /* malloc; of remarks that differ only in numbers, by kind */
    size_t n_groups, group_capacity;
};

static bool has_column(const struct writing *writing, const struct column *column, int rank)
{
    const bool is_csv = writing->format == ERT_TEXT_CSV;
    return (column->tables & writing->tables) && column->rank <= rank &&
           (is_csv || rfl_advise || column->rank < HINT_RANK) &&
           !(column->tables & (is_csv ? READERS : CSV)) &&
           (is_csv || column->header || writing->view->headers[column->of_view]);
}

static double line_number(const struct line *line, size_t at)
{
    return *(const double *)((const char *)line + at);
}

static const char *line_text(const struct line *line, size_t at)
{
    const char *text = *(const char *const *)((const char *)line + at);
    return text ? text : "";
}

static void add_headers(struct writing *writing, int rank)
{
    struct rfl_table *table = &writing->table;
    *table = (struct rfl_table){.format = writing->format};
    for (const struct column *c = columns; c < columns + ERT_LENGTH(columns); c++) {
        if (!has_column(writing, c, rank))
            continue;
        if (writing->format == ERT_TEXT_CSV)
            rfl_table_column(table, false, "%s", c->key);
        else if (!c->header)
            rfl_table_column(table, true, "%s", writing->view->headers[c->of_view]);
        else
            rfl_table_column(table, *c->header == '>', "%s",
                             c->header + (*c->header == '>'));
        for (size_t l = 0;
             c->at == offsetof(struct line, fma_share) && l < writing->levels.n_texts; l++)
            rfl_table_column(table, true, "AI %s", writing->levels.texts[l]);
    }
}

/* A number for readers; of a range, whose ends differ, both. */
static void add_number(struct rfl_table *table, const char *how, double value, double to)
{
    if (table->format == ERT_TEXT_CSV || !isfinite(to) || !isfinite(value))
        rfl_table_number(table, how, value);
    else if (strchr(how, '%'))
        rfl_table_cell(table, "%.1f .. %.1f %%", 100 * value, 100 * to);
    else
        rfl_table_texts(table,
                        ert_units_pair(fmin(value, to), " .. ", fmax(value, to), how).text,
                        NULL);
}

static void add_line(struct writing *writing, const struct line *line, int rank,
                     const struct rfl_point *point)
{
    struct rfl_table *table = &writing->table;
    for (const struct column *c = columns; c < columns + ERT_LENGTH(columns); c++) {
        if (!has_column(writing, c, rank))
            continue;
        if (c->how)
            add_number(table,
                       strcmp(c->how, UNIT) != 0 ? c->how
                       : writing->view           ? line->row.unit
                                                 : line->rate_unit,
                       line_number(line, c->at), c->to ? line_number(line, c->to) : NAN);
        else
            rfl_table_texts(table, line_text(line, c->at), NULL);
        for (size_t l = 0;
             c->at == offsetof(struct line, fma_share) && l < writing->levels.n_texts;
             l++) {
            const struct rfl_traffic *traffic =
                rfl_point_traffic(point, writing->levels.texts[l]);
            rfl_table_number(table, "%.4g",
                             traffic ? line->operations / traffic->bytes : NAN);
        }
    }
}

/* ---- text around the tables ---- */

enum {
    MOST_KERNELS = 25, /* default limit of the table: what fits a screen is listed */
    LONGEST_NAME = 48,
    LEGIBLE_NAME = 20, /* columns are dropped for names of this width */
    SHORTEST_NAME = 16,
    MOST_REMARKS = 8,  /* kinds of remarks below the table of shares */
    MOST_SENTENCES = 3 /* kernels that are so few have their advice in full below it */
};

/* Wraps a sentence to the width: the first line begins with `head`, the others are indented. */
static void write_wrapped(const struct writing *writing, const char *head, const char *text)
{
    FILE *out = writing->out;
    if (writing->format != ERT_TEXT_PLAIN) {
        const char *word = head + strspn(head, " ");
        ert_text_print(out, writing->format, word > head ? "- %s%s\n" : "%s%s\n", word,
                       text);
        return;
    }
    ert_text_wrap(out, head, 4, text, writing->width);
}

/* "roofs at 1.600 GHz as the code ran (as measured: 1.974 GHz), for 12 warps per SM" */
static void say_conditions(const struct rfl_placer *placer, char *text, size_t size)
{
    const struct rfl_roofs_options *conditions = &placer->conditions;
    const struct rfl_roofs *roofs = placer->roofs;
    struct ert_text held = {"clock unknown"};
    bool gpu = roofs->kind == ERT_DEVICE_GPU;
    double count = gpu ? conditions->warps_per_sm : conditions->threads;
    if (roofs->held_hz > 0)
        held = ert_units_frequency(roofs->held_hz);
    if (conditions->clock_hz > 0)
        snprintf(text, size, "roofs at %s%s (as measured: %s)",
                 ert_units_frequency(conditions->clock_hz).text,
                 placer->options.clock_hz == RFL_OF_CODE ? " as the code ran" : "",
                 held.text);
    else
        snprintf(text, size, "roofs as measured, %s%s", roofs->held_hz > 0 ? "at " : "",
                 held.text);
    if (count > 0)
        ert_append(text, size, ", for %.4g %s", count,
                   gpu          ? "warps per SM"
                   : count == 1 ? "thread"
                                : "threads");
}

/* "ceilings: node1, 2026-11-21, valid"; if they are not valid, a remark gives the reason. */
static void write_ceilings(const struct writing *writing)
{
    const struct ert_ceilings *ceilings = writing->report->placer->ceilings;
    const char *host = ceilings->machine->provenance.host, *status = ceilings->status;
    char text[512] = "";
    ert_append(text, sizeof text, "%s%s%.10s%s", host, *host ? ", " : "", ceilings->created,
               *ceilings->created ? ", " : "");
    if (*status && strcmp(status, "complete") != 0)
        ert_append(text, sizeof text, "of a run that did not complete (%s), ", status);
    ert_append(text, sizeof text, "valid");
    write_wrapped(writing, "ceilings: ", text);
}

static void write_head(struct writing *writing)
{
    const struct rfl_placer *placer = writing->report->placer;
    const char *origin = writing->report->points->origin;
    char text[192], head[192];
    if (origin && *origin)
        write_wrapped(writing, "counts: ", origin);
    if (placer) {
        if (placer->ceilings->devices[placer->device].valid)
            write_ceilings(writing);
        snprintf(head, sizeof head, "%s%s%.100s%s%s: ", placer->roofs->device,
                 *placer->roofs->name ? ", " : "", placer->roofs->name,
                 writing->view ? ", " : "", writing->view ? writing->view->name : "");
        say_conditions(placer, text, sizeof text);
        write_wrapped(writing, head,
                      writing->view ? writing->view->summary
                      : placer->options.clock_hz == RFL_OF_CODE ||
                              placer->options.concurrency == RFL_OF_CODE
                          ? "roofs for the clock and concurrency of each, where known"
                          : text);
        writing->remarks.n = 0;
        rfl_remarks_common(placer, &writing->remarks);
        for (size_t i = 0; i < writing->remarks.n; i++)
            write_wrapped(writing, remark_heads[RFL_REMARK_CEILINGS],
                          writing->remarks.list[i].text);
    }
    if (!writing->view && (placer || (origin && *origin)))
        fputs("\n", writing->out);
}

/* ---- remarks: each kind once, below the tables ---- */

/* Adds a kernel's remarks to their kinds, which differ only in numbers; all wrong roofs are one kind. */
static void group_remarks(struct writing *writing, size_t kernel)
{
    for (size_t r = 0; r < writing->remarks.n; r++) {
        const struct rfl_remark *remark = &writing->remarks.list[r];
        if (!writing->view && remark->kind >= RFL_REMARK_REACH)
            continue; /* details of the roofs */
        char *text = remark_text(remark),
             *kind = rfl_text_kind(remark->kind == RFL_REMARK_WRONG ? "wrong roof" : text);
        size_t index = ert_strings_index(&writing->kinds, kind);
        free(kind);
        if (index == writing->n_groups) {
            writing->groups = ert_xgrow(writing->groups, writing->n_groups,
                                        &writing->group_capacity, sizeof *writing->groups);
            writing->groups[writing->n_groups++] = (struct group){text, 0, 0};
        } else {
            free(text);
        }
        struct group *group = &writing->groups[index];
        group->n += group->last != kernel + 1;
        group->last = kernel + 1;
    }
}

static void write_remarks(const struct writing *writing)
{
    const size_t n_points = writing->report->points->n,
                 most = writing->view ? writing->n_groups : MOST_REMARKS;
    for (size_t i = 0; i < writing->n_groups && i < most; i++) {
        const struct group *group = &writing->groups[i];
        char head[64] = "  ";
        if (n_points > 1)
            snprintf(head, sizeof head,
                     group->n == n_points ? "  all kernels: " : "  %zu of %zu kernels: ",
                     group->n, n_points);
        write_wrapped(writing, head, group->text);
    }
    if (writing->n_groups > most)
        fprintf(writing->out, "  %zu more remarks: --view hierarchical\n",
                writing->n_groups - most);
}

/* ---- a kernel's line, and its rows in a view ---- */

/* All remarks, "a; b", for CSV. */
static char *join_remarks(const struct writing *writing)
{
    char *all = ert_xstrdup("");
    for (size_t i = 0; i < writing->remarks.n; i++) {
        char *text = remark_text(&writing->remarks.list[i]),
             *more = ert_xprintf("%s%s%s", all, *all ? "; " : "", text);
        free(text);
        free(all);
        all = more;
    }
    return all;
}

static struct line line_of(struct writing *writing, const struct rfl_point *point,
                           const struct rfl_placement *placement)
{
    const double flops = point->n_work ? rfl_point_flops(point) : NAN;
    struct line line = {
        .kernel = point->name,
        .run = point->run,
        .rate_unit = point->n_work ? ert_unit_words[ert_unit_of_type(point->work[0].type)]
                                   : "flop/s",
        .time_s = rfl_view_known(point->time_s),
        .share = rfl_view_known(point->time_s) / rfl_view_known(writing->whole_s),
        .launches = rfl_view_known(point->launches),
        .rate = flops / rfl_view_known(point->time_s),
        .operations = flops,
        .fma_share = 100 * (flops / rfl_point_instructions(point) - 1),
        .spread =
            50 * (rfl_view_known(point->time_high_s) - point->time_low_s) / point->time_s};
    line.flop_per_s = line.rate;
    if (!writing->report->placer)
        return line;
    const struct rfl_placed *bound = &placement->placed[placement->bound_index];
    if (!point->n_work && placement->bound != RFL_BOUND_NONE &&
        (writing->tables & SHARES)) {
        line.rate =
            rfl_view_known(bound->reached); /* without operations, the bytes of the bound */
        line.rate_unit = bound->unit;
    }
    line.device = writing->report->placer->roofs->device;
    line.bound = *placement->bound_name
                     ? ert_strings_keep(&writing->strings, placement->bound_name)
                 : writing->format == ERT_TEXT_CSV ? ""
                                                   : "-";
    line.fraction = rfl_view_known(placement->fraction);
    line.least = line.fraction;
    line.most = NAN;
    if (writing->format == ERT_TEXT_CSV ||
        rfl_is_range(placement->least, placement->most)) {
        line.least = rfl_view_known(placement->least);
        line.most = rfl_view_known(placement->most);
    }
    line.of_bound = 100 * line.fraction;
    line.of_peak =
        placement->n_units
            ? rfl_view_known(100 * placement->placed[placement->n_levels].fraction)
            : NAN;
    line.saved_s = rfl_view_known(placement->saved_s);
    line.hint = ert_strings_keep(&writing->strings, placement->hint);
    line.clock_hz = rfl_view_known(writing->report->placer->roofs->clock_hz);
    line.advice = placement->advice;
    return line;
}

/* "v0 (nw=2): 1.2 s, 8 launches, 3.400 TFLOP/s, attainable 5.000 TFLOP/s, roofs as measured ..." */
static void write_kernel_head(const struct writing *writing,
                              const struct rfl_placement *placement)
{
    const struct rfl_point *point = placement->point;
    char text[512] = "", conditions[192];
    if (point->time_s > 0)
        ert_append(text, sizeof text, "%s, ", ert_units_time(point->time_s).text);
    if (point->launches > 1)
        ert_append(text, sizeof text, "%.0f launches, ", point->launches);
    if (placement->perf_flop_per_s > 0)
        ert_append(text, sizeof text, "%s, ",
                   ert_units_performance(placement->perf_flop_per_s).text);
    if (placement->attainable_flop_per_s > 0)
        ert_append(text, sizeof text, "attainable %s, ",
                   ert_units_performance(placement->attainable_flop_per_s).text);
    say_conditions(writing->report->placer, conditions, sizeof conditions);
    ert_text_print(writing->out, writing->format,
                   *point->run ? "\n%s (%s): %s%s\n" : "\n%s:%s %s%s\n", point->name,
                   point->run, text, conditions);
    if (writing->format == ERT_TEXT_MARKDOWN)
        fputs("\n", writing->out);
}

/* Adds a kernel's rows in the view; for readers a table of their own, with advice. */
static void write_view(struct writing *writing, const struct rfl_placement *placement,
                       struct line line)
{
    struct rfl_view_row rows[RFL_MAX_VIEW_ROWS] = {no_row};
    const bool is_csv = writing->format == ERT_TEXT_CSV;
    const size_t n = writing->view->rows(placement, rows);
    if (!is_csv) {
        write_kernel_head(writing, placement);
        add_headers(writing, HINT_RANK);
    }
    for (size_t r = 0; r < n || (is_csv && r == 0); r++) {
        line.row = rows[r];
        line.roof = rows[r].roof;
        line.bounds = !rows[r].bounds ? "" : is_csv ? "yes" : "<- bounds";
        add_line(writing, &line, HINT_RANK, placement->point);
        line.advice = line.remarks = NULL; /* once */
    }
    if (is_csv)
        return;
    if (n)
        rfl_table_write(&writing->table, writing->out);
    else
        fprintf(writing->out, "nothing known for the view '%s'\n", writing->view->name);
    rfl_table_free(&writing->table);
    if (rfl_advise)
        write_wrapped(writing, writing->format == ERT_TEXT_PLAIN ? "  = " : "  ",
                      placement->advice);
}

/* ---- the table of kernels ---- */

/* How many of the kernels, the longest first, are listed: without --top as many as fit a screen. */
static size_t count_listed(const struct writing *writing)
{
    const size_t n = writing->report->points->n, top = writing->report->top,
                 most = top ? top : MOST_KERNELS;
    if (!(writing->tables & SHARES) || n <= most || (!top && n == most + 1))
        return n; /* the row for the rest would be as long */
    return most;
}

/* Keeps the line of a kernel that is listed; sums the others in one, and all in another, without parts. */
static void keep_line(struct writing *writing, struct line line, bool is_part)
{
    struct line *lines = writing->lines;
    const size_t at = writing->n_lines++, listed = writing->n_listed;
    const size_t sums[] = {at < listed ? at : listed, listed + 1};
    if (at < listed)
        lines[at] = line;
    if (at < MOST_SENTENCES && at < listed && line.advice)
        lines[at].advice = ert_strings_keep(&writing->strings, line.advice);
    for (size_t i = at < listed; i < 2 && !(is_part && i == 1); i++) {
        struct line *sum = &lines[sums[i]];
        sum->time_s += line.time_s > 0 ? line.time_s : 0;
        sum->launches += line.launches > 0 ? line.launches : 0;
        sum->saved_s += line.saved_s > 0 ? line.saved_s : 0;
    }
}

/* Puts short names with their runs into the lines, at most `width` wide if that is possible. */
static void name_lines(struct writing *writing, size_t width)
{
    enum { OTHERS = 10000 }; /* of the longest: names must differ */
    const size_t all = writing->report->points->n,
                 n = all < writing->n_listed + OTHERS ? all : writing->n_listed + OTHERS;
    size_t run = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t own = ert_text_width(writing->points[i]->run);
        run = own && own + 3 > run ? own + 3 : run;
        writing->names[i] = writing->points[i]->name;
    }
    run = run < LONGEST_NAME ? run : 0;
    width = run + SHORTEST_NAME < width ? width - run : SHORTEST_NAME;
    if (!writing->report->full_names)
        rfl_names_short(&writing->strings, writing->names, n, width, writing->names);
    for (size_t i = 0; i < writing->n_listed; i++)
        writing->lines[i].kernel =
            *writing->points[i]->run
                ? ert_strings_format(&writing->strings, "%s (%s)", writing->names[i],
                                     writing->points[i]->run)
                : writing->names[i];
}

/* Adds all lines to the table, those of sums last; returns its width. */
static size_t fill_table(struct writing *writing, int rank)
{
    const size_t n = writing->report->points->n, listed = writing->n_listed;
    add_headers(writing, rank);
    for (size_t i = 0; i < listed + 2; i++) {
        struct line *line = &writing->lines[i];
        if (i >= listed) { /* "4 more", "total" */
            if (!(writing->tables & SHARES) || (i == listed && n == listed))
                continue;
            line->kernel =
                i > listed ? "total"
                           : ert_strings_format(&writing->strings, "%zu more", n - listed);
            line->share = rfl_view_known(line->time_s) / rfl_view_known(writing->whole_s);
            line->time_s = rfl_view_known(line->time_s);
            line->launches = rfl_view_known(line->launches);
            line->saved_s = rfl_view_known(line->saved_s);
        }
        add_line(writing, line, rank, i < listed ? writing->points[i] : NULL);
    }
    return rfl_table_width(&writing->table);
}

/*
 * Fills the table so that it fits: names are shortened while they are legible, then columns go, then names
 * are as short as they can be. Returns the rank up to which columns are there.
 */
static int fit_table(struct writing *writing)
{
    int rank = HINT_RANK;
    size_t room = LONGEST_NAME;
    if (!(writing->tables & SHARES) || writing->format != ERT_TEXT_PLAIN) {
        if (writing->tables & SHARES)
            name_lines(writing, room);
        fill_table(writing, rank);
        return rank;
    }
    for (;;) {
        name_lines(writing, room);
        const size_t width = fill_table(writing, rank),
                     name = writing->table.columns[0].width;
        if (width <= writing->width || (rank == 0 && room == SHORTEST_NAME))
            return rank;
        const size_t left =
            name + writing->width > width ? name + writing->width - width : 0;
        rfl_table_free(&writing->table);
        if (left < room && left >= (rank ? LEGIBLE_NAME : SHORTEST_NAME)) {
            room = left;
        } else if (rank) {
            rank--;
            room = LONGEST_NAME;
        } else {
            room = SHORTEST_NAME;
        }
    }
}

/* For a table without the column "what to do": lists the hints with their kernels. */
static void write_hints(const struct writing *writing)
{
    struct ert_strings seen = {.n_texts = 0};
    for (size_t i = 0; i < writing->n_listed; i++) {
        const char *hint = writing->lines[i].hint;
        const size_t n_seen = seen.n_texts;
        struct rfl_names names = {.left_out = 0};
        char head[64];
        ert_strings_index(&seen, hint);
        if (seen.n_texts == n_seen)
            continue;
        for (size_t k = i; k < writing->n_listed; k++)
            if (writing->lines[k].hint == hint)
                rfl_names_add(&names, 200, writing->lines[k].kernel);
        snprintf(head, sizeof head, "  %s: ", hint);
        write_wrapped(writing, head, rfl_names_end(&names));
    }
    ert_strings_free(&seen);
}

static void write_sentences(const struct writing *writing)
{
    for (size_t i = 0; i < writing->n_listed; i++) {
        char head[128];
        snprintf(head, sizeof head, "  %s: ", writing->lines[i].kernel);
        write_wrapped(writing, head, writing->lines[i].advice);
    }
}

/* "The table covers 97.2 % of the 1.2 s in which the device worked; that is 43 % of the run's 2.8 s." */
static void write_coverage(const struct writing *writing)
{
    const double busy_s = writing->report->points->busy_s,
                 elapsed_s = writing->report->points->elapsed_s,
                 time_s = writing->lines[writing->n_listed + 1].time_s;
    char text[320] = "";
    if (busy_s > 0)
        ert_append(text, sizeof text, "%.3g %% of the %s in which %s worked",
                   100 * time_s / busy_s, ert_units_time(busy_s).text,
                   writing->report->placer->roofs->device);
    if (elapsed_s > 0)
        ert_append(text, sizeof text, "%s%.3g %% of the run's %s", *text ? ", " : "",
                   100 * time_s / elapsed_s, ert_units_time(elapsed_s).text);
    if (busy_s > 0 && busy_s < 0.9995 * elapsed_s) /* as the digits show it */
        ert_append(text, sizeof text, ", in %.1f %% of which it was idle",
                   100 * (1 - busy_s / elapsed_s));
    if (elapsed_s > 0 && time_s > elapsed_s)
        ert_append(text, sizeof text,
                   ": launches overlap (streams, GPUs, processes), or regions hold others, "
                   "so headrooms do not add up");
    if (*text)
        write_wrapped(writing, "  the table covers ", text);
}

/* The times of the first and of the latest point of a run; 0: not known yet. */
struct run {
    double first_s, before_s;
};

static void compare_versions(struct line *line, struct run *run)
{
    line->speedup = (run->first_s > 0 ? run->first_s : line->time_s) / line->time_s;
    line->step = rfl_view_known(run->before_s) / line->time_s;
    if (!(line->time_s > 0))
        return;
    run->before_s = line->time_s;
    run->first_s = run->first_s > 0 ? run->first_s : line->time_s;
}

/* Places each kernel once: its rows or its line, and its remarks. */
static void write_kernels(struct writing *writing)
{
    const struct rfl_report *report = writing->report;
    const bool is_csv = writing->format == ERT_TEXT_CSV;
    struct ert_strings names = {.n_texts = 0}; /* of runs */
    struct run *runs = ert_xcalloc(report->points->n + 1, sizeof *runs);
    for (size_t i = 0; i < report->points->n; i++) {
        const struct rfl_point *point = writing->points[i];
        struct rfl_placement placement;
        writing->remarks.n = 0;
        if (report->placer) {
            rfl_placer_place(report->placer, point, &placement);
            if (is_csv)
                rfl_remarks_common(report->placer, &writing->remarks);
            rfl_remarks_of(report->placer, &placement, &writing->remarks);
        }
        struct line line = line_of(writing, point, &placement);
        compare_versions(&line, &runs[ert_strings_index(&names, point->run)]);
        if (is_csv)
            line.remarks = join_remarks(writing);
        else
            group_remarks(writing, i);
        if (writing->view)
            write_view(writing, &placement, line);
        else if (is_csv)
            add_line(writing, &line, HINT_RANK, point);
        else
            keep_line(writing, line,
                      rfl_point_value(writing->points[i], "part_of_run") > 0);
        if (is_csv)
            rfl_table_flush(&writing->table, writing->out);
        free(line.remarks);
        ert_strings_free(&writing->remarks.strings);
    }
    ert_strings_free(&names);
    free(runs);
}

static void write_report(struct writing *writing)
{
    const bool is_csv = writing->format == ERT_TEXT_CSV;
    if (is_csv)
        add_headers(writing, HINT_RANK);
    else
        write_head(writing);
    write_kernels(writing);
    if (!writing->view && !is_csv) {
        int rank = fit_table(writing);
        rfl_table_write(&writing->table, writing->out);
        if (!(writing->tables & SHARES))
            return;
        fputs("\n", writing->out);
        write_coverage(writing);
        if (rfl_advise && writing->n_listed <= MOST_SENTENCES)
            write_sentences(writing);
        else if (rfl_advise && rank < HINT_RANK)
            write_hints(writing);
    }
    if (is_csv)
        rfl_table_write(&writing->table, writing->out);
    else
        write_remarks(writing);
}

/* Which points, in which order. */
static void open_report(struct writing *writing, bool is_shares)
{
    const struct rfl_points *points = writing->report->points;
    writing->points = ert_xcalloc(points->n + 1, sizeof *writing->points);
    writing->names = ert_xcalloc(points->n + 1, sizeof *writing->names);
    for (size_t i = 0; i < points->n; i++) {
        writing->points[i] = &points->points[i];
        for (size_t t = 0; t < points->points[i].n_traffic; t++)
            ert_strings_keep(&writing->levels, points->points[i].traffic[t].level);
    }
    if (is_shares)
        qsort(writing->points, points->n, sizeof *writing->points, rfl_point_compare_times);
    writing->n_listed = count_listed(writing);
    writing->lines = ert_xcalloc(writing->n_listed + 2, sizeof *writing->lines);
    writing->lines[writing->n_listed] = writing->lines[writing->n_listed + 1] = no_kernel;
}

static void close_report(struct writing *writing)
{
    for (size_t i = 0; i < writing->n_groups; i++)
        free(writing->groups[i].text);
    free(writing->groups);
    free(writing->points);
    free(writing->names);
    free(writing->lines);
    ert_strings_free(&writing->strings);
    ert_strings_free(&writing->levels);
    ert_strings_free(&writing->kinds);
    ert_strings_free(&writing->remarks.strings);
}

enum ert_status rfl_report_write(const void *about, FILE *out, struct ert_error *error)
{
    const struct rfl_report *report = about;
    const bool is_summary = report->view && strcmp(report->view, "summary") == 0,
               is_shares = !report->view || strcmp(report->view, "shares") == 0;
    struct writing writing = {.report = report,
                              .out = out,
                              .format = rfl_table_format(report->format),
                              .width =
                                  report->columns ? report->columns : RFL_REPORT_COLUMNS};
    if (!is_summary && !is_shares)
        ERT_TRY(rfl_view_find(report->view, &writing.view, error));
    writing.tables = writing.view     ? VIEW
                     : is_shares      ? SHARES
                     : report->placer ? VERSIONS | PLACED_VERSIONS
                                      : VERSIONS;
    if (report->placer)
        writing.whole_s =
            rfl_points_time(report->points, report->placer->roofs->kind == ERT_DEVICE_CPU);
    if (strcmp(report->format, "json") == 0)
        return rfl_report_json ? rfl_report_json(report, out, error)
                               : ert_fail(error, ERT_UNAVAILABLE,
                                          "no JSON: this build does not write it");
    open_report(&writing, is_shares);
    write_report(&writing);
    close_report(&writing);
    return ERT_OK;
}
