/* SPDX-License-Identifier: BSD-3-Clause */
/* ert-net: measures the network between the hosts of an MPI job, and finds slow hosts and links. */
#include "ert/core/base/alloc.h"
#include "ert/core/base/clock.h"
#include "ert/core/base/config.h"
#include "ert/core/base/program.h"
#include "ert/core/base/units.h"
#include "ert/core/ceilings/ceilings.h"
#include "ert/core/fit/extras.h"
#include "ert/core/stats/stats.h"
#include "ert/ext/net/net.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *out, *into;
    struct ert_net_plan plan;
    bool by_rank, help, version;
};

static const struct ert_opt rows[] = {
    ERT_OPT("out", TEXT, out, "FILE",
            "append the results to FILE, one JSON object a line (default: to stdout)"),
    ERT_OPT_WITHIN("size", SIZE, plan.size_bytes, "SIZE",
                   "size of large messages, a multiple of 8 (default: 1 MiB)", 8,
                   ERT_NET_MAX_SIZE),
    ERT_OPT_WITHIN("time", TIME, plan.time_s, "TIME",
                   "measure each result for TIME (default: 20 ms)", 1e-4, 60),
    ERT_OPT_WITHIN("deadline", TIME, plan.deadline_s, "TIME",
                   "give up what is not done TIME after its round began, and name it; at "
                   "least 10 times --time (default: 10 s)",
                   0.1, 3600),
    ERT_OPT("into", TEXT, into, "FILE",
            "also write the results of rank 0's host into its ceilings.json"),
    ERT_OPT_WITHIN("seed", COUNT, plan.seed, "N",
                   "seed of the order of pairs and of the data (default: 1)", 0, 1e15),
    ERT_OPT_SWITCH("hosts-by-rank", by_rank,
                   "take each rank for a host, n1, n2 ...: for tests on one machine"),
    ERT_OPT_SWITCH("help", help, "this text"),
    ERT_OPT_SWITCH("version", version, "the version"),
};

static void help(FILE *out)
{
    fputs(
        "usage: mpirun -n HOSTS --map-by node ert-net [OPTIONS]\n"
        "Measures latency and bandwidth between the hosts of an MPI job. Start one rank a "
        "host.\n"
        "Results are written round by round.\n\n",
        out);
    ert_opt_help(out, rows, ERT_LENGTH(rows));
    fputs(
        "\nExit codes: 0 done, 1 failed, or something hung or received wrong data, 2 wrong "
        "usage, 3 not\navailable here.\n",
        out);
}

static enum ert_status parse(int argc, char **argv, struct options *options,
                             struct ert_error *error)
{
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc - 1, argv + 1, options, NULL, 0,
                          NULL, error));
    if (options->plan.size_bytes % 8)
        return ert_fail(error, ERT_USAGE, "--size: %" PRIu64 ", must be a multiple of 8",
                        options->plan.size_bytes);
    /* a round has eight or more results */
    if (options->plan.deadline_s < 10 * options->plan.time_s)
        return ert_fail(error, ERT_USAGE,
                        "--deadline: %g s, must be at least 10 times --time, %g s",
                        options->plan.deadline_s, options->plan.time_s);
    return ERT_OK;
}

static void print_test(FILE *out, enum ert_net_test test,
                       const struct ert_net_value *values, size_t n)
{
    double *own = ert_xcalloc(n, sizeof *own), size_bytes = 0;
    const char *unit = ert_net_test_unit(test);
    size_t n_own = 0;
    for (size_t i = 0; i < n; i++)
        if (values[i].test == test) {
            own[n_own++] = values[i].value;
            size_bytes = values[i].size_bytes;
        }
    if (n_own > 0) {
        fprintf(out, "  %-24s %12s", ert_net_test_words[test],
                ert_units_rate(ert_stats_median(own, n_own), unit).text);
        if (n_own > 1)
            fprintf(out, "  %s to %s of %zu",
                    ert_units_rate(ert_stats_quantile(own, n_own, 0), unit).text,
                    ert_units_rate(ert_stats_quantile(own, n_own, 1), unit).text, n_own);
        if (size_bytes > 0)
            fprintf(out, "  messages of %s", ert_units_capacity((uint64_t)size_bytes).text);
        fputc('\n', out);
    }
    free(own);
}

static void print_summary(FILE *out, const struct ert_net_world *world,
                          const struct ert_net_outcome *outcome)
{
    fprintf(out, "%u hosts\n", world->n_hosts);
    if (world->is_shared)
        fputs("The ranks share CPUs: pairs were measured one after the other, and no rate "
              "is a network's.\n",
              out);
    for (int test = 0; test < ERT_NET_N_TESTS; test++)
        print_test(out, (enum ert_net_test)test, outcome->values, outcome->n);
}

/* ---- --into ---- */

static struct ert_device_ceilings *into_find_cpu(struct ert_ceilings *ceilings)
{
    for (size_t i = 0; i < ceilings->n_devices; i++) {
        const struct ert_device *device =
            ert_machine_device(ceilings->machine, ceilings->devices[i].device);
        if (device && device->kind == ERT_DEVICE_CPU)
            return &ceilings->devices[i];
    }
    return NULL;
}

/* Fills a ceiling from rounds[n], of which it keeps an even selection. */
static void into_fill(struct ert_ceiling *ceiling, const double *rounds, size_t n,
                      enum ert_better better)
{
    struct ert_estimate estimate = ert_estimate_make(rounds, n, better);
    ceiling->value = estimate.value;
    ceiling->low = estimate.low;
    ceiling->high = estimate.high;
    ceiling->evidence->best =
        ert_stats_quantile(rounds, n, better == ERT_BETTER_HIGH ? 1 : 0);
    ceiling->evidence->n_samples = (uint32_t)n;
    ceiling->evidence->n_rounds = (uint32_t)(n < ERT_MAX_ROUNDS ? n : ERT_MAX_ROUNDS);
    for (uint32_t i = 0; i < ceiling->evidence->n_rounds; i++)
        ceiling->evidence->rounds[i] = rounds[i * n / ceiling->evidence->n_rounds];
    ceiling->confidence = n < 3 ? ERT_CONFIDENCE_MEDIUM : ERT_CONFIDENCE_HIGH;
    if (n < 3)
        snprintf(ceiling->evidence->warning, sizeof ceiling->evidence->warning,
                 "of %zu value%s alone", n, n == 1 ? "" : "s");
}

static void into_make(struct ert_device_ceilings *device, enum ert_net_test test,
                      const struct ert_net_value *values, size_t n, double *rounds)
{
    const char *word = ert_net_test_words[test];
    const bool is_time = strcmp(ert_net_test_unit(test), "s") == 0;
    size_t n_rounds = 0, last = 0;
    for (size_t i = 0; i < n; i++)
        if (values[i].test == test) {
            rounds[n_rounds++] = values[i].value;
            last = i;
        }
    if (n_rounds == 0)
        return;
    struct ert_ceiling *extra = ert_extras_add(device, ERT_CEILING_NETWORK);
    extra->key.count = 2;
    extra->key.access_bytes = (uint64_t)values[last].size_bytes;
    into_fill(extra, rounds, n_rounds, is_time ? ERT_BETTER_LOW : ERT_BETTER_HIGH);
    snprintf(extra->name, sizeof extra->name, "net-%s", word);
    snprintf(extra->kernel, sizeof extra->kernel, "ert-net");
    snprintf(extra->key.of, sizeof extra->key.of, "%s", word);
    extra->unit = is_time ? ERT_UNIT_S : ERT_UNIT_BYTE_PER_S;
    snprintf(extra->key.from, sizeof extra->key.from, "host");
    snprintf(extra->key.to, sizeof extra->key.to, "host");
}

/*
 * Stores the values as ceilings of the CPU, from whose memory was sent, in the list "network", replacing
 * earlier ones. A ceiling's rounds are an even selection of its values; its value is their estimate.
 */
static enum ert_status into_store(struct ert_ceilings *ceilings,
                                  const struct ert_net_value *values, size_t n,
                                  struct ert_error *error)
{
    struct ert_device_ceilings *device = into_find_cpu(ceilings);
    if (!device)
        return ert_fail(error, ERT_USAGE,
                        "the file has no CPU, from whose memory was sent");
    double *rounds = ert_xcalloc(n, sizeof *rounds);
    ert_ceilings_remove(device, ERT_CEILING_NETWORK);
    for (int test = 0; test < ERT_NET_N_TESTS; test++)
        into_make(device, (enum ert_net_test)test, values, n, rounds);
    free(rounds);
    return ERT_OK;
}

/* Keeps the values of this host alone, and writes them. */
static enum ert_status write_into(const char *file, struct ert_net_outcome *outcome,
                                  struct ert_error *error)
{
    struct ert_ceilings ceilings = {0};
    size_t n = 0;
    ERT_TRY(ert_ceilings_read(file, &ceilings, error));
    for (size_t i = 0; i < outcome->n; i++)
        if (outcome->values[i].is_own)
            outcome->values[n++] = outcome->values[i];
    enum ert_status status = into_store(&ceilings, outcome->values, n, error);
    if (status == ERT_OK)
        status = ert_ceilings_write(file, &ceilings, error);
    ert_ceilings_free(&ceilings);
    return status;
}

/* ---- the run ---- */

/* Checks before measuring what could fail afterwards: the output, and the file to write into. */
static enum ert_status prepare(const struct options *options, FILE **out,
                               struct ert_error *error)
{
    struct ert_ceilings ceilings = {0};
    *out = strcmp(options->out, "-") == 0 ? stdout : fopen(options->out, "a");
    if (!*out)
        return ert_fail(error, ERT_FAILED, "%s: %s", options->out, strerror(errno));
    if (options->into)
        ERT_TRY(ert_ceilings_read(options->into, &ceilings, error));
    ert_ceilings_free(&ceilings);
    return ERT_OK;
}

/* On rank 0: measures, writes, and prints a summary. */
static enum ert_status lead(const struct options *options, struct ert_net_world *world,
                            FILE *out, struct ert_net_outcome *outcome,
                            struct ert_error *error)
{
    const bool is_stdout = out == stdout;
    enum ert_status status = ert_net_measure(world, &options->plan, out, outcome, error);
    if (!is_stdout && fclose(out) != 0 && status == ERT_OK)
        status = ert_fail(error, ERT_FAILED, "%s: %s", options->out, strerror(errno));
    if (status != ERT_OK)
        return status;
    print_summary(is_stdout ? stderr : stdout, world, outcome);
    fflush(stdout);
    if (options->into)
        ERT_TRY(write_into(options->into, outcome, error));
    if (outcome->n_bad > 0)
        return ert_fail(error, ERT_FAILED, "%s (%zu such result%s)", outcome->first_bad,
                        outcome->n_bad, outcome->n_bad == 1 ? "" : "s");
    return ERT_OK;
}

/* All ranks continue or none: only the first rank with the worst error prints it. */
static enum ert_status agree(enum ert_status status, int rank, struct ert_error *error)
{
    struct {
        int status, rank;
    } own = {(int)status, rank}, worst;
    MPI_Allreduce(&own, &worst, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD);
    if (worst.rank != rank)
        error->text[0] = '\0';
    return (enum ert_status)worst.status;
}

static enum ert_status measure(const struct options *options, int rank,
                               struct ert_net_outcome *outcome, struct ert_error *error)
{
    struct ert_net_world world;
    FILE *out = NULL;
    enum ert_status status = ert_net_world_make(options->by_rank, &world, error);
    if (status == ERT_OK && rank == 0)
        status = prepare(options, &out, error);
    ERT_TRY(agree(status, rank, error));
    if (rank == 0)
        return lead(options, &world, out, outcome, error);
    ert_net_serve(&world);
    return ERT_OK;
}

int main(int argc, char **argv)
{
    struct options options = {
        .out = "-",
        .plan = {.size_bytes = 1 << 20, .time_s = 20e-3, .deadline_s = 10, .seed = 1}
    };
    struct ert_error error = {0};
    struct ert_net_outcome outcome = {0};
    int rank;
    enum ert_status status = parse(argc, argv, &options, &error);
    if (status == ERT_OK && options.help) {
        help(stdout);
        return ERT_OK;
    }
    if (status == ERT_OK && options.version) {
        puts("ert-net " PACKAGE_VERSION);
        return ERT_OK;
    }
    ert_net_guard(300, -1, NULL); /* for a launcher that never starts all ranks */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (status != ERT_OK && rank > 0)
        error.text[0] = '\0'; /* all ranks have the same error */
    if (status == ERT_OK)
        status = measure(&options, rank, &outcome, &error);
    if (status != ERT_OK && *error.text)
        fprintf(stderr, "ert-net: %s\n", error.text);
    free(outcome.values);
    if (outcome.n_undone > 0 && rank == 0) {
        ert_clock_sleep_s(0.2); /* for the launcher to take our output: MPICH's drops it */
        MPI_Abort(MPI_COMM_WORLD, (int)status);
    }
    ert_net_guard(60, -1, NULL);
    MPI_Finalize();
    return (int)status;
}
