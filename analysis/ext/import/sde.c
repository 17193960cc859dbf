/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intel SDE, `sde -mix`: the histogram of executed instructions, in blocks that end with "*total": of the
 * whole process (EMIT_GLOBAL_DYNAMIC_STATS), of each thread, and of functions (on each thread). The layout is
 * known from NERSC's parse-sde.sh and Pin's opcodemix, from which SDE's mix derives.
 *
 * Intel, "Calculating FLOP using Intel SDE", and NERSC's parse-sde.sh (bitbucket.org/dwdoerf/
 * stream-ai-example) give the arithmetic:
 *
 * - "*elements_fp_double_4 N": N instructions of 4 elements each, so 4 N operations;
 * - it counts an FMA once: so one more operation per element of each FMA, whose width is in its iform
 *   (VFMADD213PD_YMMqq_...), so that the mix must be made with -iform 1;
 * - "*mem-read-16 N", "*mem-write-16 N": N accesses of 16 bytes that the core requests from L1;
 * - masked AVX-512: the mask's share is only in -dyn_mask_profile's XML, which is not read. The iforms of an
 *   FMA are the same with and without a mask, so all are counted with all elements: an upper bound.
 */
#include "analysis/ext/import/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_TYPES = 3 };

struct mix {
    double flops[N_TYPES], instructions[N_TYPES];
    double fma[N_TYPES], fma_flops[N_TYPES];
    double masked[N_TYPES], read_bytes, written_bytes, total;
    bool lists_instructions, fma_without_width;
    const char *unread; /* what counts operations of another type; NULL nothing */
    const char *why[2]; /* a count of operations, of bytes is no number; or NULL */
};

static const struct {
    const char *type, *element;
    char suffix;              /* of the instruction: PD, SD; PS, SS; PH, SH */
    double register_elements; /* of 16 bytes */
} types[N_TYPES] = {
    {"fp64", "double", 'D', 2},
    {"fp32", "single", 'S', 4},
    {"fp16", "half",   'H', 8}
};

/*
 * "*elements_fp_double_4": type and elements; masked ones end in _masked, and count with all elements. False
 * for another type.
 */
static bool count_elements(struct mix *mix, const char *name, double count)
{
    for (size_t i = 0; i < N_TYPES; i++) {
        size_t length = strlen(types[i].element);
        char *end;
        if (strncmp(name, types[i].element, length) != 0 || name[length] != '_')
            continue;
        double width = (double)strtoul(name + length + 1, &end, 10);
        bool is_masked = strcmp(end, "_masked") == 0;
        if ((*end && !is_masked) || !(width >= 1 && width <= 64))
            return false;
        mix->flops[i] += width * count;
        mix->instructions[i] += count;
        mix->masked[i] += is_masked ? count : 0;
        return true;
    }
    return false;
}

/* VFMADD213PD_YMMqq_YMMqq_MEMqq, VFNMSUB231SS_...: one more operation per element. */
static void count_fma(struct mix *mix, const char *iform, double count)
{
    static const struct {
        const char *operand;
        double registers;
    } widths[] = {
        {"_XMM", 1},
        {"_YMM", 2},
        {"_ZMM", 4}
    };
    size_t length = strcspn(iform, "_");
    if (length < 8)
        return;
    bool is_scalar = iform[length - 2] == 'S';
    if (!is_scalar && iform[length - 2] != 'P')
        return;
    for (size_t i = 0; i < N_TYPES; i++) {
        double elements = is_scalar;
        if (iform[length - 1] != types[i].suffix)
            continue;
        for (size_t j = 0; j < 3 && !is_scalar; j++)
            if (strncmp(iform + length, widths[j].operand, 4) == 0)
                elements = widths[j].registers * types[i].register_elements;
        mix->fma_without_width |= elements == 0;
        mix->fma[i] += count;
        mix->fma_flops[i] += elements * count;
    }
}

/* The bytes in "16"; 0 for what is not a number (other kinds of mem-read-...). */
static double sde_size_of(const char *text)
{
    char *end;
    unsigned long bytes = strtoul(text, &end, 10);
    return *end || bytes > 4096 ? 0 : (double)bytes;
}

/* Whether an instruction computes with other types: AMX's, on BF16, the x87 unit's. */
static bool is_other(const char *iform)
{
    static const char *const names[] = {"TDP",  "VDPBF16", "FADD",  "FMUL",
                                        "FDIV", "FSUB",    "FIADD", "FIMUL"};
    for (size_t i = 0; i < ERT_LENGTH(names); i++)
        if (strncmp(iform, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static void mix_row(struct mix *mix, struct rfl_points *points, const char *name,
                    double count)
{
    bool is_elements = strncmp(name, "*elements_fp_", 13) == 0;
    mix->lists_instructions |= *name != '*';
    if ((is_elements ? !count_elements(mix, name + 13, count) : is_other(name)) &&
        count > 0 && !mix->unread)
        mix->unread = rfl_points_text(points, name);
    if (strncmp(name, "VFM", 3) == 0 || strncmp(name, "VFNM", 4) == 0)
        count_fma(mix, name, count);
    else if (strcmp(name, "*total") == 0)
        mix->total += count;
    else if (strncmp(name, "*mem-read-", 10) == 0)
        mix->read_bytes += sde_size_of(name + 10) * count;
    else if (strncmp(name, "*mem-write-", 11) == 0)
        mix->written_bytes += sde_size_of(name + 11) * count;
}

static void sde_put_work(const struct mix *mix, struct rfl_point *point)
{
    if (mix->why[0]) {
        rfl_points_missing(point, "operations", "%s", mix->why[0]);
        return;
    }
    for (size_t i = 0; i < N_TYPES; i++) {
        char what[16], recipe[128];
        snprintf(what, sizeof what, "%s flops", types[i].type);
        if (mix->fma[i] > 0 && mix->fma_without_width) {
            rfl_points_missing(point, what,
                               "%.0f FMA instructions are listed without their width: run "
                               "sde with -iform 1",
                               mix->fma[i]);
            continue;
        }
        if (mix->flops[i] > 0 && !mix->lists_instructions) {
            rfl_points_missing(
                point, what,
                "the block lists no instructions, so the FMA share is not known");
            continue;
        }
        snprintf(recipe, sizeof recipe,
                 "sum of N x elements_fp_%s_N + elements of the FMA iforms (SDE)",
                 types[i].element);
        rfl_points_work(point, types[i].type, "core", mix->flops[i] + mix->fma_flops[i],
                        mix->fma[i] <= mix->instructions[i] && mix->instructions[i] > 0
                            ? mix->fma[i] / mix->instructions[i]
                            : NAN,
                        recipe);
        if (mix->masked[i] > 0)
            rfl_points_warn(
                point,
                "%s: an upper bound: %.0f masked AVX-512 instructions are counted "
                "with all their elements; the active ones are only in the XML of "
                "-dyn_mask_profile, which is not read",
                types[i].type, mix->masked[i]);
    }
}

static void mix_put(const struct mix *mix, struct rfl_point *point)
{
    sde_put_work(mix, point);
    if (mix->why[1])
        rfl_points_missing(point, "L1 bytes", "%s", mix->why[1]);
    else
        rfl_points_accesses(point, "L1", mix->read_bytes + mix->written_bytes,
                            mix->read_bytes, false,
                            "sum of N x mem-read-N + N x mem-write-N (SDE)");
    point->instructions = mix->total;
    if (mix->unread)
        rfl_points_warn(
            point,
            "not used, though they can count operations or bytes: %s, and perhaps "
            "others",
            mix->unread);
}

enum section { NONE, GLOBAL, THREAD, FUNCTION, N_SECTIONS };

struct reader {
    const struct rfl_import *in;
    enum section section;
    const char *function; /* owned by the points; "" none yet */
    struct mix block;     /* includes previous ones of its section, except for functions */
    struct mix sums[N_SECTIONS]; /* of complete blocks */
    size_t n_blocks[N_SECTIONS];
    size_t first, n_runs; /* point of this run; runs before it in the file */
};

static struct rfl_point *new_point(const struct reader *reader, const char *name)
{
    struct rfl_points *points = reader->in->points;
    struct rfl_point *point = rfl_points_add(points, name);
    if (reader->n_runs)
        point->run = ert_strings_format(&points->strings, "run %zu", reader->n_runs + 1);
    rfl_points_missing(point, "time",
                       "SDE emulates the instructions, its time is not that of the "
                       "program: time a run without SDE");
    rfl_points_missing(point, "DRAM bytes",
                       "SDE sees the requests of the core, not the traffic between caches: "
                       "count with likwid-perfctr, perf or VTune");
    return point;
}

/* Each thread of a function has its own block; all are summed into one point. */
static void end_function(const struct reader *reader)
{
    const struct rfl_import_options *options = reader->in->options;
    struct rfl_points *points = reader->in->points;
    if ((!options->list && !options->region) ||
        (options->region && !strstr(reader->function, options->region)))
        return;
    struct rfl_point *point = rfl_points_named(points, reader->first, reader->function);
    if (!point)
        point = new_point(reader, reader->function);
    double before = point->instructions;
    mix_put(&reader->block, point);
    point->instructions += before;
}

static void begin_block(struct reader *reader, enum section section)
{
    reader->section = section;
    reader->block = reader->sums[section];
}

/* "*total" ends a block; one without it does not count. */
static void end_block(struct reader *reader)
{
    reader->n_blocks[reader->section]++;
    if (reader->section == FUNCTION)
        end_function(reader);
    else
        reader->sums[reader->section] = reader->block;
    reader->section = NONE;
}

/* "# $dynamic-counts-for-function: void f<1>(int)  IMG: /a.out at [0x1, 0x2)   1.3%" */
static void begin_function(struct reader *reader, const char *name)
{
    const char *end = strstr(name, "  IMG:");
    end = end ? end : strstr(name, " at [");
    int length = (int)(end ? (size_t)(end - name) : strlen(name));
    reader->function =
        ert_strings_format(&reader->in->points->strings, "%.*s", length, name);
    begin_block(reader, FUNCTION);
}

static void sde_read_comment(struct reader *reader, const char *line)
{
    static const char function[] = "# $dynamic-counts-for-function: ";
    if (strncmp(line, "# EMIT_GLOBAL_DYNAMIC_STATS", 27) == 0)
        begin_block(reader, GLOBAL);
    else if (strncmp(line, "# EMIT_DYNAMIC_STATS FOR TID", 28) == 0)
        begin_block(reader, THREAD);
    else if (strncmp(line, function, sizeof function - 1) == 0)
        begin_function(reader, line + sizeof function - 1);
    else if (strncmp(line, "# END_", 6) == 0 || strncmp(line, "# EMIT_", 7) == 0)
        begin_block(reader, NONE);
}

/* Reads a row "NAME   COUNT" of a block; other lines, and bad counts of what is not used, are skipped. */
static enum ert_status sde_read_row(struct reader *reader, char *line,
                                    struct ert_error *error)
{
    struct rfl_cell count;
    char *rest = line;
    const char *name = ert_lines_word(&rest), *text = ert_lines_word(&rest);
    bool is_bytes = strncmp(name, "*mem-", 5) == 0;
    if (name != line || !*text)
        return ERT_OK;
    ERT_TRY(rfl_cell_read(reader->in, name, text, &count, error));
    if (!count.why)
        mix_row(&reader->block, reader->in->points, name, count.value);
    else if (is_bytes || strncmp(name, "*elements_fp_", 13) == 0 ||
             strncmp(name, "VF", 2) == 0)
        reader->block.why[is_bytes] =
            ert_strings_format(&reader->in->points->strings, "%s: %s", name, count.why);
    if (strcmp(name, "*total") == 0)
        end_block(reader);
    return ERT_OK;
}

static enum ert_status whole_program(const struct reader *reader, struct ert_error *error)
{
    const struct rfl_import_options *options = reader->in->options;
    const char *file = reader->in->lines->file;
    bool by_function = options->list || options->region;
    if (by_function && !reader->n_blocks[FUNCTION])
        return ert_fail(error, ERT_USAGE,
                        "%.200s: contains no counts per function; without --list and "
                        "--kernel it is one point",
                        file);
    if (!by_function && !reader->n_blocks[GLOBAL] && !reader->n_blocks[THREAD])
        return ert_fail(
            error, ERT_USAGE,
            "%.200s: no block of dynamic counts that ends with *total: is it truncated?",
            file);
    if (!by_function)
        mix_put(&reader->sums[reader->n_blocks[GLOBAL] ? GLOBAL : THREAD],
                new_point(reader, "whole program"));
    return ERT_OK;
}

static enum ert_status sde_read(const struct rfl_import *in, struct ert_error *error)
{
    static const char begin[] = "# Mix output version";
    struct reader reader = {.in = in, .section = NONE, .function = "", .first = in->first};
    for (char *line; (line = ert_lines_next(in->lines));) {
        if (strncmp(line, begin, sizeof begin - 1) == 0 &&
            (reader.n_blocks[GLOBAL] || reader.n_blocks[THREAD] ||
             reader.n_blocks[FUNCTION])) {
            ERT_TRY(whole_program(&reader, error)); /* the file of another run */
            reader = (struct reader){.in = in,
                                     .section = NONE,
                                     .function = "",
                                     .first = in->points->n,
                                     .n_runs = reader.n_runs + 1};
        } else if (*line == '#')
            sde_read_comment(&reader, line);
        else if (reader.section != NONE)
            ERT_TRY(sde_read_row(&reader, line, error));
    }
    in->points->origin = "Intel SDE, instruction mix";
    return whole_program(&reader, error);
}

static bool sde_recognizes(const char *head)
{
    return strstr(head, "# EMIT_GLOBAL_DYNAMIC_STATS") ||
           strstr(head, "# EMIT_DYNAMIC_STATS FOR TID") ||
           strstr(head, "# $dynamic-counts") || strstr(head, "# Mix output version");
}

const struct rfl_importer rfl_import_sde = {
    .name = "sde",
    .summary = "Intel SDE: the instruction mix (operations, bytes at L1)",
    .how = "sde64 -mix -iform 1 -omix FILE -- ./a.out",
    .device = RFL_PROFILED_CPU,
    .recognizes = sde_recognizes,
    .read = sde_read,
};
