#include "ert/ert110/ert110.h"

#include "ert/base/alloc.h"
#include "ert/base/fields.h"
#include "ert/base/lines.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers: keys, members, limits. */
static const struct ert_field number_rows[] = {
#define ROW(key, kind, member, min, max)                                                   \
    ERT_ROW_WITHIN(struct ert110_options, "ert110_" key, kind, member, OPTIONAL, min, max)
    ROW("memory_bytes", U64, memory.bytes, 1, 0x1p46),
    ROW("set_min", U64, set_min, 1, 0x1p40),
    ROW("trials_min", U64, trials_min, 1, 0x1p40),
    ROW("align_bytes", COUNT, memory.align_bytes, 8, 4096),
    ROW("is_aligned", SWITCH, memory.is_aligned, 0, 1),
    ROW("copies", SWITCH, memory.copies, 0, 1),
    ROW("at_once", COUNT, at_once, 1, 2),
    ROW("growth", NUMBER, growth, 1.001, 16),
#undef ROW
};

const char *const ert110_config_keys[] = {"ert110_memory_bytes",
                                          "ert110_set_min",
                                          "ert110_trials_min",
                                          "ert110_align_bytes",
                                          "ert110_is_aligned",
                                          "ert110_copies",
                                          "ert110_at_once",
                                          "ert110_growth",
                                          "ert110_threads",
                                          "ert110_shapes",
                                          NULL};

bool ert110_config_write(const struct ert110_options *options, cJSON *root)
{
    bool good = ert_fields_write(root, ERT_ROWS(number_rows), "", options);
    cJSON *threads = cJSON_AddArrayToObject(root, "ert110_threads");
    for (uint32_t i = 0; good && i < options->n_threads; i++)
        good = cJSON_AddItemToArray(threads, cJSON_CreateNumber(options->threads[i]));
    cJSON *shapes = cJSON_AddArrayToObject(root, "ert110_shapes");
    for (uint32_t i = 0; good && i < options->n_shapes; i++) {
        const int pair[] = {(int)options->shapes[i].blocks,
                            (int)options->shapes[i].threads};
        good = cJSON_AddItemToArray(shapes, cJSON_CreateIntArray(pair, 2));
    }
    return good && threads && shapes;
}

static enum ert_status read_list(struct ert_json at, const char *key, struct ert_json *list,
                                 struct ert_error *error)
{
    ERT_TRY(ert_json_array(at, key, list, error));
    if (ert_json_length(*list) > ERT110_MAX_LIST)
        return ert_fail(error, ERT_USAGE, "%s: %s: %zu elements, must be at most %d",
                        at.file, list->path, ert_json_length(*list), ERT110_MAX_LIST);
    return ERT_OK;
}

static enum ert_status read_count(struct ert_json at, double most, uint32_t *count,
                                  struct ert_error *error)
{
    double value;
    ERT_TRY(ert_json_as_double(at, 1, most, &value, error));
    if (value != (double)(uint32_t)value)
        return ert_fail(error, ERT_USAGE, "%s: %s: %g, must be a whole number", at.file,
                        at.path, value);
    *count = (uint32_t)value;
    return ERT_OK;
}

static enum ert_status read_shape(struct ert_json at, struct ert110_shape *shape,
                                  struct ert_error *error)
{
    if (!cJSON_IsArray(at.node) || ert_json_length(at) != 2)
        return ert_fail(error, ERT_USAGE, "%s: %s: must be [blocks, threads]", at.file,
                        at.path);
    ERT_TRY(read_count(ert_json_element(at, 0), 2147483647, &shape->blocks, error));
    return read_count(ert_json_element(at, 1), 1024, &shape->threads, error);
}

enum ert_status ert110_config_read(struct ert_json at, struct ert110_options *options,
                                   struct ert_error *error)
{
    struct ert_json list;
    ERT_TRY(ert_fields_read(at, ERT_ROWS(number_rows), "", options, error));
    if (options->memory.align_bytes & (options->memory.align_bytes - 1))
        return ert_fail(error, ERT_USAGE,
                        "%s: ert110_align_bytes: %u, must be a power of two", at.file,
                        options->memory.align_bytes);
    if (ert_json_has(at, "ert110_threads")) {
        ERT_TRY(read_list(at, "ert110_threads", &list, error));
        options->n_threads = 0;
        for (size_t i = 0; i < ert_json_length(list); i++)
            ERT_TRY(read_count(ert_json_element(list, i), 65536,
                               &options->threads[options->n_threads++], error));
    }
    if (ert_json_has(at, "ert110_shapes")) {
        ERT_TRY(read_list(at, "ert110_shapes", &list, error));
        options->n_shapes = 0;
        for (size_t i = 0; i < ert_json_length(list); i++)
            ERT_TRY(read_shape(ert_json_element(list, i),
                               &options->shapes[options->n_shapes++], error));
    }
    return ERT_OK;
}

void ert110_preset(struct ert_config *config)
{
    snprintf(config->name, sizeof config->name, "ert-1.1.0");
    memset(config->sections, 0, sizeof config->sections);
    config->sections[ERT_SECTION_ERT110] = true;
    for (int i = 0; i < ERT_N_KERNELS; i++)
        config->kernels[i] = i == ERT_KERNEL_ert_fp64;
    /* As ERT's examples, of CPUs and GPUs. */
    for (int i = 0; i < ERT_N_MIXED_FLOPS; i++)
        config->mixed_flops[i] = ert_kernel_mixed_flops[i] <= 256;
    config->region_s = 2e-3;
    config->rounds = 1;
    config->leader_rounds = 0;
    config->sustained_s = 0;
    config->budget_s = 0;
}

enum { MAX_KEYS = 96, VALUE_BYTES = 512, MAX_SET = 4096 };

struct row {
    size_t line; /* from 1 */
    char key[64];
    char value[VALUE_BYTES]; /* the words, one blank between them; "" none */
    bool was_there;          /* an earlier line had the key too */
};

struct file {
    const char *name; /* for errors; lives as long as this */
    size_t n;
    struct row rows[MAX_KEYS];
};

static const char blanks[] = " \t\r\f\v";

bool ert110_file_recognizes(const char *head)
{
    while (*head) {
        const char *word = head + strspn(head, blanks);
        if (*head != '#' && *word != '\n' && *word)
            return strncmp(word, "ERT_", 4) == 0;
        head += strcspn(head, "\n");
        head += *head == '\n';
    }
    return false;
}

static const struct row *find_key(const struct file *file, const char *key)
{
    for (size_t i = 0; i < file->n; i++)
        if (strcmp(file->rows[i].key, key) == 0)
            return &file->rows[i];
    return NULL;
}

static enum ert_status fail_at(const struct file *file, const struct row *row,
                               struct ert_error *error, const char *text)
{
    return ert_fail(error, ERT_USAGE, "%s: line %zu: %s: '%.80s', %s", file->name,
                    row->line, row->key, row->value, text);
}

static bool join_words(const char *text, char *to, size_t size)
{
    size_t used = 0;
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        size_t length = strcspn(text, blanks);
        if (used + length + 2 > size)
            return false;
        if (used)
            to[used++] = ' ';
        memcpy(to + used, text, length);
        used += length;
        text += length;
    }
    to[used] = '\0';
    return true;
}

static struct row *row_for(struct file *file, const char *key)
{
    for (size_t i = 0; i < file->n; i++)
        if (strcmp(file->rows[i].key, key) == 0) {
            file->rows[i].was_there = true;
            return &file->rows[i];
        }
    if (file->n == MAX_KEYS)
        return NULL;
    struct row *row = &file->rows[file->n++];
    *row = (struct row){0};
    return row;
}

static enum ert_status read_line(struct file *file, const struct ert_lines *lines,
                                 struct ert_error *error)
{
    char key[sizeof file->rows[0].key];
    const char *text = lines->line + strspn(lines->line, blanks);
    size_t length = strcspn(text, blanks);
    if (lines->line[0] == '#' || !*text)
        return ERT_OK;
    if (length >= sizeof key)
        return ert_fail(error, ERT_USAGE,
                        "%s: line %zu: a key of %zu bytes, must be at most %zu", file->name,
                        lines->number, length, sizeof key - 1);
    memcpy(key, text, length);
    key[length] = '\0';
    struct row *row = row_for(file, key);
    if (!row)
        return ert_fail(error, ERT_USAGE, "%s: line %zu: more than %d keys", file->name,
                        lines->number, MAX_KEYS);
    memcpy(row->key, key, length + 1);
    row->line = lines->number;
    if (!join_words(text + length, row->value, sizeof row->value))
        return ert_fail(error, ERT_USAGE, "%s: line %zu: %s: a value of more than %d bytes",
                        file->name, lines->number, key, VALUE_BYTES - 1);
    return ERT_OK;
}

static enum ert_status read_keys(const char *name, struct file *file,
                                 struct ert_error *error)
{
    struct ert_lines lines;
    enum ert_status status = ERT_OK;
    *file = (struct file){.name = name};
    ERT_TRY(ert_lines_open(name, &lines, error));
    while (status == ERT_OK && ert_lines_next(&lines))
        status = read_line(file, &lines, error);
    if (status == ERT_OK)
        status = ert_lines_end(&lines, error);
    ert_lines_close(&lines);
    return status;
}

static enum ert_status get_flag(const struct file *file, const char *key, bool *value,
                                struct ert_error *error)
{
    const struct row *row = find_key(file, key);
    *value = row && strcmp(row->value, "True") == 0;
    if (!row || *value || strcmp(row->value, "False") == 0)
        return ERT_OK;
    return fail_at(file, row, error, "must be True or False");
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

static enum ert_status get_limited(const struct file *file, const char *key, uint64_t min,
                                   uint64_t max, uint64_t *value, struct ert_error *error)
{
    const struct row *row = find_key(file, key);
    const char *end;
    uint64_t number;
    char text[96];
    if (!row)
        return ERT_OK;
    snprintf(text, sizeof text, "must be a whole number from %llu to %llu",
             (unsigned long long)min, (unsigned long long)max);
    if (!get_number(row->value, &end, &number) || *end || number < min || number > max)
        return fail_at(file, row, error, text);
    *value = number;
    return ERT_OK;
}

/* Puts a number into its place; false when the set is full. */
static bool insert(uint32_t *set, size_t *n, uint32_t number)
{
    size_t at = *n;
    while (at > 0 && set[at - 1] >= number)
        at--;
    if (at < *n && set[at] == number)
        return true;
    if (*n == MAX_SET)
        return false;
    memmove(set + at + 1, set + at, (*n - at) * sizeof *set);
    set[at] = number;
    (*n)++;
    return true;
}

/* One "N" or "N-M" at *text, which it moves behind it. */
static bool get_range(const char **text, uint32_t *set, size_t *n)
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
        if (!insert(set, n, (uint32_t)i))
            return false;
    return true;
}

static enum ert_status get_set(const struct file *file, const char *key,
                               uint32_t set[MAX_SET], size_t *n, struct ert_error *error)
{
    const struct row *row = find_key(file, key);
    const char *text = row ? row->value : NULL;
    *n = 0;
    while (row) {
        if (!get_range(&text, set, n) || (*text && *text != ','))
            return fail_at(file, row, error,
                           "must be whole numbers above 0 and ranges of them, as in "
                           "1,2,6-8, 4096 at most");
        if (!*text++)
            break;
    }
    return ERT_OK;
}

/* The file while it is read, and what was found so far. */
struct reading {
    const struct file *file;
    struct ert_config *config;
    struct ert_error *error;
    bool has_mpi, has_openmp, has_gpu;
};

static void remark(struct reading *reading, const char *format, ...)
{
    struct ert_config *config = reading->config;
    va_list arguments;
    if (config->n_remarks == ERT_MAX_REMARKS) {
        snprintf(config->remarks[ERT_MAX_REMARKS - 1], ERT_REMARK_BYTES,
                 "more than %d remarks: the rest are not kept", ERT_MAX_REMARKS - 1);
        return;
    }
    va_start(arguments, format);
    vsnprintf(config->remarks[config->n_remarks++], ERT_REMARK_BYTES, format, arguments);
    va_end(arguments);
}

/*
 * The keys of ERT: those that are applied, and, in groups of one reason, those that change nothing here;
 * "*" at the end: all that begin so.
 */
static const struct key_group {
    const char *keys[24];
    const char *reason; /* NULL: applied */
} groups[] = {
    {{"ERT_DRIVER",
      "ERT_KERNEL",
      "ERT_FLOPS",
      "ERT_ALIGN",
      "ERT_MPI",
      "ERT_OPENMP",
      "ERT_GPU",
      "ERT_HIP",
      "ERT_OCL",
      "ERT_SYCL",
      "ERT_MPI_PROCS",
      "ERT_OPENMP_THREADS",
      "ERT_PROCS_THREADS",
      "ERT_GPU_BLOCKS",
      "ERT_GPU_THREADS",
      "ERT_BLOCKS_THREADS",
      "ERT_NUM_EXPERIMENTS",
      "ERT_MEMORY_MAX",
      "ERT_TRIALS_MIN",
      "ERT_WORKING_SET_MIN",
      "ERT_WSS_MULT",
      "ERT_PRECISION"},
     NULL                                                                             },
    {{"ERT_CC", "ERT_CFLAGS", "ERT_LD", "ERT_LDFLAGS", "ERT_LDLIBS", "ERT_MPI_CFLAGS",
      "ERT_MPI_LDFLAGS", "ERT_OPENMP_CFLAGS", "ERT_OPENMP_LDFLAGS", "ERT_GPU_CFLAGS",
      "ERT_GPU_LDFLAGS"},
     "nothing is compiled: the loops that gcc or nvcc make of ERT are in this program"},
    {{"ERT_RUN"},              "one process runs all of it, pinned by itself"         },
    {{"ERT_RESULTS"},          "results go to the folder of --out"                    },
    {{"ERT_GNUPLOT"},          "charts are drawn without it"                          },
    {{"ERT_SPEC_*"},           "theoretical peaks are the machine's own (`ert info`)" },
    {{"ERT_STRIDE"},           "no version of ERT reads it"                           },
};

static bool is_key(const char *pattern, const char *key)
{
    size_t length = strlen(pattern);
    if (length > 0 && pattern[length - 1] == '*')
        return strncmp(pattern, key, length - 1) == 0;
    return strcmp(pattern, key) == 0;
}

static const struct key_group *group_of(const char *key)
{
    for (size_t i = 0; i < ERT_LENGTH(groups); i++)
        for (size_t k = 0; groups[i].keys[k]; k++)
            if (is_key(groups[i].keys[k], key))
                return &groups[i];
    return NULL;
}

/* One remark per reason, with the keys that the file has. */
static void remark_ignored(struct reading *reading)
{
    const struct file *file = reading->file;
    for (size_t i = 0; i < ERT_LENGTH(groups); i++) {
        char list[160] = ""; /* the first group with a reason, whole, in 156 */
        size_t used = 0, n_more = 0;
        for (size_t r = 0; r < file->n; r++) {
            const char *key = file->rows[r].key;
            if (group_of(key) != &groups[i] || !groups[i].reason)
                continue;
            if (n_more > 0 || used + strlen(key) + 2 >= sizeof list)
                n_more++;
            else
                used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                         used ? ", " : "", key);
        }
        if (n_more > 0)
            remark(reading, "%s and %zu more: not applied: %s", list, n_more,
                   groups[i].reason);
        else if (*list)
            remark(reading, "%s: not applied: %s", list, groups[i].reason);
    }
    for (size_t r = 0; r < file->n; r++) {
        const struct row *row = &file->rows[r];
        if (row->was_there)
            remark(reading, "%s stands more than once: the last, line %zu, counts",
                   row->key, row->line);
        if (!group_of(row->key))
            remark(reading, "%s: not applied: no key of ERT 1.1.0 that is known here",
                   row->key);
    }
}

/* Pairs of two sets whose product a third allows (all, where that is absent). */
struct pairs {
    uint32_t first[MAX_SET], second[MAX_SET], products[MAX_SET];
    size_t n_first, n_second, n_products;
};

static bool is_allowed(const struct pairs *pairs, uint64_t product)
{
    for (size_t i = 0; i < pairs->n_products; i++)
        if (pairs->products[i] == product)
            return true;
    return pairs->n_products == 0;
}

static enum ert_status too_many(const struct reading *reading, const char *key)
{
    return ert_fail(reading->error, ERT_USAGE, "%s: %s: more than %d in all",
                    reading->file->name, key, ERT110_MAX_LIST);
}

static enum ert_status add_threads(struct reading *reading, const struct pairs *pairs,
                                   uint64_t threads)
{
    struct ert110_options *own = &reading->config->ert110;
    if (!is_allowed(pairs, threads))
        return ERT_OK;
    if (threads > 65536)
        return ert_fail(reading->error, ERT_USAGE,
                        "%s: ERT_MPI_PROCS times ERT_OPENMP_THREADS: %llu, must be at "
                        "most 65536 (ERT_PROCS_THREADS chooses)",
                        reading->file->name, (unsigned long long)threads);
    for (uint32_t i = 0; i < own->n_threads; i++)
        if (own->threads[i] == threads)
            return ERT_OK;
    if (own->n_threads == ERT110_MAX_LIST)
        return too_many(reading, "processes times threads");
    own->threads[own->n_threads++] = (uint32_t)threads;
    return ERT_OK;
}

/* Processes times threads: here all are threads of one process. */
static enum ert_status read_threads(struct reading *reading, struct pairs *pairs)
{
    const struct file *file = reading->file;
    struct ert_error *error = reading->error;
    reading->config->ert110.n_threads = 0;
    if (reading->has_mpi)
        ERT_TRY(get_set(file, "ERT_MPI_PROCS", pairs->first, &pairs->n_first, error));
    if (reading->has_openmp)
        ERT_TRY(
            get_set(file, "ERT_OPENMP_THREADS", pairs->second, &pairs->n_second, error));
    if (reading->has_mpi && reading->has_openmp)
        ERT_TRY(
            get_set(file, "ERT_PROCS_THREADS", pairs->products, &pairs->n_products, error));
    for (size_t i = 0; i < (pairs->n_first ? pairs->n_first : 1); i++)
        for (size_t j = 0; j < (pairs->n_second ? pairs->n_second : 1); j++)
            ERT_TRY(add_threads(reading, pairs,
                                (uint64_t)(pairs->n_first ? pairs->first[i] : 1) *
                                    (pairs->n_second ? pairs->second[j] : 1)));
    if (reading->has_mpi)
        remark(reading, "ERT_MPI: one process: ranks times threads of each are threads "
                        "here");
    if (reading->config->ert110.n_threads == 0)
        return ert_fail(error, ERT_USAGE,
                        "%s: ERT_PROCS_THREADS: no ERT_MPI_PROCS times ERT_OPENMP_THREADS "
                        "is among them",
                        file->name);
    return ERT_OK;
}

static enum ert_status read_shapes(struct reading *reading, struct pairs *pairs)
{
    struct ert110_options *own = &reading->config->ert110;
    const struct file *file = reading->file;
    ERT_TRY(get_set(file, "ERT_GPU_BLOCKS", pairs->first, &pairs->n_first, reading->error));
    ERT_TRY(
        get_set(file, "ERT_GPU_THREADS", pairs->second, &pairs->n_second, reading->error));
    ERT_TRY(get_set(file, "ERT_BLOCKS_THREADS", pairs->products, &pairs->n_products,
                    reading->error));
    own->n_shapes = 0;
    for (size_t i = 0; i < pairs->n_first; i++)
        for (size_t j = 0; j < pairs->n_second; j++) {
            if (!is_allowed(pairs, (uint64_t)pairs->first[i] * pairs->second[j]))
                continue;
            if (pairs->second[j] > 1024)
                return fail_at(file, find_key(file, "ERT_GPU_THREADS"), reading->error,
                               "must be at most 1024 per block");
            if (own->n_shapes == ERT110_MAX_LIST)
                return too_many(reading, "blocks and threads");
            own->shapes[own->n_shapes++] =
                (struct ert110_shape){pairs->first[i], pairs->second[j]};
        }
    if (own->n_shapes == 0)
        return ert_fail(reading->error, ERT_USAGE,
                        "%s: ERT_BLOCKS_THREADS: no ERT_GPU_BLOCKS times ERT_GPU_THREADS "
                        "is among them",
                        file->name);
    return ERT_OK;
}

static enum ert_status read_launches(struct reading *reading)
{
    struct pairs *pairs = ert_xcalloc(1, sizeof *pairs);
    enum ert_status status =
        reading->has_gpu ? read_shapes(reading, pairs) : read_threads(reading, pairs);
    free(pairs);
    return status;
}

static enum ert_status read_backend(struct reading *reading)
{
    static const char *const others[] = {"ERT_HIP", "ERT_OCL", "ERT_SYCL"};
    static const char *const names[][2] = {
        {"ERT_DRIVER", "driver1"},
        {"ERT_KERNEL", "kernel1"}
    };
    const struct file *file = reading->file;
    bool is_true;
    for (size_t i = 0; i < ERT_LENGTH(names); i++) {
        const struct row *row = find_key(file, names[i][0]);
        if (row && strcmp(row->value, names[i][1]) != 0)
            return fail_at(file, row, reading->error,
                           i ? "must be kernel1, the only one of ERT 1.1.0"
                             : "must be driver1, the only one of ERT 1.1.0");
    }
    ERT_TRY(get_flag(file, "ERT_MPI", &reading->has_mpi, reading->error));
    ERT_TRY(get_flag(file, "ERT_OPENMP", &reading->has_openmp, reading->error));
    ERT_TRY(get_flag(file, "ERT_GPU", &reading->has_gpu, reading->error));
    for (size_t i = 0; i < ERT_LENGTH(others); i++) {
        ERT_TRY(get_flag(file, others[i], &is_true, reading->error));
        if (is_true)
            return ert_fail(reading->error, ERT_UNAVAILABLE,
                            "%s: line %zu: %s: True: only CPUs and CUDA are here",
                            file->name, find_key(file, others[i])->line, others[i]);
    }
    if (strcmp(reading->config->device, "all") == 0)
        snprintf(reading->config->device, sizeof reading->config->device, "%s",
                 reading->has_gpu ? "gpu" : "cpu");
    return ERT_OK;
}

/* FP64 FP32 FP16; without the key the C sources, which have FP64 alone. */
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
    const struct row *row = find_key(reading->file, "ERT_PRECISION");
    bool *kernels = reading->config->kernels;
    bool is_cxx = row || find_key(reading->file, "ERT_WSS_MULT");
    memset(kernels, 0, sizeof reading->config->kernels);
    kernels[is_cxx ? ERT_KERNEL_ert_fp64 : ERT_KERNEL_ert_c_fp64] = !row;
    remark(reading, "the kernel is that of ERT's %s",
           is_cxx ? "C++ sources (2019 on)"
                  : "C sources (to 2019): the file has neither ERT_PRECISION nor "
                    "ERT_WSS_MULT");
    if (!is_cxx && reading->has_gpu)
        remark(reading, "their copies to the host and back before each region: with "
                        "--ert-copies (ert110_copies); without them rates are 2 to "
                        "4 %% higher");
    char words[VALUE_BYTES], *rest = words;
    snprintf(words, sizeof words, "%s", row ? row->value : "");
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;) {
        size_t i = 0;
        while (i < 3 && strcmp(precisions[i].word, word) != 0)
            i++;
        if (i == 3)
            return fail_at(reading->file, row, reading->error,
                           "must be of FP64, FP32 and FP16");
        kernels[precisions[i].kernel] = true;
    }
    if (row && !*row->value)
        return fail_at(reading->file, row, reading->error,
                       "must be of FP64, FP32 and FP16");
    return ERT_OK;
}

static enum ert_status read_flops(struct reading *reading)
{
    uint32_t *set = ert_xcalloc(MAX_SET, sizeof *set);
    size_t n = 0, kept = 0;
    enum ert_status status = get_set(reading->file, "ERT_FLOPS", set, &n, reading->error);
    bool has_key = find_key(reading->file, "ERT_FLOPS") != NULL;
    if (status == ERT_OK && has_key)
        memset(reading->config->mixed_flops, 0, sizeof reading->config->mixed_flops);
    char left_out[64] = "";
    bool is_cut = false;
    for (size_t i = 0; i < n && status == ERT_OK; i++) {
        bool is_power = (set[i] & (set[i] - 1)) == 0 && !(set[i] >> ERT_N_MIXED_FLOPS);
        size_t used = strlen(left_out), room = sizeof left_out - used;
        if (is_power)
            reading->config->mixed_flops[__builtin_ctz(set[i])] = true;
        else if (!is_cut)
            is_cut = (size_t)snprintf(left_out + used, room, used ? ", %u" : "%u",
                                      set[i]) >= room;
        if (is_cut) /* between two numbers, not within one */
            left_out[used] = '\0';
        kept += is_power;
    }
    /* One remark for all: a range has hundreds. */
    if (*left_out)
        remark(reading, "ERT_FLOPS: %zu left out, no powers of two up to 1024: %s%s",
               n - kept, left_out, is_cut ? ", ..." : "");
    free(set);
    if (status == ERT_OK && has_key && kept == 0)
        return fail_at(reading->file, find_key(reading->file, "ERT_FLOPS"), reading->error,
                       "must hold a power of two up to 1024");
    return status;
}

static enum ert_status read_numbers(struct reading *reading)
{
    struct ert_config *config = reading->config;
    struct ert110_options *own = &config->ert110;
    const struct file *file = reading->file;
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
    for (size_t i = 0; i < ERT_LENGTH(numbers); i++)
        ERT_TRY(get_limited(file, numbers[i].key, numbers[i].min, numbers[i].max,
                            numbers[i].value, reading->error));
    if (align & (align - 1))
        return fail_at(file, find_key(file, "ERT_ALIGN"), reading->error,
                       "must be a power of two");
    /* Below an element's size the parts are the same: of whole elements. */
    own->memory.align_bytes = align < sizeof(double) ? sizeof(double) : (uint32_t)align;
    const struct row *row = find_key(file, "ERT_WSS_MULT");
    if (!row)
        return ERT_OK;
    char *end;
    double growth = strtod(row->value, &end);
    if (end == row->value || *end || !(growth >= 1.001 && growth <= 16))
        return fail_at(file, row, reading->error, "must be a number from 1.001 to 16");
    own->growth = growth;
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
    const struct row *row = find_key(reading->file, "ERT_CFLAGS");
    const char *value = row ? row->value : "";
    struct ert_config *config = reading->config;
    bool is_intel = strstr(value, "-DERT_INTEL") != NULL, is_gcc = !is_intel;
    if (reading->has_gpu)
        return;
    config->ert110.memory.is_aligned = is_intel;
    for (size_t i = 0; i < ERT_LENGTH(flags); i++)
        if (strstr(value, flags[i].flag)) {
            snprintf(config->isa, sizeof config->isa, "%s", flags[i].isa);
            is_gcc = flags[i].is_gcc;
            break;
        }
    config->ert110.at_once = is_gcc ? 2 : 1;
    remark(reading,
           "ERT_CFLAGS: taken for %s: vectors of %s, %s at once (--isa, ert110_at_once)",
           is_gcc ? "gcc's" : "Intel's", *config->isa ? config->isa : "avx2, else the best",
           is_gcc ? "two passes" : "one pass");
}

enum ert_status ert110_file_read(const char *name, struct ert_config *config,
                                 struct ert_error *error)
{
    struct ert_config read = *config;
    struct file *file = ert_xcalloc(1, sizeof *file);
    struct reading reading = {.file = file, .config = &read, .error = error};
    ert110_preset(&read);
    read.n_remarks = 0;
    enum ert_status status = read_keys(name, file, error);
    enum ert_status (*const steps[])(struct reading *) = {
        read_backend, read_precision, read_flops, read_launches, read_numbers};
    for (size_t i = 0; i < ERT_LENGTH(steps) && status == ERT_OK; i++)
        status = steps[i](&reading);
    if (status == ERT_OK) {
        read_flags(&reading);
        remark_ignored(&reading);
        const char *slash = strrchr(name, '/');
        snprintf(read.name, sizeof read.name, "%.63s", slash ? slash + 1 : name);
        *config = read;
    }
    free(file);
    return status;
}
