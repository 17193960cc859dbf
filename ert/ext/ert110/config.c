/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/ert110/ert110.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/fields.h"
#include "ert/ext/base/lines.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers: keys, members, limits. */
#define NUMBERS(ROW)                                                                       \
    ROW("ert110_memory_bytes", U64, memory.bytes, 1, 0x1p46)                               \
    ROW("ert110_set_min", U64, set_min, 1, 0x1p40)                                         \
    ROW("ert110_trials_min", U64, trials_min, 1, 0x1p40)                                   \
    ROW("ert110_align_bytes", COUNT, memory.align_bytes, 8, 4096)                          \
    ROW("ert110_is_aligned", SWITCH, memory.is_aligned, 0, 1)                              \
    ROW("ert110_at_once", COUNT, at_once, 1, 2)                                            \
    ROW("ert110_growth", NUMBER, growth, 1.001, 16)
#define FIELD(key, kind, member, min, max)                                                 \
    ERT_ROW_WITHIN(struct ert110_options, key, kind, member, OPTIONAL, min, max),
#define KEY(key, ...) key,

static const struct ert_field number_rows[] = {NUMBERS(FIELD)};
/* The last keys are of older files, and are not looked at. */
const char *const ert110_config_keys[] = {NUMBERS(KEY) "ert110_threads", "ert110_shapes",
                                          "ert110_copies", NULL};

_Static_assert(sizeof(struct ert110_options) <=
                   sizeof((struct ert_config *)NULL)->mode_options,
               "the core keeps all options");

struct ert110_options *ert110_own_options(struct ert_config *config)
{
    struct ert110_options *own = (struct ert110_options *)(void *)config->mode_options;
    if (own->growth == 0)
        *own = (struct ert110_options){
            .memory = {.bytes = UINT64_C(1) << 30, .align_bytes = 64},
            .set_min = 1,
            .trials_min = 1,
            .at_once = 2,
            .growth = 1.1
        };
    return own;
}

struct ert110_options ert110_options_of(const struct ert_config *config)
{
    struct ert_config copy = *config;
    return *ert110_own_options(&copy);
}

void ert110_config_write(const struct ert_config *config, cJSON *root)
{
    const struct ert110_options own = ert110_options_of(config);
    ert_fields_write(root, ERT_ROWS(number_rows), &own);
}

static enum ert_status check_align(const char *who, const struct ert110_memory *memory,
                                   struct ert_error *error)
{
    if ((memory->align_bytes & (memory->align_bytes - 1)) == 0)
        return ERT_OK;
    return ert_fail(error, ERT_USAGE, "%s: %u, must be a power of two", who,
                    memory->align_bytes);
}

/* Of the memory, in a file of ceilings. */
static const struct ert_field memory_rows[] = {
#define ROW(key, kind, min, max)                                                           \
    ERT_ROW_WITHIN(struct ert110_memory, #key, kind, key, VALUE, min, max)
    ROW(bytes, U64, 1, 0x1p46),
    ROW(align_bytes, COUNT, 8, 4096),
    ROW(is_aligned, SWITCH, 0, 1),
#undef ROW
};

void ert110_memory_write(const struct ert110_memory *memory, char *text, size_t size)
{
    cJSON *object = cJSON_CreateObject();
    ert_fields_write(object, ERT_ROWS(memory_rows), memory);
    if (!cJSON_PrintPreallocated(object, text, (int)size, 0))
        *text = '\0';
    cJSON_Delete(object);
}

/* The same back; ERT_USAGE for a bad value. */
static enum ert_status ert110_memory_read(const char *text, struct ert110_memory *memory,
                                          struct ert_error *error)
{
    if (!*text) /* an older file */
        return ERT_OK;
    cJSON *object = cJSON_Parse(text);
    enum ert_status status = ert_fields_read(ert_json_root(object, "mode_data"),
                                             ERT_ROWS(memory_rows), memory, error);
    cJSON_Delete(object);
    return status != ERT_OK ? status : check_align("mode_data: align_bytes", memory, error);
}

enum ert_status ert110_config_read(struct ert_json at, struct ert_config *config,
                                   struct ert_error *error)
{
    struct ert_config read = *config;
    struct ert110_options *options = ert110_own_options(&read);
    char who[512];
    ERT_TRY(ert_fields_read(at, ERT_ROWS(number_rows), options, error));
    snprintf(who, sizeof who, "%.480s: ert110_align_bytes", at.file);
    ERT_TRY(check_align(who, &options->memory, error));
    if (config->sections[ERT_SECTION_ert110])
        *config = read;
    return ERT_OK;
}

/* Of a file's ceilings; those of a GPU's blocks do not count. */
static uint32_t most_threads(const struct ert_ceilings *ceilings)
{
    uint32_t most = 0;
    for (size_t d = 0; d < ceilings->n_devices; d++) {
        const struct ert_ceiling_span of = ert_ceilings_main(&ceilings->devices[d]);
        for (size_t i = 0; i < of.n; i++) {
            const struct ert_evidence *evidence = of.at[i].evidence;
            if (evidence->blocks == 0 && evidence->launch.threads > most)
                most = evidence->launch.threads;
        }
    }
    return most;
}

enum ert_status ert110_preset(struct ert_config *config,
                              const struct ert_ceilings *recorded, struct ert_error *error)
{
    struct ert110_options *own = ert110_own_options(config);
    snprintf(config->name, sizeof config->name, "ert-1.1.0");
    memset(config->sections, 0, sizeof config->sections);
    config->sections[ERT_SECTION_ert110] = true;
    for (int i = 0; i < ERT_N_KERNELS; i++)
        config->kernels[i] = i == ERT_KERNEL_ert_fp64;
    /* As ERT's examples, of CPUs and GPUs. */
    for (int i = 0; i < ERT_N_MIXED_FLOPS; i++)
        config->mixed_flops[i] = ert_kernel_mixed_flops[i] <= 256;
    config->region_s = 2e-3;
    config->rounds = 1;
    config->candidate_rounds = 0;
    config->sustained_s = 0;
    config->budget_s = 0;
    if (!recorded)
        return ERT_OK;
    own->n_threads = 1;
    own->threads[0] = most_threads(recorded);
    return ert110_memory_read(recorded->mode_data, &own->memory, error);
}

enum { MAX_SET = 4096 };

/* A key of the file: its last line, the words behind it with one blank between them, "" none. */
struct row {
    size_t line; /* from 1 */
    char *key;   /* malloc, owned: the line, which value is a part of */
    const char *value;
    bool was_there; /* an earlier line had the key too */
    bool is_used;   /* the key was looked for */
};

/* The file while it is read, and what was found so far. */
struct reading {
    const char *name; /* for errors */
    struct row *rows;
    size_t n, capacity;
    struct ert_config *config;
    struct ert_error *error;
    bool has_mpi, has_openmp, has_gpu;
};

static const char blanks[] = " \t\r\f\v";

static struct row *find_key(const struct reading *reading, const char *key)
{
    for (size_t i = 0; i < reading->n; i++)
        if (strcmp(reading->rows[i].key, key) == 0) {
            reading->rows[i].is_used = true;
            return &reading->rows[i];
        }
    return NULL;
}

static enum ert_status fail_at(const struct reading *reading, const struct row *row,
                               const char *text)
{
    return ert_fail(reading->error, ERT_USAGE, "%s: line %zu: %s: '%.80s', %s",
                    reading->name, row->line, row->key, row->value, text);
}

static void ert110_config_read_line(struct reading *reading, const struct ert_lines *lines)
{
    const char *begin = lines->line + strspn(lines->line, blanks);
    if (lines->line[0] == '#' || !*begin)
        return;
    char *key = ert_xstrdup(begin), *rest = key + strcspn(key, blanks);
    if (*rest)
        *rest++ = '\0';
    char *value = rest, *to = rest;
    for (char *word; (word = strtok_r(rest, blanks, &rest)) != NULL;) {
        size_t length = strlen(word);
        if (to > value)
            *to++ = ' ';
        memmove(to, word, length);
        to += length;
    }
    *to = '\0';
    struct row *row = find_key(reading, key);
    bool was_there = row != NULL;
    if (was_there)
        free(row->key);
    else {
        reading->rows =
            ert_xgrow(reading->rows, reading->n, &reading->capacity, sizeof *reading->rows);
        row = &reading->rows[reading->n++];
    }
    *row = (struct row){lines->number, key, value, was_there, false};
}

static enum ert_status read_keys(struct reading *reading)
{
    struct ert_lines lines;
    ERT_TRY(ert_lines_open(reading->name, &lines, reading->error));
    while (ert_lines_next(&lines))
        ert110_config_read_line(reading, &lines);
    enum ert_status status = ert_lines_end(&lines, reading->error);
    ert_lines_close(&lines);
    return status;
}

static enum ert_status get_flag(const struct reading *reading, const char *key, bool *value)
{
    const struct row *row = find_key(reading, key);
    *value = row && strcmp(row->value, "True") == 0;
    if (!row || *value || strcmp(row->value, "False") == 0)
        return ERT_OK;
    return fail_at(reading, row, "must be True or False");
}

/* A number with C's suffixes; *end is what follows. */
static bool get_number(const char *text, const char **end, uint64_t *value)
{
    char *after;
    errno = 0;
    if (!isdigit((unsigned char)*text))
        return false;
    *value = strtoull(text, &after, 0);
    *end = after + strspn(after, "uUlL");
    return errno == 0;
}

/* Numbers above 0, ascending, each once. */
struct set {
    size_t n;
    uint32_t numbers[MAX_SET];
};

/* Puts a number into its place; false when the set is full. */
static bool ert110_config_insert(struct set *set, uint32_t number)
{
    size_t at = set->n;
    while (at > 0 && set->numbers[at - 1] >= number)
        at--;
    if (at < set->n && set->numbers[at] == number)
        return true;
    if (set->n == MAX_SET)
        return false;
    memmove(set->numbers + at + 1, set->numbers + at, (set->n++ - at) * sizeof number);
    set->numbers[at] = number;
    return true;
}

/* One "N" or "N-M" at *text, which it moves behind it. */
static bool get_range(const char **text, struct set *set)
{
    uint64_t first, last;
    if (!get_number(*text, text, &first))
        return false;
    last = first;
    if (**text == '-' && !get_number(*text + 1, text, &last))
        return false;
    if (first == 0 || last < first || last > INT32_MAX || last - first >= MAX_SET)
        return false;
    for (uint64_t i = first; i <= last; i++)
        if (!ert110_config_insert(set, (uint32_t)i))
            return false;
    return true;
}

static enum ert_status get_set(const struct reading *reading, const char *key,
                               struct set *set)
{
    const struct row *row = find_key(reading, key);
    const char *text = row ? row->value : NULL;
    set->n = 0;
    while (row) {
        if (!get_range(&text, set) || (*text && *text != ','))
            return fail_at(reading, row,
                           "must be whole numbers above 0 and ranges of them, as in "
                           "1,2,6-8, 4096 at most");
        if (!*text++)
            break;
    }
    return ERT_OK;
}

static void remark(struct reading *reading, const char *format, ...)
{
    struct ert_config *config = reading->config;
    if (config->n_remarks == ERT_MAX_REMARKS) {
        snprintf(config->remarks[ERT_MAX_REMARKS - 1], ERT_REMARK_BYTES,
                 "more than %d remarks: the rest are not kept", ERT_MAX_REMARKS - 1);
        return;
    }
    ERT_FORMAT(config->remarks[config->n_remarks++], ERT_REMARK_BYTES, format);
}

/* One remark for all keys that nothing looked for, as many as it has room for; why: ert/ert-1.1.0.md. */
static void remark_ignored(struct reading *reading)
{
    char list[160] = "";
    size_t n_more = 0;
    for (size_t r = 0; r < reading->n; r++) {
        const struct row *row = &reading->rows[r];
        if (row->was_there)
            remark(reading, "%s appears more than once: the last, line %zu, is used",
                   row->key, row->line);
        if (row->is_used)
            continue;
        if (n_more > 0 || strlen(list) + strlen(row->key) + 2 >= sizeof list)
            n_more++;
        else
            ert_append(list, sizeof list, "%s%s", *list ? ", " : "", row->key);
    }
    if (n_more > 0)
        remark(reading, "not applied: %s and %zu more", list, n_more);
    else if (*list)
        remark(reading, "not applied: %s", list);
}

/* Of a CPU: processes times threads; here all are threads of one process. */
static enum ert_status ert110_config_add_threads(struct reading *reading, uint64_t threads)
{
    struct ert110_options *own = ert110_own_options(reading->config);
    if (threads > 65536)
        return ert_fail(reading->error, ERT_USAGE,
                        "%s: ERT_MPI_PROCS times ERT_OPENMP_THREADS: %llu, must be at "
                        "most 65536 (ERT_PROCS_THREADS chooses)",
                        reading->name, (unsigned long long)threads);
    for (uint32_t i = 0; i < own->n_threads; i++)
        if (own->threads[i] == threads)
            return ERT_OK;
    if (own->n_threads == ERT110_MAX_LIST)
        return ert_fail(reading->error, ERT_USAGE,
                        "%s: processes times threads: more than %d in all", reading->name,
                        ERT110_MAX_LIST);
    own->threads[own->n_threads++] = (uint32_t)threads;
    return ERT_OK;
}

static enum ert_status add_shape(struct reading *reading, uint32_t blocks, uint32_t threads)
{
    struct ert110_options *own = ert110_own_options(reading->config);
    if (threads > 1024)
        return fail_at(reading, find_key(reading, "ERT_GPU_THREADS"),
                       "must be at most 1024 per block");
    if (own->n_shapes == ERT110_MAX_LIST)
        return ert_fail(reading->error, ERT_USAGE,
                        "%s: blocks and threads: more than %d in all", reading->name,
                        ERT110_MAX_LIST);
    own->shapes[own->n_shapes++] = (struct ert110_shape){blocks, threads};
    return ERT_OK;
}

/* Pairs of two sets whose product a third allows (all, where that is absent). */
static enum ert_status ert110_config_read_pairs(struct reading *reading, struct set sets[3])
{
    static const char *const keys[2][3] = {
        {"ERT_MPI_PROCS",  "ERT_OPENMP_THREADS", "ERT_PROCS_THREADS" },
        {"ERT_GPU_BLOCKS", "ERT_GPU_THREADS",    "ERT_BLOCKS_THREADS"}
    };
    const bool is_gpu = reading->has_gpu, has_ranks = reading->has_mpi && !is_gpu;
    const bool counts[] = {is_gpu || reading->has_mpi, is_gpu || reading->has_openmp,
                           is_gpu || (reading->has_mpi && reading->has_openmp)};
    struct ert110_options *own = ert110_own_options(reading->config);
    uint32_t *n = is_gpu ? &own->n_shapes : &own->n_threads;
    *n = 0;
    for (int k = 0; k < 3; k++) {
        if (counts[k])
            ERT_TRY(get_set(reading, keys[is_gpu][k], &sets[k]));
        if (!is_gpu && k < 2 && sets[k].n == 0)
            ert110_config_insert(&sets[k], 1);
    }
    for (size_t i = 0; i < sets[0].n; i++)
        for (size_t j = 0; j < sets[1].n; j++) {
            uint32_t first = sets[0].numbers[i], second = sets[1].numbers[j];
            uint64_t product = (uint64_t)first * second;
            size_t k = 0;
            while (k < sets[2].n && sets[2].numbers[k] != product)
                k++;
            if (sets[2].n > 0 && k == sets[2].n)
                continue;
            ERT_TRY(is_gpu ? add_shape(reading, first, second)
                           : ert110_config_add_threads(reading, product));
        }
    if (has_ranks)
        remark(reading, "ERT_MPI: one process: ranks times threads of each are threads "
                        "here");
    if (*n == 0)
        return ert_fail(reading->error, ERT_USAGE, "%s: %s: no %s times %s is among them",
                        reading->name, keys[is_gpu][2], keys[is_gpu][0], keys[is_gpu][1]);
    return ERT_OK;
}

static enum ert_status read_launches(struct reading *reading)
{
    struct set *sets = ert_xcalloc(3, sizeof *sets);
    enum ert_status status = ert110_config_read_pairs(reading, sets);
    free(sets);
    return status;
}

static enum ert_status read_backend(struct reading *reading)
{
    static const char *const others[] = {"ERT_HIP", "ERT_OCL", "ERT_SYCL"};
    static const char *const names[][3] = {
        {"ERT_DRIVER", "driver1", "must be driver1, the only one of ERT 1.1.0"},
        {"ERT_KERNEL", "kernel1", "must be kernel1, the only one of ERT 1.1.0"}
    };
    bool is_true;
    for (size_t i = 0; i < ERT_LENGTH(names); i++) {
        const struct row *row = find_key(reading, names[i][0]);
        if (row && strcmp(row->value, names[i][1]) != 0)
            return fail_at(reading, row, names[i][2]);
    }
    ERT_TRY(get_flag(reading, "ERT_MPI", &reading->has_mpi));
    ERT_TRY(get_flag(reading, "ERT_OPENMP", &reading->has_openmp));
    ERT_TRY(get_flag(reading, "ERT_GPU", &reading->has_gpu));
    for (size_t i = 0; i < ERT_LENGTH(others); i++) {
        ERT_TRY(get_flag(reading, others[i], &is_true));
        if (is_true)
            return ert_fail(reading->error, ERT_UNAVAILABLE,
                            "%s: line %zu: %s: True: only CPUs and CUDA are supported",
                            reading->name, find_key(reading, others[i])->line, others[i]);
    }
    if (strcmp(reading->config->device, "all") == 0)
        snprintf(reading->config->device, sizeof reading->config->device, "%s",
                 reading->has_gpu ? "gpu" : "cpu");
    return ERT_OK;
}

/* FP64 FP32 FP16; without the key FP64 alone. */
static enum ert_status read_precision(struct reading *reading)
{
    static const struct {
        const char *word;
        enum ert_kernel_id kernel;
    } precisions[] = {
        {"FP64", ERT_KERNEL_ert_fp64},
        {"FP32", ERT_KERNEL_ert_fp32},
        {"FP16", ERT_KERNEL_ert_fp16},
    };
    const struct row *row = find_key(reading, "ERT_PRECISION");
    bool *kernels = reading->config->kernels;
    bool is_cxx = row || find_key(reading, "ERT_WSS_MULT");
    memset(kernels, 0, sizeof reading->config->kernels);
    kernels[ERT_KERNEL_ert_fp64] = !row;
    if (!is_cxx)
        remark(reading, "not applied: the kernel of ERT's C sources (to 2019), as the file "
                        "has neither ERT_PRECISION nor ERT_WSS_MULT: that of its C++ "
                        "sources is measured");
    const char *word = row ? row->value : "";
    while (row && (*word || word == row->value)) {
        size_t length = strcspn(word, " "), i = 0;
        while (i < ERT_LENGTH(precisions) &&
               (length != 4 || strncmp(precisions[i].word, word, length) != 0))
            i++;
        if (i == ERT_LENGTH(precisions))
            return fail_at(reading, row, "must be of FP64, FP32 and FP16");
        kernels[precisions[i].kernel] = true;
        word += length + (word[length] == ' ');
    }
    return ERT_OK;
}

static enum ert_status read_flops(struct reading *reading)
{
    const struct row *row = find_key(reading, "ERT_FLOPS");
    bool *mixed_flops = reading->config->mixed_flops;
    struct set *set = ert_xcalloc(1, sizeof *set);
    enum ert_status status = get_set(reading, "ERT_FLOPS", set);
    char left_out[64] = "";
    size_t n_out = 0;
    bool is_cut = false;
    if (status == ERT_OK && row)
        memset(mixed_flops, 0, sizeof reading->config->mixed_flops);
    for (size_t i = 0; i < set->n && status == ERT_OK; i++) {
        uint32_t flops = set->numbers[i];
        char next[16];
        if ((flops & (flops - 1)) == 0 && !(flops >> ERT_N_MIXED_FLOPS)) {
            mixed_flops[__builtin_ctz(flops)] = true;
            continue;
        }
        snprintf(next, sizeof next, n_out++ ? ", %u" : "%u", flops);
        is_cut = is_cut || strlen(left_out) + strlen(next) >= sizeof left_out;
        if (!is_cut)
            strcat(left_out, next);
    }
    /* One remark for all: a range has hundreds. */
    if (n_out > 0)
        remark(reading, "ERT_FLOPS: %zu left out, no powers of two up to 1024: %s%s", n_out,
               left_out, is_cut ? ", ..." : "");
    if (status == ERT_OK && row && n_out == set->n)
        status = fail_at(reading, row, "must hold a power of two up to 1024");
    free(set);
    return status;
}

static enum ert_status ert110_config_read_numbers(struct reading *reading)
{
    struct ert_config *config = reading->config;
    struct ert110_options *own = ert110_own_options(config);
    uint64_t align = own->memory.align_bytes;
    const struct {
        const char *key;
        uint64_t min, max, *value;
    } numbers[] = {
        {"ERT_NUM_EXPERIMENTS", 1, 1000,              &config->rounds   },
        {"ERT_MEMORY_MAX",      8, UINT64_C(1) << 46, &own->memory.bytes},
        {"ERT_WORKING_SET_MIN", 1, UINT64_C(1) << 40, &own->set_min     },
        {"ERT_TRIALS_MIN",      1, UINT64_C(1) << 40, &own->trials_min  },
        {"ERT_ALIGN",           1, 4096,              &align            },
    };
    for (size_t i = 0; i < ERT_LENGTH(numbers); i++) {
        const struct row *row = find_key(reading, numbers[i].key);
        const char *end;
        char text[96];
        snprintf(text, sizeof text, "must be a whole number from %llu to %llu",
                 (unsigned long long)numbers[i].min, (unsigned long long)numbers[i].max);
        if (row &&
            (!get_number(row->value, &end, numbers[i].value) || *end ||
             *numbers[i].value < numbers[i].min || *numbers[i].value > numbers[i].max))
            return fail_at(reading, row, text);
    }
    if (align & (align - 1))
        return fail_at(reading, find_key(reading, "ERT_ALIGN"), "must be a power of two");
    /* Below an element's size the parts are the same: of whole elements. */
    own->memory.align_bytes = align < sizeof(double) ? sizeof(double) : (uint32_t)align;
    const struct row *row = find_key(reading, "ERT_WSS_MULT");
    char *end = NULL;
    if (row)
        own->growth = strtod(row->value, &end);
    if (row && (end == row->value || *end || !(own->growth >= 1.001 && own->growth <= 16)))
        return fail_at(reading, row, "must be a number from 1.001 to 16");
    return ERT_OK;
}

/*
 * What compilers make of ERT's loops is a choice of kernel here: the vectors' width, and whether two
 * passes are done at once, as gcc does from version 8 on at -O3.
 */
static void read_flags(struct reading *reading)
{
    static const struct {
        const char *flag, *isa;
        bool is_gcc;
    } flags[] = {
        {"-xMIC-AVX512",              "avx512", false},
        {"-xCOMMON-AVX512",           "avx512", false},
        {"-qopt-zmm-usage=high",      "avx512", false},
        {"-mprefer-vector-width=512", "avx512", true },
        {"-march=knl",                "avx512", true },
        {"-xCORE-AVX512",             "avx2",   false},
        {"-xCORE-AVX2",               "avx2",   false},
        {"-xHost",                    "avx2",   false},
        {"-march=native",             "",       true },
    };
    const struct row *row = find_key(reading, "ERT_CFLAGS");
    const char *value = row ? row->value : "";
    struct ert_config *config = reading->config;
    bool is_intel = strstr(value, "-DERT_INTEL") != NULL, is_gcc = !is_intel;
    if (reading->has_gpu)
        return;
    ert110_own_options(config)->memory.is_aligned = is_intel;
    for (size_t i = 0; i < ERT_LENGTH(flags); i++)
        if (strstr(value, flags[i].flag)) {
            snprintf(config->isa, sizeof config->isa, "%s", flags[i].isa);
            is_gcc = flags[i].is_gcc;
            break;
        }
    ert110_own_options(config)->at_once = is_gcc ? 2 : 1;
    remark(reading,
           "ERT_CFLAGS: taken for %s: vectors of %s, %s at once (--isa, ert110_at_once)",
           is_gcc ? "gcc's" : "Intel's", *config->isa ? config->isa : "avx2, else the best",
           is_gcc ? "two passes" : "one pass");
}

enum ert_status ert110_file_read(const char *name, struct ert_config *config,
                                 struct ert_error *error)
{
    struct ert_config read = *config;
    struct reading reading = {.name = name, .config = &read, .error = error};
    enum ert_status (*const steps[])(struct reading *) = {
        read_keys,  read_backend,  read_precision,
        read_flops, read_launches, ert110_config_read_numbers};
    enum ert_status status = ERT_OK;
    ert110_preset(&read, NULL, error);
    read.n_remarks = 0;
    for (size_t i = 0; i < ERT_LENGTH(steps) && status == ERT_OK; i++)
        status = steps[i](&reading);
    if (status == ERT_OK) {
        read_flags(&reading);
        remark_ignored(&reading);
        const char *slash = strrchr(name, '/');
        snprintf(read.name, sizeof read.name, "%.63s", slash ? slash + 1 : name);
        *config = read;
    }
    for (size_t i = 0; i < reading.n; i++)
        free(reading.rows[i].key);
    free(reading.rows);
    return status;
}
