#include "ert/ert110/file.h"

#include "ert/ert110/file_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which drivers and kernels, and what they are compiled for. */
static enum ert_status read_backend(struct ert110_reading *reading)
{
    static const char *const others[] = {"ERT_HIP", "ERT_OCL", "ERT_SYCL"};
    static const char *const names[][2] = {
        {"ERT_DRIVER", "driver1"},
        {"ERT_KERNEL", "kernel1"}
    };
    const struct ert110_file *file = reading->file;
    bool is_true;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct ert110_row *row = ert110_find(file, names[i][0]);
        if (row && strcmp(row->value, names[i][1]) != 0)
            return ert110_fail(file, row, reading->error,
                               i ? "must be kernel1, the only one of ERT 1.1.0"
                                 : "must be driver1, the only one of ERT 1.1.0");
    }
    ERT_TRY(ert110_flag(file, "ERT_MPI", &reading->has_mpi, reading->error));
    ERT_TRY(ert110_flag(file, "ERT_OPENMP", &reading->has_openmp, reading->error));
    ERT_TRY(ert110_flag(file, "ERT_GPU", &reading->has_gpu, reading->error));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        ERT_TRY(ert110_flag(file, others[i], &is_true, reading->error));
        if (is_true)
            return ert_fail(reading->error, ERT_UNAVAILABLE,
                            "%s: line %zu: %s: True: only CPUs and CUDA are here",
                            file->name, ert110_find(file, others[i])->line, others[i]);
    }
    if (strcmp(reading->config->device, "all") == 0)
        snprintf(reading->config->device, sizeof reading->config->device, "%s",
                 reading->has_gpu ? "gpu" : "cpu");
    return ERT_OK;
}

/* FP64 FP32 FP16; without the key the C sources, which have FP64 alone. */
static enum ert_status read_precision(struct ert110_reading *reading)
{
    static const struct {
        const char *word;
        enum ert_kernel_id kernel;
    } precisions[] = {
        {"FP64", ERT_KERNEL_ert_fp64},
        {"FP32", ERT_KERNEL_ert_fp32},
        {"FP16", ERT_KERNEL_ert_fp16},
    };
    const struct ert110_row *row = ert110_find(reading->file, "ERT_PRECISION");
    bool *kernels = reading->config->kernels;
    bool is_cxx = row || ert110_find(reading->file, "ERT_WSS_MULT");
    memset(kernels, 0, sizeof reading->config->kernels);
    kernels[is_cxx ? ERT_KERNEL_ert_fp64 : ERT_KERNEL_ert_c_fp64] = !row;
    ert110_remark(reading, "the kernel is that of ERT's %s",
                  is_cxx ? "C++ sources (2019 on)"
                         : "C sources (to 2019): the file has neither ERT_PRECISION nor "
                           "ERT_WSS_MULT");
    if (!is_cxx && reading->has_gpu)
        ert110_remark(reading, "their copies to the host and back before each region: with "
                               "--ert-copies (ert110_copies); without them rates are 2 to "
                               "4 %% higher");
    char words[ERT110_TEXT], *rest = words;
    snprintf(words, sizeof words, "%s", row ? row->value : "");
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;) {
        size_t i = 0;
        while (i < 3 && strcmp(precisions[i].word, word) != 0)
            i++;
        if (i == 3)
            return ert110_fail(reading->file, row, reading->error,
                               "must be of FP64, FP32 and FP16");
        kernels[precisions[i].kernel] = true;
    }
    if (row && !*row->value)
        return ert110_fail(reading->file, row, reading->error,
                           "must be of FP64, FP32 and FP16");
    return ERT_OK;
}

static enum ert_status read_flops(struct ert110_reading *reading)
{
    uint32_t *set = malloc(ERT110_MAX_SET * sizeof *set);
    size_t n = 0, kept = 0;
    enum ert_status status =
        set ? ert110_set(reading->file, "ERT_FLOPS", set, &n, reading->error)
            : ert_fail(reading->error, ERT_FAILED, "no memory for the flop counts");
    bool has_key = ert110_find(reading->file, "ERT_FLOPS") != NULL;
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
        ert110_remark(reading, "ERT_FLOPS: %zu left out, no powers of two up to 1024: %s%s",
                      n - kept, left_out, is_cut ? ", ..." : "");
    free(set);
    if (status == ERT_OK && has_key && kept == 0)
        return ert110_fail(reading->file, ert110_find(reading->file, "ERT_FLOPS"),
                           reading->error, "must hold a power of two up to 1024");
    return status;
}

static enum ert_status read_numbers(struct ert110_reading *reading)
{
    struct ert_config *config = reading->config;
    struct ert110_options *ert110 = &config->ert110;
    const struct ert110_file *file = reading->file;
    const struct {
        const char *key;
        uint64_t min, max, *value;
    } numbers[] = {
        {"ERT_NUM_EXPERIMENTS", 1, 1000,              &config->rounds      },
        {"ERT_MEMORY_MAX",      8, UINT64_C(1) << 46, &ert110->memory_bytes},
        {"ERT_WORKING_SET_MIN", 1, UINT64_C(1) << 40, &ert110->set_min     },
        {"ERT_TRIALS_MIN",      1, UINT64_C(1) << 40, &ert110->trials_min  },
        {"ERT_ALIGN",           1, 4096,              &ert110->align_bytes },
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        ERT_TRY(ert110_number(file, numbers[i].key, numbers[i].min, numbers[i].max,
                              numbers[i].value, reading->error));
    if (ert110->align_bytes & (ert110->align_bytes - 1))
        return ert110_fail(file, ert110_find(file, "ERT_ALIGN"), reading->error,
                           "must be a power of two");
    if (ert110->align_bytes < sizeof(double))
        ert110->align_bytes = sizeof(double); /* the same parts: of whole elements */
    const struct ert110_row *row = ert110_find(file, "ERT_WSS_MULT");
    if (!row)
        return ERT_OK;
    char *end;
    double growth = strtod(row->value, &end);
    if (end == row->value || *end || !(growth >= 1.001 && growth <= 16))
        return ert110_fail(file, row, reading->error, "must be a number from 1.001 to 16");
    ert110->growth = growth;
    return ERT_OK;
}

/*
 * What compilers make of ERT's loops is a choice of kernel here: the vectors' width, and whether two
 * passes are done at once, as gcc does from version 8 on at -O3.
 */
static void read_flags(struct ert110_reading *reading)
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
    const struct ert110_row *row = ert110_find(reading->file, "ERT_CFLAGS");
    const char *value = row ? row->value : "";
    struct ert_config *config = reading->config;
    bool is_intel = strstr(value, "-DERT_INTEL") != NULL, is_gcc = !is_intel;
    if (reading->has_gpu)
        return;
    config->ert110.is_aligned = is_intel;
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (strstr(value, flags[i].flag)) {
            snprintf(config->isa, sizeof config->isa, "%s", flags[i].isa);
            is_gcc = flags[i].is_gcc;
            break;
        }
    config->ert110.at_once = is_gcc ? 2 : 1;
    ert110_remark(
        reading,
        "ERT_CFLAGS: taken for %s: vectors of %s, %s at once (--isa, ert110_at_once)",
        is_gcc ? "gcc's" : "Intel's", *config->isa ? config->isa : "avx2, else the best",
        is_gcc ? "two passes" : "one pass");
}

enum ert_status ert110_file_read(const char *name, struct ert_config *config,
                                 struct ert_error *error)
{
    struct ert_config read = *config;
    struct ert110_file *file = malloc(sizeof *file);
    struct ert110_reading reading = {.file = file, .config = &read, .error = error};
    if (!file)
        return ert_fail(error, ERT_FAILED, "%s: no memory to read it", name);
    ert110_preset(&read);
    read.n_remarks = 0;
    enum ert_status status = ert110_read(name, file, error);
    enum ert_status (*const steps[])(struct ert110_reading *) = {
        read_backend, read_precision, read_flops, ert110_file_launches, read_numbers};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && status == ERT_OK; i++)
        status = steps[i](&reading);
    if (status == ERT_OK) {
        read_flags(&reading);
        ert110_remark_ignored(&reading);
        const char *slash = strrchr(name, '/');
        snprintf(read.name, sizeof read.name, "%.63s", slash ? slash + 1 : name);
        *config = read;
    }
    free(file);
    return status;
}
