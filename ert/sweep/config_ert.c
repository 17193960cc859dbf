#include "ert/sweep/config_ert.h"

#include "ert/sweep/lbnl_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The file while it is read. */
struct reading {
    const struct ert_lbnl_file *file;
    struct ert_config *config;
    struct ert_error *error;
    bool has_mpi, has_openmp, has_gpu;
};

static void remark(struct reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void remark(struct reading *reading, const char *format, ...)
{
    struct ert_config *config = reading->config;
    va_list arguments;
    if (config->n_remarks == ERT_MAX_REMARKS)
        return;
    va_start(arguments, format);
    vsnprintf(config->remarks[config->n_remarks++], ERT_REMARK_BYTES, format, arguments);
    va_end(arguments);
}

/* Keys that change nothing here, in groups of one reason; "*" at the end: all that begin so. */
static const struct ignored {
    const char *keys[14];
    const char *reason;
} ignored[] = {
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

/* Keys that are read below. */
static const char *const applied[] = {"ERT_DRIVER",
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
                                      "ERT_PRECISION"};

static bool is_key(const char *pattern, const char *key)
{
    size_t length = strlen(pattern);
    if (length > 0 && pattern[length - 1] == '*')
        return strncmp(pattern, key, length - 1) == 0;
    return strcmp(pattern, key) == 0;
}

static const struct ignored *ignored_of(const char *key)
{
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        for (size_t k = 0; ignored[i].keys[k]; k++)
            if (is_key(ignored[i].keys[k], key))
                return &ignored[i];
    return NULL;
}

static bool is_applied(const char *key)
{
    for (size_t i = 0; i < sizeof applied / sizeof applied[0]; i++)
        if (strcmp(applied[i], key) == 0)
            return true;
    return false;
}

/* One remark per reason, with the keys that the file has. */
static void remark_ignored(struct reading *reading)
{
    const struct ert_lbnl_file *file = reading->file;
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++) {
        char list[160] = "";
        for (size_t r = 0; r < file->n; r++) {
            size_t used = strlen(list);
            if (ignored_of(file->rows[r].key) == &ignored[i])
                snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                         file->rows[r].key);
        }
        if (*list)
            remark(reading, "%s: not applied: %s", list, ignored[i].reason);
    }
    for (size_t r = 0; r < file->n; r++) {
        const struct ert_lbnl_row *row = &file->rows[r];
        if (row->was_there)
            remark(reading, "%s stands more than once: the last, line %zu, counts",
                   row->key, row->line);
        if (!is_applied(row->key) && !ignored_of(row->key))
            remark(reading, "%s: not applied: no key of ERT 1.1.0 that is known here",
                   row->key);
    }
}

/* Which drivers and kernels, and what they are compiled for. */
static enum ert_status read_backend(struct reading *reading)
{
    static const char *const others[] = {"ERT_HIP", "ERT_OCL", "ERT_SYCL"};
    static const char *const names[][2] = {
        {"ERT_DRIVER", "driver1"},
        {"ERT_KERNEL", "kernel1"}
    };
    const struct ert_lbnl_file *file = reading->file;
    bool is_true;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct ert_lbnl_row *row = ert_lbnl_find(file, names[i][0]);
        if (row && strcmp(row->value, names[i][1]) != 0)
            return ert_lbnl_fail(file, row, reading->error,
                                 i ? "must be kernel1, the only one of ERT 1.1.0"
                                   : "must be driver1, the only one of ERT 1.1.0");
    }
    ERT_TRY(ert_lbnl_flag(file, "ERT_MPI", &reading->has_mpi, reading->error));
    ERT_TRY(ert_lbnl_flag(file, "ERT_OPENMP", &reading->has_openmp, reading->error));
    ERT_TRY(ert_lbnl_flag(file, "ERT_GPU", &reading->has_gpu, reading->error));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        ERT_TRY(ert_lbnl_flag(file, others[i], &is_true, reading->error));
        if (is_true)
            return ert_fail(reading->error, ERT_UNAVAILABLE,
                            "%s: line %zu: %s: True: only CPUs and CUDA are here",
                            file->name, ert_lbnl_find(file, others[i])->line, others[i]);
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
    const struct ert_lbnl_row *row = ert_lbnl_find(reading->file, "ERT_PRECISION");
    bool *kernels = reading->config->kernels;
    bool is_cxx = row || ert_lbnl_find(reading->file, "ERT_WSS_MULT");
    memset(kernels, 0, sizeof reading->config->kernels);
    kernels[is_cxx ? ERT_KERNEL_ert_fp64 : ERT_KERNEL_ert_c_fp64] = !row;
    remark(reading, "the kernel is that of ERT's %s",
           is_cxx ? "C++ sources (2019 on)"
                  : "C sources (to 2019): the file has neither ERT_PRECISION nor "
                    "ERT_WSS_MULT");
    char words[ERT_LBNL_TEXT], *rest = words;
    snprintf(words, sizeof words, "%s", row ? row->value : "");
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;) {
        size_t i = 0;
        while (i < 3 && strcmp(precisions[i].word, word) != 0)
            i++;
        if (i == 3)
            return ert_lbnl_fail(reading->file, row, reading->error,
                                 "must be of FP64, FP32 and FP16");
        kernels[precisions[i].kernel] = true;
    }
    if (row && !*row->value)
        return ert_lbnl_fail(reading->file, row, reading->error,
                             "must be of FP64, FP32 and FP16");
    return ERT_OK;
}

static enum ert_status read_flops(struct reading *reading)
{
    uint32_t *set = malloc(ERT_LBNL_MAX_SET * sizeof *set);
    size_t n = 0, kept = 0;
    enum ert_status status =
        set ? ert_lbnl_set(reading->file, "ERT_FLOPS", set, &n, reading->error)
            : ert_fail(reading->error, ERT_FAILED, "no memory for the flop counts");
    bool has_key = ert_lbnl_find(reading->file, "ERT_FLOPS") != NULL;
    if (status == ERT_OK && has_key)
        memset(reading->config->mixed_flops, 0, sizeof reading->config->mixed_flops);
    for (size_t i = 0; i < n && status == ERT_OK; i++) {
        bool is_power = (set[i] & (set[i] - 1)) == 0 && !(set[i] >> ERT_N_MIXED_FLOPS);
        if (is_power)
            reading->config->mixed_flops[__builtin_ctz(set[i])] = true;
        else
            remark(reading, "ERT_FLOPS: %u is left out: no power of two up to 1024",
                   set[i]);
        kept += is_power;
    }
    free(set);
    if (status == ERT_OK && has_key && kept == 0)
        return ert_lbnl_fail(reading->file, ert_lbnl_find(reading->file, "ERT_FLOPS"),
                             reading->error, "must hold a power of two up to 1024");
    return status;
}

/* Pairs of two sets whose product a third allows (all, where that is absent). */
struct pairs {
    uint32_t first[ERT_LBNL_MAX_SET], second[ERT_LBNL_MAX_SET], products[ERT_LBNL_MAX_SET];
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
                    reading->file->name, key, ERT_MAX_CLASSIC);
}

static enum ert_status add_threads(struct reading *reading, const struct pairs *pairs,
                                   uint64_t threads)
{
    struct ert_classic *classic = &reading->config->classic;
    if (!is_allowed(pairs, threads) || threads > 65536)
        return ERT_OK;
    for (uint32_t i = 0; i < classic->n_threads; i++)
        if (classic->threads[i] == threads)
            return ERT_OK;
    if (classic->n_threads == ERT_MAX_CLASSIC)
        return too_many(reading, "processes times threads");
    classic->threads[classic->n_threads++] = (uint32_t)threads;
    return ERT_OK;
}

/* Processes times threads: here all are threads of one process. */
static enum ert_status read_threads(struct reading *reading, struct pairs *pairs)
{
    const struct ert_lbnl_file *file = reading->file;
    struct ert_error *error = reading->error;
    reading->config->classic.n_threads = 0;
    if (reading->has_mpi)
        ERT_TRY(ert_lbnl_set(file, "ERT_MPI_PROCS", pairs->first, &pairs->n_first, error));
    if (reading->has_openmp)
        ERT_TRY(ert_lbnl_set(file, "ERT_OPENMP_THREADS", pairs->second, &pairs->n_second,
                             error));
    if (reading->has_mpi && reading->has_openmp)
        ERT_TRY(ert_lbnl_set(file, "ERT_PROCS_THREADS", pairs->products, &pairs->n_products,
                             error));
    for (size_t i = 0; i < (pairs->n_first ? pairs->n_first : 1); i++)
        for (size_t j = 0; j < (pairs->n_second ? pairs->n_second : 1); j++)
            ERT_TRY(add_threads(reading, pairs,
                                (uint64_t)(pairs->n_first ? pairs->first[i] : 1) *
                                    (pairs->n_second ? pairs->second[j] : 1)));
    if (reading->has_mpi)
        remark(reading, "ERT_MPI: one process: ranks times threads of each are threads "
                        "here");
    if (reading->config->classic.n_threads == 0)
        return ert_fail(error, ERT_USAGE,
                        "%s: ERT_PROCS_THREADS: no ERT_MPI_PROCS times ERT_OPENMP_THREADS "
                        "is among them",
                        file->name);
    return ERT_OK;
}

static enum ert_status read_shapes(struct reading *reading, struct pairs *pairs)
{
    struct ert_classic *classic = &reading->config->classic;
    const struct ert_lbnl_file *file = reading->file;
    ERT_TRY(ert_lbnl_set(file, "ERT_GPU_BLOCKS", pairs->first, &pairs->n_first,
                         reading->error));
    ERT_TRY(ert_lbnl_set(file, "ERT_GPU_THREADS", pairs->second, &pairs->n_second,
                         reading->error));
    ERT_TRY(ert_lbnl_set(file, "ERT_BLOCKS_THREADS", pairs->products, &pairs->n_products,
                         reading->error));
    classic->n_shapes = 0;
    for (size_t i = 0; i < pairs->n_first; i++)
        for (size_t j = 0; j < pairs->n_second; j++) {
            if (!is_allowed(pairs, (uint64_t)pairs->first[i] * pairs->second[j]))
                continue;
            if (pairs->second[j] > 1024)
                return ert_lbnl_fail(file, ert_lbnl_find(file, "ERT_GPU_THREADS"),
                                     reading->error, "must be at most 1024 per block");
            if (classic->n_shapes == ERT_MAX_CLASSIC)
                return too_many(reading, "blocks and threads");
            classic->shapes[classic->n_shapes++] =
                (struct ert_classic_shape){pairs->first[i], pairs->second[j]};
        }
    if (classic->n_shapes == 0)
        return ert_fail(reading->error, ERT_USAGE,
                        "%s: ERT_BLOCKS_THREADS: no ERT_GPU_BLOCKS times ERT_GPU_THREADS "
                        "is among them",
                        file->name);
    return ERT_OK;
}

static enum ert_status read_launches(struct reading *reading)
{
    struct pairs *pairs = calloc(1, sizeof *pairs);
    if (!pairs)
        return ert_fail(reading->error, ERT_FAILED, "no memory for the launches");
    enum ert_status status =
        reading->has_gpu ? read_shapes(reading, pairs) : read_threads(reading, pairs);
    free(pairs);
    return status;
}

static enum ert_status read_numbers(struct reading *reading)
{
    struct ert_config *config = reading->config;
    struct ert_classic *classic = &config->classic;
    const struct ert_lbnl_file *file = reading->file;
    const struct {
        const char *key;
        uint64_t min, max, *value;
    } numbers[] = {
        {"ERT_NUM_EXPERIMENTS", 1, 1000,              &config->rounds       },
        {"ERT_MEMORY_MAX",      8, UINT64_C(1) << 46, &classic->memory_bytes},
        {"ERT_WORKING_SET_MIN", 1, UINT64_C(1) << 40, &classic->set_min     },
        {"ERT_TRIALS_MIN",      1, UINT64_C(1) << 40, &classic->trials_min  },
        {"ERT_ALIGN",           1, 4096,              &classic->align_bytes },
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        ERT_TRY(ert_lbnl_number(file, numbers[i].key, numbers[i].min, numbers[i].max,
                                numbers[i].value, reading->error));
    if (classic->align_bytes & (classic->align_bytes - 1))
        return ert_lbnl_fail(file, ert_lbnl_find(file, "ERT_ALIGN"), reading->error,
                             "must be a power of two");
    if (classic->align_bytes < sizeof(double))
        classic->align_bytes = sizeof(double); /* the same parts: of whole elements */
    const struct ert_lbnl_row *row = ert_lbnl_find(file, "ERT_WSS_MULT");
    if (!row)
        return ERT_OK;
    char *end;
    double growth = strtod(row->value, &end);
    if (end == row->value || *end || !(growth >= 1.001 && growth <= 16))
        return ert_lbnl_fail(file, row, reading->error,
                             "must be a number from 1.001 to 16");
    classic->growth = growth;
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
    const struct ert_lbnl_row *row = ert_lbnl_find(reading->file, "ERT_CFLAGS");
    const char *value = row ? row->value : "";
    struct ert_config *config = reading->config;
    bool is_intel = strstr(value, "-DERT_INTEL") != NULL, is_gcc = !is_intel;
    if (reading->has_gpu)
        return;
    config->classic.is_aligned = is_intel;
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (strstr(value, flags[i].flag)) {
            snprintf(config->isa, sizeof config->isa, "%s", flags[i].isa);
            is_gcc = flags[i].is_gcc;
            break;
        }
    config->classic.at_once = is_gcc ? 2 : 1;
    remark(reading,
           "ERT_CFLAGS: taken for %s: vectors of %s, %s at once (--isa, classic_at_once)",
           is_gcc ? "gcc's" : "Intel's", *config->isa ? config->isa : "avx2, else the best",
           is_gcc ? "two passes" : "one pass");
}

enum ert_status ert_config_ert_read(const char *name, struct ert_config *config,
                                    struct ert_error *error)
{
    struct ert_config read = *config;
    struct ert_lbnl_file *file = malloc(sizeof *file);
    struct reading reading = {.file = file, .config = &read, .error = error};
    if (!file)
        return ert_fail(error, ERT_FAILED, "%s: no memory to read it", name);
    ert_config_classic(&read);
    read.n_remarks = 0;
    enum ert_status status = ert_lbnl_read(name, file, error);
    enum ert_status (*const steps[])(struct reading *) = {
        read_backend, read_precision, read_flops, read_launches, read_numbers};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && status == ERT_OK; i++)
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
