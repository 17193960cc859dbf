/* SPDX-License-Identifier: BSD-3-Clause */
/* conditions: what the machine and the samples say, and which of it makes a run invalid. */
#include "tests/unit/ceilings_fixture.h"
#include "tests/unit/test.h"

#include "ert/core/fit/conditions.h"
#include "ert/core/fit/evidence.h"

static const uint64_t power_cap = 0x4; /* of ert_nvidia_throttle */
enum { N_SAMPLES = 20 };

/* A device with one point whose samples can be set. */
struct rig {
    struct ert_device device;
    struct ert_device_samples samples;
    struct ert_point point;
    struct ert_sample list[N_SAMPLES];
    struct ert_condition conditions[ERT_MAX_CONDITIONS];
    size_t n;
};

static void make(struct rig *rig, enum ert_device_kind kind)
{
    *rig = (struct rig){.n = 0};
    rig->device = (struct ert_device){.kind = kind, .base_hz = 2e9, .backend = "cuda"};
    rig->device.cpu.n_cores_usable = 4;
    rig->point.samples = rig->list;
    rig->point.n_samples = N_SAMPLES;
    rig->point.work.threads = 4;
    rig->samples.points = &rig->point;
    rig->samples.n_points = 1;
}

static const struct ert_condition *find(struct rig *rig, const char *name)
{
    rig->n = ert_conditions_list(&rig->device, &rig->samples, rig->conditions);
    assert_in_range(rig->n, 1, ERT_MAX_CONDITIONS);
    for (size_t i = 0; i < rig->n; i++)
        if (strcmp(rig->conditions[i].name, name) == 0)
            return &rig->conditions[i];
    fail_msg("no condition '%s'", name);
    return NULL;
}

static bool has(struct rig *rig, const char *name)
{
    rig->n = ert_conditions_list(&rig->device, &rig->samples, rig->conditions);
    for (size_t i = 0; i < rig->n; i++)
        if (strcmp(rig->conditions[i].name, name) == 0)
            return true;
    return false;
}

static bool is_quiet(struct rig *rig, struct ert_device_ceilings *ceilings)
{
    memset(ceilings, 0, sizeof *ceilings);
    ert_evidence_disturbed(&rig->device, &rig->samples, ceilings);
    return !*ceilings->warnings;
}

/* What others did in all of the run. */
static void activity_is_judged_over_the_whole_run(void **state)
{
    static const struct {
        double foreign, steal;
        enum ert_condition_verdict other_work, steal_verdict;
    } rows[] = {
        {0,     0,    ERT_CONDITION_GOOD, ERT_CONDITION_GOOD},
        {0.019, 0.02, ERT_CONDITION_GOOD, ERT_CONDITION_NOTE},
        {0.20,  0.13, ERT_CONDITION_NOTE, ERT_CONDITION_NOTE},
        {0.21,  0,    ERT_CONDITION_BAD,  ERT_CONDITION_GOOD},
        {0.5,   0.3,  ERT_CONDITION_BAD,  ERT_CONDITION_BAD },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rig rig;
        char why[256];
        make(&rig, ERT_DEVICE_CPU);
        rig.samples.activity =
            (struct ert_activity){10, 4, 0.4, rows[i].foreign, rows[i].steal, ""};
        assert_int_equal(find(&rig, "other work")->verdict, rows[i].other_work);
        assert_int_equal(find(&rig, "steal")->verdict, rows[i].steal_verdict);
        assert_int_equal(ert_conditions_reach(&rig.device, &rig.samples, why, sizeof why),
                         rows[i].foreign > 0.2 ? ERT_REACH_SHARED : ERT_REACH_NONE);
        assert_int_equal(*why != '\0', rows[i].foreign > 0.2);
    }
    struct rig rig;
    char why[256];
    make(&rig, ERT_DEVICE_CPU);
    rig.samples.activity = (struct ert_activity){10, 1, 0.4, 0.5, 0.3, ""};
    assert_int_equal(ert_conditions_reach(&rig.device, &rig.samples, why, sizeof why),
                     ERT_REACH_SHARED);
    assert_string_equal(why,
                        "other programs had 50 % of the time of our 1 CPU, more than "
                        "20 %; other guests of this host had 30 % of the time of our 1 "
                        "CPU, more than 20 %");
    snprintf(rig.device.backend, sizeof rig.device.backend, "fake");
    assert_int_equal(ert_conditions_reach(&rig.device, &rig.samples, why, sizeof why),
                     ERT_REACH_NONE);
    assert_string_equal(why, "");
}

static void other_runs_are_bad(void **state)
{
    static const enum ert_device_kind kinds[] = {ERT_DEVICE_CPU, ERT_DEVICE_GPU};
    for (size_t i = 0; i < ERT_LENGTH(kinds); i++) {
        struct rig rig;
        char why[256];
        make(&rig, kinds[i]);
        assert_false(has(&rig, "other runs"));
        snprintf(rig.samples.activity.other_runs, sizeof rig.samples.activity.other_runs,
                 "pid 12 (user 1000)");
        assert_int_equal(find(&rig, "other runs")->verdict, ERT_CONDITION_BAD);
        assert_int_equal(ert_conditions_reach(&rig.device, &rig.samples, why, sizeof why),
                         kinds[i] == ERT_DEVICE_CPU ? ERT_REACH_SHARED : ERT_REACH_ALL);
        assert_contains(why,
                        "other runs of ert measured this device, too: pid 12 (user 1000)");
    }
}

/*
 * Thread 1 of 4 at a given share of its rate in every n-th window: half of it, at the same clock, is another
 * hardware thread of its core. Waiting is no sharing, nor is a clock that falls; eight windows are needed.
 */
static void sharing_of_cores_is_seen(void **state)
{
    static const char half[] = "cost 3.1 % of the rate (for 6 % of the time",
                      little[] = "cost 1.9 % of the rate (for 4 % of the time",
                      none[] = "cost 0.0 % of the rate (for 0 % of the time";
    static const struct {
        double rate, waited;
        double clock_hz[2]; /* of the other windows, and of every n-th */
        size_t every, n_samples;
        const char *says; /* NULL: no such condition */
        enum ert_condition_verdict verdict;
    } rows[] = {
        {0.5, 0,    {2e9, 2e9}, 4, 20, half,   ERT_CONDITION_NOTE},
        {0.5, 0,    {2e9, 2e9}, 9, 20, little, ERT_CONDITION_GOOD},
        {0.8, 0,    {2e9, 2e9}, 4, 20, none,   ERT_CONDITION_GOOD},
        {0.5, 0,    {2e9, 1e9}, 4, 20, none,   ERT_CONDITION_GOOD},
        {0.5, 0.03, {2e9, 2e9}, 4, 20, NULL,   ERT_CONDITION_GOOD},
        {0.5, 0,    {0, 0},     4, 20, NULL,   ERT_CONDITION_GOOD},
        {0.5, 0,    {2e9, 2e9}, 4, 7,  NULL,   ERT_CONDITION_GOOD},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct rig rig;
        double passes[N_SAMPLES][4];
        make(&rig, ERT_DEVICE_CPU);
        rig.point.section = ERT_SECTION_COMPUTE;
        rig.point.n_samples = rows[r].n_samples;
        for (size_t i = 0; i < N_SAMPLES; i++) {
            for (size_t t = 0; t < 4; t++)
                passes[i][t] = 1000 * (double)(t + 1); /* threads differ, each is steady */
            bool hit = i % rows[r].every == 0;
            if (hit)
                passes[i][1] *= rows[r].rate;
            rig.list[i] = (struct ert_sample){.time_s = 0.003,
                                              .waited = rows[r].waited,
                                              .clock_hz = rows[r].clock_hz[hit],
                                              .n_threads = 4,
                                              .thread_passes = passes[i]};
        }
        assert_int_equal(has(&rig, "core sharing"), rows[r].says != NULL);
        if (!rows[r].says)
            continue;
        assert_contains(find(&rig, "core sharing")->text, rows[r].says);
        assert_int_equal(find(&rig, "core sharing")->verdict, rows[r].verdict);
    }
}

static void set_ceiling(struct ert_ceiling *ceiling, const char *name, double width,
                        uint32_t n_samples)
{
    ceiling->value = 100;
    ceiling->low = 100 - 50 * width;
    ceiling->high = 100 + 50 * width;
    ceiling->evidence->n_samples = n_samples;
    snprintf(ceiling->name, sizeof ceiling->name, "%s", name);
}

/* Other work leaves the levels of a core alone; a quota lowers all of them; on a GPU everything does. */
static void a_bad_condition_unsettles_what_it_reaches(void **state)
{
    static const struct {
        enum ert_device_kind kind;
        double foreign, quota;
        bool is_low[4]; /* compute, L1, L3, DRAM */
    } rows[] = {
        {ERT_DEVICE_CPU, 0,   0,   {false, false, false, false}},
        {ERT_DEVICE_CPU, 0.5, 0,   {false, false, true, true}  },
        {ERT_DEVICE_CPU, 0,   1.5, {true, true, true, true}    },
        {ERT_DEVICE_GPU, 0,   0,   {true, true, true, true}    },
    };
    static const char *const levels[] = {"", "L1", "L3", "DRAM"};
    for (size_t r = 0; r < ERT_LENGTH(rows); r++) {
        struct rig rig;
        struct ert_device_ceilings *ceilings = calloc(1, sizeof *ceilings);
        assert_non_null(ceilings);
        make(&rig, rows[r].kind);
        for (size_t l = 1; l < ERT_LENGTH(levels); l++) {
            struct ert_level *level = &rig.device.levels[rig.device.n_levels++];
            snprintf(level->name, sizeof level->name, "%s", levels[l]);
            level->kind = l == 3 ? ERT_LEVEL_MEMORY : ERT_LEVEL_CACHE;
        }
        for (size_t l = 0; l < ERT_LENGTH(levels); l++)
            snprintf(add_ceiling(ceilings, l ? ERT_CEILING_MEMORY : ERT_CEILING_COMPUTE, "")
                         ->key.level,
                     16, "%s", levels[l]);
        rig.samples.activity = (struct ert_activity){10, 4, 0.4, rows[r].foreign, 0, ""};
        rig.device.cpu.cpus_quota = rows[r].quota;
        snprintf(rig.device.gpu.busy, sizeof rig.device.gpu.busy, "pid 7");
        rig.device.gpu.utilization_percent = ERT_GPU_BUSY_PERCENT;
        ert_evidence_disturbed(&rig.device, &rig.samples, ceilings);
        for (size_t l = 0; l < ERT_LENGTH(levels); l++)
            assert_int_equal(ceilings->ceilings[l].confidence == ERT_CONFIDENCE_LOW,
                             rows[r].is_low[l]);
        ert_device_ceilings_free(ceilings);
        free(ceilings);
    }
}

/* At half of its peak by the clock that it held, a multiply-add shared its cores, however steady it is. */
static void a_steady_half_of_the_peak_is_not_settled(void **state)
{
    static const struct {
        double fraction;
        const char *hypervisor;
        uint32_t n_pus;
        bool is_settled;
    } rows[] = {
        {0.5,  "KVM", 4, false},
        {0.5,  "",    8, false},
        {0.5,  "",    4, true }, /* one thread a core, and no other guests: that is its rate */
        {0.97, "KVM", 8, true },
        {0,    "KVM", 8, true }, /* no theory */
    };
    for (size_t r = 0; r < ERT_LENGTH(rows); r++) {
        struct rig rig;
        struct ert_device_ceilings *ceilings = calloc(1, sizeof *ceilings);
        assert_non_null(ceilings);
        make(&rig, ERT_DEVICE_CPU);
        rig.device.cpu.n_cores = 4;
        rig.device.cpu.n_pus = rows[r].n_pus;
        snprintf(rig.device.cpu.hypervisor, sizeof rig.device.cpu.hypervisor, "%s",
                 rows[r].hypervisor);
        struct ert_ceiling *fma = add_ceiling(ceilings, ERT_CEILING_COMPUTE, "");
        set_ceiling(fma, "fp64-fma", 0.01, 9);
        snprintf(fma->key.op, sizeof fma->key.op, "fma");
        fma->fraction_of_theory = rows[r].fraction;
        ert_evidence_judge(fma, &rig.device);
        assert_int_equal(ert_settled_is(fma, NULL, 0), rows[r].is_settled);
        ert_device_ceilings_free(ceilings);
        free(ceilings);
    }
}

/* A run is not valid only if neither FP64 FMA nor any level's best bandwidth is settled. */
static void main_ceilings_must_be_settled(void **state)
{
    struct ert_device_ceilings *device = calloc(1, sizeof *device);
    assert_non_null(device);
    device->valid = true;
    for (int i = 0; i < 5; i++)
        add_ceiling(device, i < 2 ? ERT_CEILING_COMPUTE : ERT_CEILING_MEMORY, "")->is_roof =
            false;
    set_ceiling(compute_at(device, 0), "fp64-add", 0.9, 1);
    set_ceiling(compute_at(device, 1), "fp64-fma", 0.099, 9);
    set_ceiling(memory_at(device, 0), "L1-load", 0.8, 2);
    set_ceiling(memory_at(device, 1), "L1-triad", 0.05, 3);
    set_ceiling(memory_at(device, 2), "L2-load", 0.01, 9);
    memory_at(device, 1)->is_roof = memory_at(device, 2)->is_roof = true;
    ert_settled_judge(device);
    assert_true(device->valid);
    assert_string_equal(device->warnings, "");
    assert_int_equal(ert_settled_count_open(device), 2);
    set_ceiling(compute_at(device, 1), "fp64-fma", 0.35, 9);
    set_ceiling(memory_at(device, 1), "L1-triad", 0, 1);
    ert_settled_judge(device);
    assert_true(device->valid); /* L2's roof can be used */
    char open[256];
    size_t n_main;
    assert_int_equal(ert_settled_open(device, open, sizeof open, &n_main), 2);
    assert_int_equal(n_main, 3);
    assert_string_equal(open, "fp64-fma (35 % wide), L1-triad (1 sample)");
    set_ceiling(memory_at(device, 2), "L2-load", 0.3, 9);
    ert_settled_judge(device);
    assert_false(device->valid);
    assert_string_equal(device->warnings, "not settled: fp64-fma (35 % wide), L1-triad (1 "
                                          "sample), L2-load (30 % wide)");
    snprintf(device->warnings, sizeof device->warnings, "steal");
    ert_settled_judge(device);
    assert_contains(device->warnings, "steal; not settled: fp64-fma (35");
    ert_device_ceilings_free(device);
    free(device);
}

static void a_quota_below_the_threads_is_bad(void **state)
{
    struct rig rig;
    make(&rig, ERT_DEVICE_CPU);
    assert_int_equal(find(&rig, "quota")->verdict, ERT_CONDITION_GOOD);
    rig.device.cpu.cpus_quota = 4;
    assert_int_equal(find(&rig, "quota")->verdict, ERT_CONDITION_NOTE);
    rig.device.cpu.cpus_quota = 1.5;
    assert_int_equal(find(&rig, "quota")->verdict, ERT_CONDITION_BAD);
    assert_contains(find(&rig, "quota")->text, "1.5 CPUs to 4 threads");
    /* the most threads of any point count */
    struct ert_point points[] = {
        {.work.threads = 2}, {.work.threads = 8}, {.work.threads = 1}};
    rig.samples.points = points;
    rig.samples.n_points = 3;
    assert_contains(find(&rig, "quota")->text, "1.5 CPUs to 8 threads");
}

static void a_governor_is_named(void **state)
{
    struct rig rig;
    make(&rig, ERT_DEVICE_CPU);
    assert_int_equal(find(&rig, "governor")->verdict, ERT_CONDITION_UNKNOWN);
    snprintf(rig.device.cpu.governor, sizeof rig.device.cpu.governor, "powersave");
    assert_int_equal(find(&rig, "governor")->verdict, ERT_CONDITION_NOTE);
    snprintf(rig.device.cpu.governor, sizeof rig.device.cpu.governor, "performance");
    assert_int_equal(find(&rig, "governor")->verdict, ERT_CONDITION_GOOD);
}

/* What may be either way is noted, and what the machine does not say is no warning. */
static void turbo_and_hypervisor_are_noted(void **state)
{
    struct rig rig;
    make(&rig, ERT_DEVICE_CPU);
    assert_int_equal(find(&rig, "turbo")->verdict, ERT_CONDITION_UNKNOWN);
    assert_false(has(&rig, "hypervisor"));
    snprintf(rig.device.cpu.turbo, sizeof rig.device.cpu.turbo, "off");
    snprintf(rig.device.cpu.hypervisor, sizeof rig.device.cpu.hypervisor, "KVM");
    assert_int_equal(find(&rig, "turbo")->verdict, ERT_CONDITION_NOTE);
    assert_string_equal(find(&rig, "turbo")->text, "off");
    assert_int_equal(find(&rig, "hypervisor")->verdict, ERT_CONDITION_NOTE);
    assert_contains(find(&rig, "hypervisor")->text, "KVM: ");
}

static void settings_of_a_gpu_are_noted(void **state)
{
    struct rig rig;
    make(&rig, ERT_DEVICE_GPU);
    struct ert_gpu *gpu = &rig.device.gpu;
    snprintf(gpu->mig, sizeof gpu->mig, "off");
    assert_int_equal(find(&rig, "ECC")->verdict, ERT_CONDITION_UNKNOWN);
    assert_int_equal(find(&rig, "other processes")->verdict, ERT_CONDITION_GOOD);
    assert_false(has(&rig, "MIG"));
    assert_false(has(&rig, "power limit"));
    snprintf(gpu->ecc, sizeof gpu->ecc, "on");
    snprintf(gpu->mig, sizeof gpu->mig, "on");
    snprintf(gpu->busy, sizeof gpu->busy, "pid 7, idle");
    gpu->power_limit_w = 700;
    gpu->utilization_percent = ERT_GPU_BUSY_PERCENT - 1;
    assert_int_equal(find(&rig, "ECC")->verdict, ERT_CONDITION_NOTE);
    assert_string_equal(find(&rig, "ECC")->text, "on");
    assert_int_equal(find(&rig, "MIG")->verdict, ERT_CONDITION_NOTE);
    assert_int_equal(find(&rig, "power limit")->verdict, ERT_CONDITION_NOTE);
    assert_string_equal(find(&rig, "power limit")->text, "700 W");
    assert_int_equal(find(&rig, "other processes")->verdict, ERT_CONDITION_NOTE);
    assert_string_equal(find(&rig, "other processes")->text, "pid 7, idle");
}

/* Where only the machine is known its samples are unknown, and nothing else changes. */
static void samples_may_be_missing(void **state)
{
    struct rig rig;
    make(&rig, ERT_DEVICE_CPU);
    rig.device.cpu.cpus_quota = 2;
    rig.n = ert_conditions_list(&rig.device, NULL, rig.conditions);
    assert_int_equal(rig.n, 4);
    assert_string_equal(rig.conditions[0].text, "it is unknown who else used the CPUs");
    assert_string_equal(rig.conditions[1].text, "the cgroup grants 2 CPUs");
    make(&rig, ERT_DEVICE_GPU);
    rig.n = ert_conditions_list(&rig.device, NULL, rig.conditions);
    assert_string_equal(rig.conditions[rig.n - 1].name, "throttling");
    assert_int_equal(rig.conditions[rig.n - 1].verdict, ERT_CONDITION_UNKNOWN);
}

static void set_throttle(struct rig *rig, size_t n, uint64_t reasons)
{
    for (size_t i = 0; i < N_SAMPLES; i++)
        rig->list[i].throttle = i < n ? reasons : 0;
}

static void throttling_is_named(void **state)
{
    struct rig rig;
    struct ert_device_ceilings *ceilings = malloc(sizeof *ceilings);
    assert_non_null(ceilings);
    make(&rig, ERT_DEVICE_GPU);
    assert_int_equal(find(&rig, "throttling")->verdict, ERT_CONDITION_GOOD);
    set_throttle(&rig, 3, 0x40);
    assert_int_equal(find(&rig, "throttling")->verdict, ERT_CONDITION_BAD);
    assert_false(is_quiet(&rig, ceilings));
    assert_contains(ceilings->warnings, "HW thermal slowdown during 3 of 20 samples");
    set_throttle(&rig, 2, 0x40); /* a tenth */
    assert_int_equal(find(&rig, "throttling")->verdict, ERT_CONDITION_NOTE);
    assert_true(is_quiet(&rig, ceilings));
    set_throttle(&rig, N_SAMPLES, power_cap);
    assert_int_equal(find(&rig, "throttling")->verdict, ERT_CONDITION_NOTE);
    assert_true(is_quiet(&rig, ceilings));
    rig.device.gpu.utilization_percent = ERT_GPU_BUSY_PERCENT;
    snprintf(rig.device.gpu.busy, sizeof rig.device.gpu.busy, "pid 7");
    set_throttle(&rig, N_SAMPLES, 0x8);
    assert_false(is_quiet(&rig, ceilings));
    assert_contains(ceilings->warnings, "pid 7");
    assert_contains(ceilings->warnings, "; HW slowdown");
    free(ceilings);
}

/* The worst fault of all points decides; the power limit beside it is no fault, and is not named. */
static void throttling_is_of_all_points(void **state)
{
    struct rig rig;
    static struct ert_sample samples[100];
    make(&rig, ERT_DEVICE_GPU);
    struct ert_point points[] = {
        {.samples = samples,      .n_samples = 30},
        {.samples = samples + 30, .n_samples = 70}
    };
    rig.samples.points = points;
    rig.samples.n_points = 2;
    for (size_t i = 0; i < 100; i++)
        samples[i].throttle = power_cap | (i >= 90 ? 0x20 : 0);
    samples[0].throttle |= 0x80;
    assert_int_equal(find(&rig, "throttling")->verdict, ERT_CONDITION_NOTE); /* a tenth */
    assert_string_equal(
        find(&rig, "throttling")->text,
        "SW power cap, SW thermal slowdown, HW power brake slowdown in some "
        "of 100 samples");
    samples[89].throttle |= 0x20;
    assert_int_equal(find(&rig, "throttling")->verdict, ERT_CONDITION_BAD);
    assert_string_equal(find(&rig, "throttling")->text,
                        "SW thermal slowdown, HW power brake slowdown during 11 of 100 "
                        "samples");
    rig.samples.n_points = 0;
    assert_int_equal(find(&rig, "throttling")->verdict, ERT_CONDITION_UNKNOWN);
}

/* A reason is usual from half of the samples on. */
static void half_of_the_samples_make_a_reason_usual(void **state)
{
    struct rig rig;
    make(&rig, ERT_DEVICE_GPU);
    set_throttle(&rig, N_SAMPLES / 2, 0x44);
    rig.list[0].throttle |= 0x8;
    assert_int_equal(ert_throttle_usual(&rig.point), 0x44);
    set_throttle(&rig, N_SAMPLES / 2 - 1, 0x44);
    assert_int_equal(ert_throttle_usual(&rig.point), 0);
    rig.point.n_samples = 0;
    assert_int_equal(ert_throttle_usual(&rig.point), 0);
}

static void bits_have_names(void **state)
{
    static const char *const names[] = {"idle",
                                        "applications clocks setting",
                                        "SW power cap",
                                        "HW slowdown",
                                        "sync boost",
                                        "SW thermal slowdown",
                                        "HW thermal slowdown",
                                        "HW power brake slowdown",
                                        "display clocks setting"};
    struct rig rig;
    char text[96] = "old";
    make(&rig, ERT_DEVICE_GPU);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_string_equal(
            ert_throttle_names(&rig.device, UINT64_C(1) << i, text, sizeof text), names[i]);
    assert_string_equal(ert_throttle_names(&rig.device, 0, text, sizeof text), "");
    assert_string_equal(ert_throttle_names(&rig.device, 0x84, text, sizeof text),
                        "SW power cap, HW power brake slowdown");
    assert_string_equal(ert_throttle_names(&rig.device, 0x1004, text, sizeof text),
                        "SW power cap, reason 0x1000");
    assert_string_equal(ert_throttle_names(&rig.device, 0x84, text, 6), "SW...");
}

/* A ceiling that the power limit holds says so and gets no warning for its clock. */
static void the_power_limit_is_the_ceilings_own(void **state)
{
    struct rig rig;
    const struct ert_point *points[1];
    struct ert_evidence of_held = {0}, of_fallen = {0};
    struct ert_ceiling held = {.evidence = &of_held}, fallen = {.evidence = &of_fallen};
    make(&rig, ERT_DEVICE_GPU);
    points[0] = &rig.point;
    rig.point.work.flops_per_pass = 1e9;
    for (size_t i = 0; i < N_SAMPLES; i++) {
        rig.list[i].time_s = 1e-3;
        rig.list[i].passes = 1;
        rig.list[i].clock_hz = 1.5e9;
    }
    ert_evidence_fill(&fallen, &rig.device, points, 1, 0, ert_point_performance);
    ert_evidence_judge(&fallen, &rig.device);
    assert_string_equal(fallen.evidence->throttle_reasons, "");
    assert_int_equal(fallen.confidence, ERT_CONFIDENCE_LOW);
    set_throttle(&rig, N_SAMPLES / 2, power_cap);
    ert_evidence_fill(&held, &rig.device, points, 1, 0, ert_point_performance);
    ert_evidence_judge(&held, &rig.device);
    assert_string_equal(held.evidence->throttle_reasons, "SW power cap");
    assert_int_equal(held.confidence, ERT_CONFIDENCE_HIGH);
    snprintf(held.kernel, sizeof held.kernel, "tcgen05_bf16");
    ert_evidence_judge(&held, &rig.device);
    assert_string_equal(of_held.warning, "kernel " ERT_UNTRIED_TEXT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(activity_is_judged_over_the_whole_run),
        cmocka_unit_test(other_runs_are_bad),
        cmocka_unit_test(sharing_of_cores_is_seen),
        cmocka_unit_test(a_bad_condition_unsettles_what_it_reaches),
        cmocka_unit_test(a_steady_half_of_the_peak_is_not_settled),
        cmocka_unit_test(main_ceilings_must_be_settled),
        cmocka_unit_test(a_quota_below_the_threads_is_bad),
        cmocka_unit_test(a_governor_is_named),
        cmocka_unit_test(turbo_and_hypervisor_are_noted),
        cmocka_unit_test(settings_of_a_gpu_are_noted),
        cmocka_unit_test(samples_may_be_missing),
        cmocka_unit_test(throttling_is_named),
        cmocka_unit_test(throttling_is_of_all_points),
        cmocka_unit_test(half_of_the_samples_make_a_reason_usual),
        cmocka_unit_test(bits_have_names),
        cmocka_unit_test(the_power_limit_is_the_ceilings_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
