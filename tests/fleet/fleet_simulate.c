/* SPDX-License-Identifier: BSD-3-Clause */
/* fleet_simulate: writes a simulated fleet's records, or finds how well the merge finds bad nodes. */
#include "ert/cli/commands.h"
#include "ert/core/base/alloc.h"
#include "ert/ext/fleet/fleet.h"
#include "ert/ext/fleet/hosts.h"
#include "tests/fleet/simulate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct options {
    struct ert_simulate simulate;
    const char *spread, *only;
    uint64_t runs, repeats;
    double false_alarms;
};

static const struct ert_opt rows[] = {
#define COUNT(name, field, argument, help, min, max)                                       \
    ERT_OPT_WITHIN(name, COUNT, field, argument, help, min, max)
#define SHARE(name, field, help, max)                                                      \
    ERT_OPT_WITHIN(name, NUMBER, field, "SHARE", help, 0, max)
    COUNT("nodes", simulate.nodes, "N", "nodes (default 1000)", 1, 1e6),
    COUNT("ceilings", simulate.ceilings, "N", "ceilings of each (default 20)", 1, 1000),
    ERT_OPT_OF(
        "spread", spread, "SHAPE",
        "how sound nodes differ: normal (default), t5 heavy on both sides, skewed to "
        "the slow side",
        ert_simulate_shapes),
    SHARE("deviation", simulate.spread, "standard deviation of that (default 0.005)", 0.2),
    SHARE("noise", simulate.noise, "standard deviation of one measurement (default 0.002)",
          0.2),
    SHARE("dips", simulate.dips,
          "measurements that are 3 to 10 % slow for once (default 0.002)", 1),
    SHARE("bad-share", simulate.bad_share, "bad nodes (default 0.01)", 1),
    SHARE("bad-by", simulate.bad_by, "how much slower they are (default 0.05)", 0.99),
    COUNT("bad-ceilings", simulate.bad_ceilings, "N",
          "in how many of their ceilings (default 1)", 1, 1000),
    SHARE("drift", simulate.drift, "how much slower they become each day (default 0)", 0.1),
    COUNT("day", simulate.day, "N", "days after the first (default 0)", 0, 3650),
    COUNT("sample", simulate.sample, "N", "which measurement of the day (default 0)", 0,
          999),
    ERT_OPT("only", TEXT, only, "HOSTS",
            "records of these nodes only, as merge's --expect"),
    COUNT("seed", simulate.seed, "N", "seed of the random numbers (default 1)", 0, 1e15),
    COUNT("rates", runs, "RUNS",
          "instead of records: simulate RUNS fleets, measure suspects again, and print how "
          "many nodes were found (default 0)",
          0, 10000),
    COUNT("repeats", repeats, "N",
          "with --rates: how often suspects are measured again (default 2)", 1, 100),
    ERT_OPT_WITHIN("false-alarms", NUMBER, false_alarms, "N",
                   "sound nodes called slow, expected in the whole fleet (default 0.25)",
                   1e-6, 1e4),
#undef COUNT
#undef SHARE
};

static enum ert_status write_record(const struct ert_simulate *simulate, uint64_t node,
                                    struct ert_node_record *record, struct ert_error *error)
{
    ert_simulate_node(simulate, node, record);
    return ert_node_write(stdout, record, error);
}

static enum ert_status write_records(const struct options *options, struct ert_error *error)
{
    const struct ert_simulate *simulate = &options->simulate;
    struct ert_node_record *record = ert_xcalloc(1, sizeof *record);
    struct ert_strings only = {0};
    enum ert_status status =
        options->only ? ert_hosts_read(options->only, &only, error) : ERT_OK;
    for (uint64_t i = 0; i < simulate->nodes && status == ERT_OK && !ferror(stdout); i++) {
        char host[ERT_HOST_TEXT];
        ert_simulate_host(simulate, i, host);
        if (!options->only || ert_strings_find(&only, host) != SIZE_MAX)
            status = write_record(simulate, i, record, error);
    }
    ert_strings_free(&only);
    ert_node_free(record);
    free(record);
    return status;
}

static void print_rates(const struct options *options)
{
    struct ert_simulate simulate = options->simulate;
    struct ert_simulate_rates sum = {0};
    size_t most_wrong = 0;
    for (uint64_t run = 0; run < options->runs; run++) {
        const size_t before = sum.n_wrong;
        ert_simulate_run(&simulate, options->repeats, options->false_alarms, &sum);
        const size_t n_wrong = sum.n_wrong - before;
        most_wrong = n_wrong > most_wrong ? n_wrong : most_wrong;
        simulate.seed++;
    }
    const double runs = (double)options->runs, bad = sum.n_bad ? (double)sum.n_bad : 1;
    printf("%" PRIu64 " fleets of %" PRIu64 " nodes, %" PRIu64
           " ceilings, spread %s %.2f %%, "
           "noise %.2f %%\n",
           options->runs, simulate.nodes, simulate.ceilings, options->spread,
           100 * simulate.spread, 100 * simulate.noise);
    printf("limit of a ceiling                 %8.2f %% (median)\n",
           100 * sum.limit / runs);
    printf("ceilings with a slow tail          %8.2f\n", (double)sum.n_heavy / runs);
    printf("suspects at first sight            %8.2f nodes\n", (double)sum.n_first / runs);
    printf("sound nodes called slow            %8.2f (most in one fleet: %zu)\n",
           (double)sum.n_wrong / runs, most_wrong);
    printf("sound nodes in a slow tail         %8.2f\n",
           (double)sum.n_wrong_as_tail / runs);
    printf("bad nodes, %4.1f %% slow in %" PRIu64 "%s %8.2f\n", 100 * simulate.bad_by,
           simulate.bad_ceilings, simulate.bad_ceilings == 1 ? " ceiling " : " ceilings",
           (double)sum.n_bad / runs);
    printf("  called slow                      %8.2f %%\n",
           100 * (double)sum.n_found / bad);
    printf("  in a slow tail                   %8.2f %%\n",
           100 * (double)sum.n_found_as_tail / bad);
}

static enum ert_status run_command(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.simulate = ert_simulate_defaults,
                              .spread = ert_simulate_shapes[ERT_SIMULATE_NORMAL],
                              .repeats = 2,
                              .false_alarms = ERT_FLEET_FALSE_ALARMS};
    const char *words[1];
    size_t n_words;
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, words, 1, &n_words,
                          error));
    if (n_words != 0)
        return ert_fail(error, ERT_USAGE, "simulate: '%.60s': takes options only",
                        words[0]);
    if (options.simulate.bad_ceilings > options.simulate.ceilings)
        return ert_fail(error, ERT_USAGE,
                        "--bad-ceilings: %" PRIu64 ", must be at most the %" PRIu64
                        " ceilings",
                        options.simulate.bad_ceilings, options.simulate.ceilings);
    while (strcmp(ert_simulate_shapes[options.simulate.shape], options.spread) != 0)
        options.simulate.shape++;
    if (options.runs == 0)
        return write_records(&options, error);
    print_rates(&options);
    return ERT_OK;
}

int main(int argc, char **argv)
{
    struct ert_error error = {0};
    enum ert_status status = run_command(argc - 1, argv + 1, &error);
    if (status == ERT_OK && (fflush(stdout) != 0 || ferror(stdout)))
        status = ert_fail(&error, ERT_FAILED, "cannot write");
    if (status != ERT_OK)
        fprintf(stderr, "fleet_simulate: %s\n", error.text);
    return (int)status;
}
