/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cpu_kernels: the tables, and every memory kernel of every instruction set that this CPU
 * has, called directly on arrays with guards, against the same arithmetic in scalar C, bit for bit.
 */
#include "tests/backend/cpu_tables.h"

#include "ert/core/backend/cpu/memory.h"

enum { MOST = 128 * 72, GUARD = 64 };

/*
 * Chunks in multiples: one, some, a block and its neighbours, rounds of blocks with rests.
 */
static const size_t chunks[] = {1, 2, 3, 4, 5, 15, 16, 17, 31, 64, 67, 71};

static struct ert_cpu_pattern pattern;
static double source[3][MOST]; /* r1, r2, w before the first pass */
static double target[GUARD + MOST + GUARD] __attribute__((aligned(64)));
static double sources[2][MOST] __attribute__((aligned(64)));

static int set_up(void **state)
{
    ert_cpu_pattern_make(&pattern, 11);
    ert_cpu_pattern_get(&pattern, 3, MOST, source[0]);
    ert_cpu_pattern_get(&pattern, 70001, MOST, source[1]);
    ert_cpu_pattern_get(&pattern, 140001, MOST, source[2]);
    memcpy(sources, source, sizeof sources);
    return 0;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double guard_value(size_t i)
{
    return -1.0 - (double)i;
}

static struct ert_cpu_sweep sweep_of(size_t elements, bool reads_target)
{
    for (size_t i = 0; i < sizeof target / sizeof target[0]; i++)
        target[i] = guard_value(i);
    if (reads_target)
        memcpy(target + GUARD, source[2], elements * sizeof target[0]);
    return (struct ert_cpu_sweep){.w = target + GUARD,
                                  .r1 = sources[0],
                                  .r2 = sources[1],
                                  .elements = elements,
                                  .a = -1,
                                  .b = ERT_ELEMENT_UNIT};
}

/* w of update without arithmetic: vectors have moved up by one in each pass, in groups. */
static double moved(const struct ert_cpu_isa *isa, const struct ert_cpu_variant *variant,
                    size_t i, uint64_t p)
{
    size_t lanes = isa->vector_bytes / sizeof(double), vector = i / lanes;
    size_t place = vector % variant->rotated, group = vector - place;
    return source[2][(group + (place + p + 1) % variant->rotated) * lanes + i % lanes];
}

/* w of the memory kernels after pass number p (0, 1 ...), every pass from 0 having run. */
static double expected(const struct ert_cpu_isa *isa, const struct ert_cpu_variant *variant,
                       enum ert_kernel_id kernel, size_t i, uint64_t p)
{
    double r1 = source[0][i], r2 = source[1][i], w = source[2][i];
    if (variant->rotated)
        return moved(isa, variant, i, p);
    switch (kernel) {
    case ERT_KERNEL_store:
    case ERT_KERNEL_store_nt:
        return (double)(p + 1);
    case ERT_KERNEL_copy:
        return r1;
    case ERT_KERNEL_update:
        for (uint64_t k = 0; k <= p; k++)
            w = ERT_ELEMENT_UNIT - -1.0 * w;
        return w;
    case ERT_KERNEL_triad:
        return r1 + (p % 2 ? 3.0 : 2.0) * r2;
    case ERT_KERNEL_add:
        return r1 + r2;
    case ERT_KERNEL_load2_store1:
        return p % 2 ? r2 : r1;
    default:
        fail_msg("%s has no case in expected()", ert_kernel_row(kernel)->name);
        return NAN;
    }
}

/* The checksum of load and load2_store1 after passes 0 ... p, element by element. */
static uint64_t checksum(enum ert_kernel_id kernel, bool folds, size_t elements, uint64_t p)
{
    uint64_t sum = 0;
    for (uint64_t pass = 0; pass <= p; pass++) {
        for (size_t i = 0; i < elements; i++)
            if (!folds || i % ERT_CPU_MULTIPLE < ERT_CPU_FOLD_COUNT)
                sum ^=
                    bits_of(source[kernel == ERT_KERNEL_load2_store1 && pass % 2 == 0][i]);
        sum = sum << 1 | sum >> 63;
    }
    return sum;
}

static void assert_untouched(const struct ert_cpu_isa *isa, const char *name,
                             size_t elements)
{
    for (size_t i = 0; i < sizeof target / sizeof target[0]; i++)
        if (i < GUARD || i >= GUARD + elements)
            if (target[i] != guard_value(i))
                fail_msg("%s %s of %zu elements wrote element %td", isa->name, name,
                         elements, (ptrdiff_t)i - GUARD);
    assert_memory_equal(source, sources, sizeof sources);
}

static void check_memory(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel,
                         const struct ert_cpu_variant *variant, size_t elements)
{
    const struct ert_kernel *row = ert_kernel_row(kernel);
    struct ert_cpu_sweep sweep = sweep_of(elements, ERT_READS_TARGET(row->result));
    /* Calls of 1 to 5 passes: 15 in all, more than vectors that change places. */
    for (uint64_t calls = 1, p = 0; calls <= 5; p += calls, calls++) {
        sweep.first_pass = p;
        sweep.passes = calls;
        variant->kernel(&sweep);
        uint64_t last = p + calls - 1;
        for (size_t i = 0; row->stores && i < elements; i++) {
            double should = expected(isa, variant, kernel, i, last);
            if (bits_of(sweep.w[i]) != bits_of(should))
                fail_msg(
                    "%s %s, %s, of %zu elements: element %zu after %d passes is %.17g, "
                    "not %.17g; its result says that w is %s",
                    isa->name, row->name, variant->name, elements, i, (int)last + 1,
                    sweep.w[i], should,
                    ERT_READS_TARGET(row->result) ? "read, too" : "only written");
        }
        bool sums = kernel == ERT_KERNEL_load || kernel == ERT_KERNEL_load2_store1;
        if (sweep.checksum != (sums ? checksum(kernel, variant->folds, elements, last) : 0))
            fail_msg("%s %s, %s, of %zu elements: wrong checksum after %d passes",
                     isa->name, row->name, variant->name, elements, (int)last + 1);
    }
    assert_untouched(isa, row->name, row->stores ? elements : 0);
}

static void memory_kernels_sweep_every_element(void **state)
{
    for (size_t k = 0; ert_cpu_isas[k]; k++)
        for (int kernel = 0; has(ert_cpu_isas[k]) && kernel < ERT_N_KERNELS; kernel++)
            for (const struct ert_cpu_variant *variant = ert_cpu_isas[k]->variants[kernel];
                 ert_kernel_row(kernel)->kind == ERT_KIND_MEMORY && variant &&
                 variant->name;
                 variant++)
                for (size_t c = 0; c < sizeof chunks / sizeof chunks[0]; c++)
                    check_memory(ert_cpu_isas[k], kernel, variant,
                                 chunks[c] * ERT_CPU_MULTIPLE);
}

/* Few enough for a sweep, each with a function and a name of its own, and the first without prefetches. */
static void ways_are_told_apart(void **state)
{
    for (size_t k = 0; ert_cpu_isas[k]; k++)
        for (int kernel = 0; kernel < ERT_N_KERNELS; kernel++) {
            const struct ert_cpu_variant *variants = ert_cpu_isas[k]->variants[kernel];
            bool sweeps = ert_kernel_row(kernel)->kind == ERT_KIND_MEMORY;
            assert_true(!variants || variants[0].name);
            for (size_t i = 0; variants && variants[i].name; i++) {
                assert_true(i < ERT_CPU_MAX_VARIANTS &&
                            sweeps == (variants[i].vectors > 0));
                assert_true((variants[i].kernel != NULL) != (variants[i].by_flops != NULL));
                assert_true(i > 0 || variants[i].prefetches == 0);
                for (size_t j = 0; j < i; j++)
                    assert_true(strcmp(variants[i].name, variants[j].name) != 0 &&
                                (variants[i].kernel != variants[j].kernel ||
                                 variants[i].by_flops != variants[j].by_flops));
            }
        }
}

/* The kind's rows that all instruction sets of general use have; others have a file of their own. */
static bool is_general(enum ert_kernel_id kernel, enum ert_kernel_kind kind)
{
    const struct ert_kernel *row = ert_kernel_row(kernel);
    return row->kind == kind && (row->home == ERT_HOME_ALL || row->home == ERT_HOME_CPU);
}

/* A table has all general rows of a kind or none. */
static bool has_class(const struct ert_cpu_isa *isa, enum ert_kernel_kind kind)
{
    size_t n = 0, n_has = 0;
    for (int kernel = 0; kernel < ERT_N_KERNELS; kernel++)
        if (is_general(kernel, kind)) {
            n++;
            n_has += isa->variants[kernel] != NULL;
        }
    if (n_has != 0 && n_has != n)
        fail_msg("%s: %zu of %zu kernels of kind %d", isa->name, n_has, n, kind);
    return n_has > 0;
}

/*
 * First the vector instruction sets with all classes, the widest first; then scalar with the compute
 * kernels; then extensions with neither.
 */
static void tables_are_complete_and_best_comes_first(void **state)
{
    int last_rank = 0;
    for (size_t k = 0; ert_cpu_isas[k]; k++) {
        const struct ert_cpu_isa *isa = ert_cpu_isas[k];
        bool sweeps = has_class(isa, ERT_KIND_MEMORY);
        bool computes = has_class(isa, ERT_KIND_COMPUTE);
        int rank = sweeps ? 0 : computes ? 1 : 2;
        assert_true(computes || !sweeps);
        assert_true(rank >= last_rank);
        if (k > 0 && sweeps)
            assert_true(isa->vector_bytes <= ert_cpu_isas[k - 1]->vector_bytes);
        last_rank = rank;
    }
}

/* No two tables that one CPU can have offer a kernel under one name. */
static void names_are_unambiguous(void **state)
{
    for (size_t k = 0; ert_cpu_isas[k]; k++)
        for (size_t j = 0; j < k; j++)
            for (int kernel = 0; kernel < ERT_N_KERNELS; kernel++)
                assert_false(is_offered(ert_cpu_isas[k]) && is_offered(ert_cpu_isas[j]) &&
                             ert_cpu_isas[k]->variants[kernel] &&
                             ert_cpu_isas[j]->variants[kernel] &&
                             strcmp(ert_cpu_isas[k]->name, ert_cpu_isas[j]->name) == 0);
}

static void pattern_is_dyadic_and_the_same_from_any_start(void **state)
{
    static double again[1500];
    double previous = -1;
    for (size_t i = 0; i < MOST; i++) {
        double units = source[0][i] / ERT_ELEMENT_UNIT;
        assert_true(source[0][i] >= 0 && source[0][i] < 1 && units == floor(units));
        assert_true(source[0][i] != previous);
        previous = source[0][i];
    }
    for (size_t first = 0; first < 1030; first += 103) {
        ert_cpu_pattern_get(&pattern, 3 + first, 1500, again);
        assert_memory_equal(again, source[0] + first, sizeof again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_complete_and_best_comes_first),
        cmocka_unit_test(names_are_unambiguous),
        cmocka_unit_test(ways_are_told_apart),
        cmocka_unit_test(pattern_is_dyadic_and_the_same_from_any_start),
        cmocka_unit_test(memory_kernels_sweep_every_element),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
