/* SPDX-License-Identifier: BSD-3-Clause */
/* tool: programs found and run: output, exit codes, refusals, the time limit. */
#include "tests/unit/test.h"

#include "ert/core/base/clock.h"
#include "ert/ext/base/tool.h"
#include "ert/ext/validate/code.h"

#include <signal.h>

static void both_streams_and_the_exit_code_are_kept(void **state)
{
    struct ert_tool_output output;
    struct ert_error error;
    const char *const argv[] = {"/bin/sh", "-c", "echo out; echo err >&2; exit 7", NULL};
    assert_int_equal(ert_tool_run(argv, 10, &output, &error), ERT_OK);
    assert_string_equal(output.out, "out\n");
    assert_string_equal(output.err, "err\n");
    assert_int_equal(output.exit_code, 7);
    ert_tool_free(&output);
    const char *const killed[] = {"/bin/sh", "-c", "kill -9 $$", NULL};
    assert_int_equal(ert_tool_run(killed, 10, &output, &error), ERT_OK);
    assert_int_equal(output.exit_code, 128 + 9);
    ert_tool_free(&output);
}

static void much_output_is_whole(void **state)
{
    struct ert_tool_output output;
    struct ert_error error;
    const char *const argv[] = {"/bin/sh", "-c", "yes 1234567 | head -c 800000", NULL};
    assert_int_equal(ert_tool_run(argv, 30, &output, &error), ERT_OK);
    assert_int_equal(strlen(output.out), 800000);
    ert_tool_free(&output);
}

static void a_program_that_hangs_is_ended(void **state)
{
    struct ert_tool_output output;
    struct ert_error error;
    const char *const argv[] = {"/bin/sh", "-c", "sleep 60; echo late", NULL};
    double begin_s = ert_clock_now_s();
    assert_int_equal(ert_tool_run(argv, 0.2, &output, &error), ERT_FAILED);
    assert_true(ert_clock_now_s() - begin_s < 50); /* the program itself would take 60 */
    assert_contains(error.text, "did not end within 0.2 s");
    assert_null(output.out);
}

static void what_is_not_there_is_said(void **state)
{
    char path[256];
    struct ert_tool_output output;
    struct ert_error error;
    static const char *const folders[] = {"/no/such/*", "/bi[n]", NULL};
    const char *const argv[] = {"/no/such/program", NULL};
    assert_int_equal(ert_tool_find("sh", NULL, path, sizeof path, &error), ERT_OK);
    assert_int_equal(ert_tool_find("no-such-tool", folders, path, sizeof path, &error),
                     ERT_UNAVAILABLE);
    assert_string_equal(error.text, "no-such-tool is not installed");
    assert_int_equal(ert_tool_run(argv, 10, &output, &error), ERT_FAILED);
    assert_contains(error.text, "cannot be started");
    const char *before = getenv("PATH");
    char *kept = strdup(before ? before : "");
    setenv("PATH", "", 1);
    assert_int_equal(ert_tool_find("sh", folders, path, sizeof path, &error), ERT_OK);
    assert_string_equal(path, "/bin/sh");
    setenv("PATH", kept, 1);
    free(kept);
}

static void a_job_is_as_if_it_ran_alone(void **state)
{
    struct ert_error error;
    struct ert_tool_end end;
    char text[64] = "";
    FILE *in = tmpfile(), *out = tmpfile();
    fputs("input", in);
    rewind(in);
    const char *const environment[] = {"RFL_TEST=a b", NULL};
    const char *const argv[] = {"sh", "-c", "cat; printf ' %s' \"$RFL_TEST\"; exit 7",
                                NULL};
    const struct ert_tool_job job = {
        .argv = argv, .environment = environment, .streams = {in, out, NULL}
    };
    assert_int_equal(ert_tool_pass(&job, &end, &error), ERT_OK);
    assert_int_equal(end.exit_code, 7);
    assert_int_equal(end.signal, 0);
    assert_true(end.elapsed_s > 0);
    rewind(out);
    assert_non_null(fgets(text, sizeof text, out));
    assert_string_equal(text, "input a b");
    fclose(in);
    fclose(out);
    /* A signal that is sent to us goes to it, and is no end of ours. */
    const char *const parent[] = {
        "sh", "-c", "trap 'exit 9' TERM; kill -TERM $PPID; sleep 9 & wait", NULL};
    assert_int_equal(ert_tool_pass(&(struct ert_tool_job){.argv = parent}, &end, &error),
                     ERT_OK);
    assert_int_equal(end.exit_code, 9);
    assert_int_equal(end.interrupt, SIGTERM);
    const char *const killed[] = {"sh", "-c", "kill -9 $$", NULL};
    assert_int_equal(ert_tool_pass(&(struct ert_tool_job){.argv = killed}, &end, &error),
                     ERT_OK);
    assert_int_equal(end.signal, 9);
    assert_int_equal(end.exit_code, 128 + 9);
    assert_int_equal(end.interrupt, 0);
    const char *const missing[] = {"no-such-program", NULL};
    assert_int_equal(ert_tool_pass(&(struct ert_tool_job){.argv = missing}, &end, &error),
                     ERT_USAGE);
    assert_string_equal(error.text,
                        "no-such-program: cannot be started: No such file or directory");
}

static void the_telling_line_is_found(void **state)
{
    static const char *const words[] = {"ERROR", NULL};
    char line[64];
    ert_tool_line("\nfirst\nan ERROR here\nlast\n", words, line, sizeof line);
    assert_string_equal(line, "an ERROR here");
    ert_tool_line("\nfirst\nlast\n", words, line, sizeof line);
    assert_string_equal(line, "first");
    ert_tool_line("", words, line, sizeof line);
    assert_string_equal(line, "");
}

static void count_call(const void *data, double elapsed_s)
{
    assert_true(elapsed_s > 0);
    ++*(int *)(uintptr_t)data;
}

static void a_long_job_is_said_to_go_on(void **state)
{
    static const char *const argv[] = {"/bin/sh", "-c", "kill -CONT $PPID; sleep 0.2",
                                       NULL};
    int calls = 0;
    struct ert_tool_job job = {
        .argv = argv, .still = count_call, .every_s = 0.01, .data = &calls};
    struct ert_tool_end end;
    struct ert_error error;
    assert_int_equal(ert_tool_pass(&job, &end, &error), ERT_OK);
    assert_int_equal(end.exit_code, 0);
    assert_true(calls > 0);
    calls = 0;
    job.every_s = 60;
    assert_int_equal(ert_tool_pass(&job, &end, &error), ERT_OK);
    assert_int_equal(calls, 0);
}

static void names_of_kernels(void **state)
{
    char name[64];
    static const char *const names[] = {"load_flat", "load", NULL, "two", "load_flat"};
    char *list = ert_symbols_join(names, ERT_LENGTH(names), '|');
    assert_string_equal(list, "load_flat|load|two");
    free(list);
    assert_true(ert_symbols_base_name("_Z9load_flatILi256ELi4EEv18ert_cuda_arguments", name,
                                      sizeof name));
    assert_string_equal(name, "load_flat");
    assert_true(ert_symbols_base_name("_ZL6chainsv", name, sizeof name));
    assert_string_equal(name, "chains");
    assert_false(ert_symbols_base_name("main", name, sizeof name));
    assert_false(ert_symbols_base_name("_Z9short", name, sizeof name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_streams_and_the_exit_code_are_kept),
        cmocka_unit_test(much_output_is_whole),
        cmocka_unit_test(a_program_that_hangs_is_ended),
        cmocka_unit_test(what_is_not_there_is_said),
        cmocka_unit_test(a_job_is_as_if_it_ran_alone),
        cmocka_unit_test(a_long_job_is_said_to_go_on),
        cmocka_unit_test(the_telling_line_is_found),
        cmocka_unit_test(names_of_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
