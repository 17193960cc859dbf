/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/validate/code.h"

#include "ert/core/base/alloc.h"
#include "ert/ext/base/tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CPU kernels are some KiB long; the listing ends where the function does. */
static const uint64_t most_code_bytes = 64 << 10;

static const double tool_timeout_s = 120;

/* Finds the code of a replay if its backend knows it; else ERT_UNAVAILABLE with the reason. */
static enum ert_status find_code(const struct ert_device *device,
                                 const struct ert_replay *replay, struct ert_code *code,
                                 struct ert_error *error)
{
    if (*replay->reason)
        return ert_fail(error, ERT_UNAVAILABLE, "%s", replay->reason);
    if (!replay->backend->code)
        return ert_fail(error, ERT_UNAVAILABLE, "this backend has no machine code");
    if (!ert_claims_has(device->kind, replay->spec.kernel))
        return ert_fail(error, ERT_UNAVAILABLE, "no claim for this kernel");
    return replay->backend->code(device, &replay->spec, code, error);
}

/* The kernels of a device and how they are listed. */
struct disassembly {
    const struct ert_device *device;
    const struct ert_backend *backend;
    size_t n;               /* replays */
    struct ert_code *codes; /* of each; function NULL: none */
    char tool[256];
    char *text; /* output of cuobjdump, which lists all in one run; malloc, owned */
};

static enum ert_status open_objdump(struct disassembly *all, struct ert_error *error)
{
    return ert_tool_find("objdump", NULL, all->tool, sizeof all->tool, error);
}

static enum ert_status list_objdump(const struct disassembly *all, size_t i,
                                    struct ert_listing *listing, struct ert_error *error)
{
    char program[4096], from[48], to[48];
    uint64_t address = ert_symbols_address(all->codes[i].function);
    struct ert_tool_output output;
    ert_symbols_file(all->codes[i].function, program, sizeof program);
    snprintf(from, sizeof from, "--start-address=%#llx", (unsigned long long)address);
    snprintf(to, sizeof to, "--stop-address=%#llx",
             (unsigned long long)(address + most_code_bytes));
    bool is_arm = all->device->cpu.isa.neon;
    const char *const argv[] = {all->tool, "-d",    "--no-show-raw-insn", from,
                                to,        program, is_arm ? NULL : "-M", "att",
                                NULL};
    ERT_TRY(ert_tool_run(argv, tool_timeout_s, &output, error));
    enum ert_status status =
        is_arm ? ert_listing_aarch64(output.out, address, all->codes[i].vector_bytes,
                                     listing, error)
               : ert_listing_x86(output.out, address, listing, error);
    ert_tool_free(&output);
    return status;
}

/*
 * Lists the build's code for the device: of its own compute capability, else of the next lower minor version,
 * whose code it runs (and of sm_90a with sm_90; if there is only sm_103a, of the next lower one, too). Only
 * one architecture is requested at a time, since a disassembler older than the compiler gives up at one that
 * it does not know.
 */
static enum ert_status run_cuobjdump(struct disassembly *all, const char *names,
                                     struct ert_error *error)
{
    const struct ert_gpu *gpu = &all->device->gpu;
    char program[4096], arch[24], plain[40];
    ert_symbols_file(all->backend, program, sizeof program);
    const char *const argv[] = {all->tool, "-arch", arch,    "-sass",
                                "-fun",    names,   program, NULL};
    for (uint32_t minor = gpu->cc_minor + 1; minor-- > 0;) {
        struct ert_tool_output output;
        snprintf(arch, sizeof arch, "sm_%u%u", gpu->cc_major, minor);
        snprintf(plain, sizeof plain, "code for %s\n", arch);
        ERT_TRY(ert_tool_run(argv, tool_timeout_s, &output, error));
        bool is_code = output.out && strstr(output.out, "Function : "),
             is_whole = is_code && strstr(output.out, plain);
        if (is_code) {
            const char *const texts[] = {all->text, output.out};
            char *joined = ert_symbols_join(texts, 2, '\n');
            free(all->text);
            all->text = joined;
        }
        ert_tool_free(&output);
        if (is_whole)
            return ERT_OK;
    }
    if (all->text)
        return ERT_OK;
    return ert_fail(error, ERT_UNAVAILABLE,
                    "%s finds no code for cc %u.%u or lower in this build", all->tool,
                    gpu->cc_major, gpu->cc_minor);
}

static enum ert_status open_sass(struct disassembly *all, struct ert_error *error)
{
    static const char *const folders[] = {"/usr/local/cuda/bin", "/opt/cuda/bin",
                                          "/usr/local/cuda-*/bin", NULL};
    const char **list = ert_xcalloc(all->n + 1, sizeof *list);
    for (size_t i = 0; i < all->n; i++)
        list[i] = all->codes[i].name;
    char *names = ert_symbols_join(list, all->n, ',');
    free(list);
    enum ert_status status = ERT_OK;
    if (*names) {
        status = ert_tool_find("cuobjdump", folders, all->tool, sizeof all->tool, error);
        if (status == ERT_OK)
            status = run_cuobjdump(all, names, error);
    }
    free(names);
    return status;
}

static enum ert_status list_sass(const struct disassembly *all, size_t i,
                                 struct ert_listing *listing, struct ert_error *error)
{
    if (!all->codes[i].name)
        return ert_fail(error, ERT_UNAVAILABLE, "the kernel's name is not known");
    return ert_listing_sass(all->text, all->codes[i].name, all->device->gpu.cc_major,
                            all->device->gpu.cc_minor, listing, error);
}

static enum ert_status open_none(struct disassembly *all, struct ert_error *error)
{
    (void)all;
    return ert_fail(error, ERT_UNAVAILABLE, "no disassembler is known for its backend");
}

void ert_code_prove(const struct ert_device *device, struct ert_replay *replays, size_t n)
{
    static const struct {
        const char *name;
        enum ert_status (*open)(struct disassembly *all, struct ert_error *error);
        enum ert_status (*list)(const struct disassembly *all, size_t i,
                                struct ert_listing *listing, struct ert_error *error);
    } disassemblers[] = {
        {"objdump",   open_objdump, list_objdump},
        {"cuobjdump", open_sass,    list_sass   },
        {"",          open_none,    NULL        }
    };
    const struct ert_backend *backend = n > 0 ? replays[0].backend : NULL;
    const char *name = backend && backend->disassembler ? backend->disassembler : "";
    struct disassembly all = {.device = device,
                              .backend = backend,
                              .n = n,
                              .codes = ert_xcalloc(n, sizeof *all.codes)};
    struct ert_error *reasons = ert_xcalloc(n, sizeof *reasons), missing = {0};
    size_t of = 0;
    while (*disassemblers[of].name && strcmp(disassemblers[of].name, name) != 0)
        of++;
    for (size_t i = 0; i < n; i++)
        if (find_code(device, &replays[i], &all.codes[i], &reasons[i]) != ERT_OK)
            all.codes[i] = (struct ert_code){0};
    enum ert_status opened = n > 0 ? disassemblers[of].open(&all, &missing) : ERT_OK;
    for (size_t i = 0; i < n; i++) {
        struct ert_verdict *verdict = &replays[i].ceiling->evidence->proof.code;
        struct ert_listing listing = {0};
        if (all.codes[i].function && opened != ERT_OK)
            reasons[i] = missing;
        if (all.codes[i].function && opened == ERT_OK &&
            disassemblers[of].list(&all, i, &listing, &reasons[i]) == ERT_OK)
            ert_claims_check(&listing, device->kind, replays[i].spec.kernel,
                             replays[i].spec.path, &all.codes[i], verdict);
        else
            ert_verdict_set(verdict, ERT_NOT_THERE, "%s", reasons[i].text);
        ert_listing_free(&listing);
    }
    free(reasons);
    free(all.text);
    free(all.codes);
}
