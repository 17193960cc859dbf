/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cpu_open: opening the OpenMP backend: variants, threads and their CPUs, and what is said when
 * threads, pinning or memory are refused.
 */
#include "tests/backend/cpu_fixture.h"

#include "ert/ext/ert110/kernels.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef __NR_arch_prctl
#define __NR_arch_prctl UINT32_MAX /* of x86 only: nothing to forbid elsewhere */
#endif

static void variants_follow_the_instruction_sets(void **state)
{
    struct ert_device old = {.kind = ERT_DEVICE_CPU};
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[160];
    assert_int_equal(list(&old, ERT_KERNEL_load, variants, reason), 0);
    assert_contains(reason, "no instruction set");
    old.cpu.isa = device.cpu.isa;
    old.cpu.isa.avx512f = old.cpu.isa.fma = false;
    old.cpu.n_cores_usable = 6;
    old.cpu.cpus_quota = 2.5;
    if (!device.cpu.isa.sse2)
        return;
    size_t n = list(&old, ERT_KERNEL_load, variants, reason);
    assert_int_equal(n, 4); /* variants */
    for (size_t i = 0; i < n; i++)
        assert_string_equal(variants[i].isa, "sse2");
    assert_string_equal(variants[0].name, "sse2 ascending x4");
    assert_int_equal(variants[0].threads, 2);
    assert_int_equal(list(&old, ERT_KERNEL_fma_fp64, variants, reason), 0);
    assert_contains(reason, "fused multiply-add");
    assert_int_equal(backend->variants(&old, &options, ERT_KERNEL_load, ERT_PATH_BYPASS_L1,
                                       variants, reason, sizeof reason),
                     0);
    assert_contains(reason, "no path");
    options.threads = 5;
    assert_int_equal(list(&old, ERT_KERNEL_add_fp64, variants, reason), 2);
    options.threads = 0;
    assert_int_equal(variants[0].threads, 5);
    assert_string_equal(variants[0].isa, "sse2");
    assert_string_equal(variants[1].isa, "scalar");
}

/* Each feature brings its kernels; without it the reason names it. */
static void extensions_follow_their_features(void **state)
{
    struct ert_device bare = {.kind = ERT_DEVICE_CPU, .cpu.n_cores_usable = 1};
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[160];
    for (const struct ert_cpu_need *need = ert_cpu_needs; need->feature; need++) {
        assert_int_equal(list(&bare, need->kernel, variants, reason), 0);
        assert_contains(reason, "does not have");
        struct ert_device has = bare;
        *((bool *)&has.cpu.isa + need->flag) = has.cpu.isa.amx_tile = true;
        if (list(&has, need->kernel, variants, reason) == 0) {
            assert_contains(reason, "but the compiler of this build lacks it");
            assert_contains(reason, need->feature);
        } else {
            assert_true(variants[0].isa[0]);
        }
    }
}

static void note_cpu(void *context, uint32_t thread)
{
    ((int *)context)[thread] = sched_getcpu();
}

static void threads_stand_on_their_cpus(void **state)
{
    int cpus[CPU_SETSIZE];
    if (strstr(notes, "not pinned"))
        return;
    assert_int_equal(ert_cpu_team_run(session->team, note_cpu, cpus, &error), ERT_OK);
    for (uint32_t i = 0; i < session->n_threads; i++) {
        assert_int_equal(cpus[i], ert_cpu_team_cpu(session->team, i));
        for (uint32_t j = 0; j < i; j++)
            assert_int_not_equal(cpus[i], cpus[j]);
    }
}

static void too_much_is_refused_when_opening(void **state)
{
    struct ert_session *other = NULL;
    struct ert_session_options much = options;
    struct ert_device limited = device;
    much.threads = 1 << 20;
    assert_int_equal(backend->open(&device, &much, &other, notes, sizeof notes, &error),
                     ERT_USAGE);
    assert_contains(error.text, "threads: 1048576, must be at most");
    much.threads = 0;
    much.working_set_max_bytes = UINT64_C(1) << 58;
    assert_int_equal(backend->open(&device, &much, &other, notes, sizeof notes, &error),
                     ERT_FAILED);
    assert_contains(error.text, "cannot allocate");
    assert_contains(error.text, strerror(ENOMEM));
    much.threads = 1; /* one slice: nothing is divided before the slack is added */
    much.working_set_max_bytes = UINT64_MAX;
    assert_int_equal(backend->open(&device, &much, &other, notes, sizeof notes, &error),
                     ERT_USAGE);
    limited.cpu.memory_limit_bytes = SET_MAX;
    assert_int_equal(backend->open(&limited, &options, &other, notes, sizeof notes, &error),
                     ERT_UNAVAILABLE);
    assert_contains(error.text, "1 MiB");
    struct ert_session_options ert110 = options;
    const struct ert110_memory memory = {.bytes = UINT64_C(1) << 46, .align_bytes = 64};
    memcpy(&ert110.mode, &memory, sizeof memory);
    limited.cpu.memory_limit_bytes = UINT64_C(1) << 45;
    limited.cpu.memory_available_bytes = 0;
    assert_int_equal(backend->open(&limited, &ert110, &other, notes, sizeof notes, &error),
                     ERT_UNAVAILABLE);
    assert_contains(error.text, "ERT's memory");
    assert_contains(error.text, "64 TiB, there are 32 TiB");
    limited.cpu.memory_limit_bytes = 0;
    limited.cpu.memory_available_bytes = UINT64_C(1) << 45;
    assert_int_equal(backend->open(&limited, &ert110, &other, notes, sizeof notes, &error),
                     ERT_UNAVAILABLE);
    assert_contains(error.text, "32 TiB");
    limited.cpu.memory_available_bytes = SET_MAX;
    assert_int_equal(backend->open(&limited, &options, &other, notes, sizeof notes, &error),
                     ERT_OK);
    assert_contains(notes, "1 MiB are reported as available");
    backend->close(other);
    backend->close(NULL);
    assert_null(ert_cpu_isas[0] ? backend->unavailable(notes, sizeof notes) : NULL);
}

static void the_caller_gets_its_affinity_back(void **state)
{
    cpu_set_t before, after;
    if (sched_getaffinity(0, sizeof before, &before) != 0)
        return; /* more CPUs than the set has bits */
    assert_int_equal(open_session(state), 0);
    close_session(state);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
}

/*
 * What follows runs in a program of its own: this one, called with the name of the trial.
 */

static int trial_failed(const char *what)
{
    printf("# %s; notes '%s', error '%s'\n", what, notes, error.text);
    return 1;
}

static int run_triad(uint32_t *threads)
{
    struct ert_spec spec = spec_of(ERT_KERNEL_triad, 2, SET_MAX, 0);
    struct ert_work work;
    struct ert_sample sample;
    bool lost;
    if (backend->prepare(session, &spec, &work, &error) != ERT_OK ||
        backend->time(session, 3, &sample, &lost, &error) != ERT_OK ||
        backend->verify(session, &error) != ERT_OK)
        return trial_failed("triad did not run");
    *threads = work.threads;
    return 0;
}

/* The system call fails with EPERM from here on; everything else works. */
static int forbid(uint32_t call)
{
    struct sock_filter rows[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = sizeof rows / sizeof rows[0], .filter = rows};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &filter);
}

static int trial_no_pinning(void)
{
    uint32_t threads;
    if (forbid(__NR_sched_setaffinity) != 0)
        return 77;
    if (open_session(NULL) != 0 || run_triad(&threads) != 0)
        return trial_failed("no session without pinning");
    bool said = strstr(notes, "not pinned") && strstr(notes, strerror(EPERM));
    close_session(NULL);
    return said ? 0 : trial_failed("the notes do not say it");
}

/* The system that does not give the registers of an extension: said, and the rest goes on. */
static int trial_no_tiles(void)
{
    struct ert_spec tiles = spec_of(ERT_KERNEL_amx_int8, 2, 0, 0);
    struct ert_variant variants[ERT_MAX_VARIANTS];
    struct ert_work work;
    char reason[160];
    uint32_t threads;
    if (list(&device, ERT_KERNEL_amx_int8, variants, reason) == 0 ||
        forbid(__NR_arch_prctl) != 0)
        return 77;
    if (open_session(NULL) != 0)
        return trial_failed("no session without tiles");
    if (backend->prepare(session, &tiles, &work, &error) != ERT_UNAVAILABLE ||
        !strstr(error.text, "refuses the registers of amx") ||
        !strstr(error.text, strerror(EPERM)))
        return trial_failed("the error does not say it");
    int failed = run_triad(&threads);
    close_session(NULL);
    return failed;
}

static int trial_num_threads(void)
{
    uint32_t threads;
    if (open_session(NULL) != 0 || run_triad(&threads) != 0)
        return trial_failed("no session");
    close_session(NULL);
    return threads == device.cpu.n_cores_usable ? 0
                                                : trial_failed("wrong number of threads");
}

static int trial_thread_limit(void)
{
    if (device.cpu.n_cores_usable < 2)
        return 77;
    if (open_session(NULL) == 0)
        return trial_failed("a session in spite of the limit");
    bool said = strstr(error.text, "OMP_THREAD_LIMIT");
    return said ? 0 : trial_failed("the error does not say it");
}

static const struct trial {
    const char *name, *variable, *value;
    int (*run)(void);
} trials[] = {
    {"no_pinning",   "OMP_NUM_THREADS",  "1", trial_no_pinning  },
    {"no_tiles",     "OMP_NUM_THREADS",  "1", trial_no_tiles    },
    {"num_threads",  "OMP_NUM_THREADS",  "1", trial_num_threads },
    {"thread_limit", "OMP_THREAD_LIMIT", "1", trial_thread_limit},
};

static void trials_in_other_processes(void **state)
{
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            setenv(trials[i].variable, trials[i].value, 1);
            execl("/proc/self/exe", "test_cpu_open", trials[i].name, (char *)NULL);
            _exit(126);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
            printf("# %s cannot be tried here\n", trials[i].name);
        else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            fail_msg("trial %s: status %d", trials[i].name, status);
    }
}

static int run_trial(const char *name)
{
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++)
        if (strcmp(trials[i].name, name) == 0)
            return trials[i].run();
    return 126;
}

int main(int argc, char **argv)
{
    int exit_code;
    if (no_cpu(&exit_code))
        return exit_code;
    if (argc > 1)
        return run_trial(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_caller_gets_its_affinity_back),
        cmocka_unit_test(variants_follow_the_instruction_sets),
        cmocka_unit_test(extensions_follow_their_features),
        cmocka_unit_test(too_much_is_refused_when_opening),
        cmocka_unit_test(trials_in_other_processes),
        SESSION(threads_stand_on_their_cpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
