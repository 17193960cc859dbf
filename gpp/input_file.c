/*
 * input_file: problems on disk, so that two machines run the same. Layout, little-endian: 8 bytes magic
 * "ertgpp1\n"; seven 64-bit numbers: nbands, ngpown, ncouls, nw, seed, bytes of the arrays, checksum;
 * then the arrays of gpp_problem_arrays() as doubles, one behind the other.
 *
 * The checksum is FNV-1a (Fowler, Noll, Vo) over 64-bit words of sizes, seed and arrays: any one changed word
 * changes it, since each step is a bijection of the state.
 */
#include "gpp/problem.h"

#include "ert/base/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NBANDS, NGPOWN, NCOULS, NW, SEED, BYTES, CHECKSUM, N_WORDS };

struct header {
    char magic[8];
    uint64_t words[N_WORDS];
};

static const char magic[8] = {'e', 'r', 't', 'g', 'p', 'p', '1', '\n'};

static uint64_t fold(uint64_t sum, const void *data, size_t n_words)
{
    uint64_t word;
    for (size_t i = 0; i < n_words; i++) {
        memcpy(&word, (const char *)data + 8 * i, 8);
        sum = (sum ^ word) * UINT64_C(0x100000001b3);
        sum ^= sum >> 29; /* FNV mixes upwards only; this is invertible too */
    }
    return sum;
}

static uint64_t checksum_of(const struct header *header, struct gpp_problem *problem)
{
    struct gpp_array arrays[GPP_N_ARRAYS];
    uint64_t sum = fold(UINT64_C(0xcbf29ce484222325), header->words, CHECKSUM);
    gpp_problem_arrays(problem, arrays);
    for (size_t i = 0; i < GPP_N_ARRAYS; i++)
        sum = fold(sum, *arrays[i].data, arrays[i].n);
    return sum;
}

static int is_big_endian(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 0;
}

static enum ert_status write_all(FILE *out, const char *file, const struct header *header,
                                 struct gpp_problem *problem, struct ert_error *error)
{
    struct gpp_array arrays[GPP_N_ARRAYS];
    gpp_problem_arrays(problem, arrays);
    int good = fwrite(header, sizeof *header, 1, out) == 1;
    for (size_t i = 0; i < GPP_N_ARRAYS && good; i++)
        good = fwrite(*arrays[i].data, sizeof(double), arrays[i].n, out) == arrays[i].n;
    if (!good || fflush(out) != 0 || fsync(fileno(out)) != 0)
        return ert_fail(error, ERT_FAILED, "%s: cannot write: %s", file, strerror(errno));
    return ERT_OK;
}

enum ert_status gpp_problem_save(const char *file, const struct gpp_problem *problem,
                                 struct ert_error *error)
{
    struct gpp_problem copy = *problem;
    const struct gpp_sizes *s = &problem->sizes;
    struct header header = {
        .words = {s->nbands, s->ngpown, s->ncouls, s->nw, problem->seed, gpp_sizes_bytes(s),
                  0}
    };
    char name[4096];
    if (is_big_endian())
        return ert_fail(error, ERT_UNAVAILABLE, "%s: not written on big-endian machines",
                        file);
    memcpy(header.magic, magic, sizeof magic);
    header.words[CHECKSUM] = checksum_of(&header, &copy);
    /* Gigabytes: written to a neighbour and renamed, not gathered in memory for ert_file_write(). */
    if (snprintf(name, sizeof name, "%s.%ld", file, (long)getpid()) >= (int)sizeof name)
        return ert_fail(error, ERT_USAGE, "%.200s...: name too long", file);
    FILE *out = fopen(name, "wb");
    if (!out)
        return ert_fail(error, ERT_FAILED, "%s: cannot write: %s", file, strerror(errno));
    enum ert_status status = write_all(out, file, &header, &copy, error);
    if (fclose(out) != 0 && status == ERT_OK)
        status = ert_fail(error, ERT_FAILED, "%s: cannot write: %s", file, strerror(errno));
    if (status == ERT_OK && rename(name, file) != 0)
        status = ert_fail(error, ERT_FAILED, "%s: cannot rename to it: %s", file,
                          strerror(errno));
    if (status != ERT_OK)
        unlink(name);
    return status;
}

/* The header against itself, and against the size of the file. */
static enum ert_status check_header(const char *file, const struct header *header,
                                    uint64_t file_bytes, struct gpp_sizes *sizes,
                                    struct ert_error *error)
{
    const uint64_t *words = header->words;
    if (memcmp(header->magic, magic, 6) != 0)
        return ert_fail(error, ERT_USAGE, "%s: not an input file of ert-gpp", file);
    if (memcmp(header->magic, magic, sizeof magic) != 0)
        return ert_fail(error, ERT_USAGE, "%s: version '%c' of the format, this reads '1'",
                        file, header->magic[6]);
    *sizes = (struct gpp_sizes){(size_t)words[NBANDS], (size_t)words[NGPOWN],
                                (size_t)words[NCOULS], (size_t)words[NW]};
    struct ert_error detail;
    enum ert_status status = gpp_sizes_check(sizes, &detail);
    if (status != ERT_OK)
        return ert_fail(error, status, "%.300s: damaged header: %.150s", file, detail.text);
    uint64_t needed_bytes = sizeof *header + gpp_sizes_bytes(sizes);
    if (words[BYTES] != gpp_sizes_bytes(sizes))
        return ert_fail(error, ERT_USAGE,
                        "%s: damaged header: %" PRIu64 " bytes of arrays, the sizes make "
                        "%" PRIu64,
                        file, words[BYTES], gpp_sizes_bytes(sizes));
    if (file_bytes != needed_bytes)
        return ert_fail(error, ERT_USAGE, "%s: %" PRIu64 " bytes, its header says %" PRIu64,
                        file, file_bytes, needed_bytes);
    return gpp_memory_check(file, needed_bytes, gpp_memory_available_bytes(), error);
}

static enum ert_status read_arrays(FILE *in, const char *file, const struct header *header,
                                   struct gpp_problem *problem, struct ert_error *error)
{
    struct gpp_array arrays[GPP_N_ARRAYS];
    gpp_problem_arrays(problem, arrays);
    for (size_t i = 0; i < GPP_N_ARRAYS; i++)
        if (fread(*arrays[i].data, sizeof(double), arrays[i].n, in) != arrays[i].n)
            return ert_fail(error, ERT_USAGE, "%s: cannot read %s: %s", file,
                            arrays[i].name, ferror(in) ? strerror(errno) : "ends early");
    uint64_t sum = checksum_of(header, problem);
    if (sum != header->words[CHECKSUM])
        return ert_fail(error, ERT_USAGE,
                        "%s: damaged: checksum %016" PRIx64 ", its header says %016" PRIx64,
                        file, sum, header->words[CHECKSUM]);
    return gpp_problem_check(problem, file, error);
}

static enum ert_status load(FILE *in, const char *file, struct gpp_problem *problem,
                            struct ert_error *error)
{
    struct header header;
    struct stat about;
    if (fstat(fileno(in), &about) != 0 || !S_ISREG(about.st_mode))
        return ert_fail(error, ERT_USAGE, "%s: not a regular file", file);
    if (fread(&header, sizeof header, 1, in) != 1)
        return ert_fail(error, ERT_USAGE, "%s: not an input file of ert-gpp (%lld bytes)",
                        file, (long long)about.st_size);
    struct gpp_problem made = {.seed = header.words[SEED]};
    ERT_TRY(check_header(file, &header, (uint64_t)about.st_size, &made.sizes, error));
    ERT_TRY(gpp_problem_allocate(&made, error));
    enum ert_status status = read_arrays(in, file, &header, &made, error);
    if (status == ERT_OK)
        *problem = made;
    else
        gpp_problem_free(&made);
    return status;
}

enum ert_status gpp_problem_load(const char *file, struct gpp_problem *problem,
                                 struct ert_error *error)
{
    if (is_big_endian())
        return ert_fail(error, ERT_UNAVAILABLE, "%s: not read on big-endian machines",
                        file);
    FILE *in = fopen(file, "rb");
    if (!in)
        return ert_fail(error, ERT_USAGE, "%s: cannot read: %s", file, strerror(errno));
    enum ert_status status = load(in, file, problem, error);
    fclose(in);
    return status;
}
