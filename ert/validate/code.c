#include "ert/validate/code.h"

#include "ert/base/alloc.h"
#include "ert/validate/symbols.h"
#include "ert/validate/tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A CPU's kernels are some KiB long; the listing ends where the function does. */
static const uint64_t most_code_bytes = 64 << 10;

static const double tool_timeout_s = 120;

enum { NAME_BYTES = 512 };

static void keep(struct ert_ceiling *ceiling, const struct ert_verdict *verdict)
{
    snprintf(ceiling->proof.code, sizeof ceiling->proof.code, "%s", verdict->word);
    snprintf(ceiling->proof.code_text, sizeof ceiling->proof.code_text, "%s",
             verdict->text);
}

static void keep_reason(struct ert_ceiling *ceiling, const char *reason)
{
    struct ert_verdict verdict;
    ert_verdict_set(&verdict, ERT_NOT_THERE, "%s", reason);
    keep(ceiling, &verdict);
}

/* The code of a replay, where its backend knows it; else the reason stands in the proof. */
static bool has_code(const struct ert_device *device, struct ert_replay *replay,
                     struct ert_code *code)
{
    struct ert_error error = {0};
    const char *reason = replay->reason;
    if (!*reason && !replay->backend->code)
        reason = "this backend has no machine code of its own";
    else if (!*reason && !ert_claims_has(device->kind, replay->spec.kernel))
        reason = "no claim for this kernel";
    else if (!*reason &&
             replay->backend->code(device, &replay->spec, code, &error) != ERT_OK)
        reason = error.text;
    if (*reason)
        keep_reason(replay->ceiling, reason);
    return !*reason;
}

static void conclude(enum ert_status listed, const struct ert_device *device,
                     struct ert_replay *replay, const struct ert_code *code,
                     struct ert_listing *listing, const struct ert_error *reason)
{
    struct ert_verdict verdict;
    if (listed != ERT_OK) {
        keep_reason(replay->ceiling, reason->text);
        return;
    }
    ert_claims_check(listing, device->kind, replay->spec.kernel, replay->spec.path, code,
                     &verdict);
    keep(replay->ceiling, &verdict);
    ert_listing_free(listing);
}

static enum ert_status disassemble(const char *objdump, const struct ert_code *code,
                                   struct ert_listing *listing, struct ert_error *error)
{
    char program[4096], from[48], to[48];
    uint64_t address = ert_symbols_address(code->function);
    struct ert_tool_output output;
    ert_symbols_program(program, sizeof program);
    snprintf(from, sizeof from, "--start-address=%#llx", (unsigned long long)address);
    snprintf(to, sizeof to, "--stop-address=%#llx",
             (unsigned long long)(address + most_code_bytes));
    const char *const argv[] = {objdump, "-d", "--no-show-raw-insn", "-M", "att", from, to,
                                program, NULL};
    ERT_TRY(ert_tool_run(argv, tool_timeout_s, &output, error));
    enum ert_status status = ert_listing_x86(output.out, address, listing, error);
    ert_tool_free(&output);
    return status;
}

static void prove_cpu(const struct ert_device *device, struct ert_replay *replays, size_t n)
{
    char objdump[256];
    struct ert_error missing = {0};
    enum ert_status found =
        ert_tool_find("objdump", NULL, objdump, sizeof objdump, &missing);
    if (found == ERT_OK && device->cpu.isa.neon)
        found =
            ert_fail(&missing, ERT_UNAVAILABLE, "code of aarch64 is not understood yet");
    for (size_t i = 0; i < n; i++) {
        struct ert_code code;
        struct ert_listing listing = {0};
        struct ert_error reason = missing;
        enum ert_status listed = found;
        if (!has_code(device, &replays[i], &code))
            continue;
        if (listed == ERT_OK)
            listed = disassemble(objdump, &code, &listing, &reason);
        conclude(listed, device, &replays[i], &code, &listing, &reason);
    }
}

/* The kernels of a device and their disassembly, which one run of cuobjdump gives for all. */
struct sass {
    struct ert_symbols symbols;
    char *text;                /* of cuobjdump; malloc, owned */
    char (*names)[NAME_BYTES]; /* mangled, of each replay; "" where there is none */
    struct ert_code *codes;    /* of each replay */
};

/* Comma-separated and without repetition: what cuobjdump takes. malloc, the caller's. */
static char *join_names(const struct sass *sass, size_t n)
{
    char *list = ert_xcalloc(n + 1, NAME_BYTES + 1);
    for (size_t i = 0; i < n; i++) {
        const char *name = sass->names[i];
        if (*name && !strstr(list, name))
            sprintf(list + strlen(list), "%s%s", *list ? "," : "", name);
    }
    return list;
}

/*
 * The listing of the build's code for the device: of its own compute capability, else of the next
 * lower minor version, whose code it runs (and of sm_90a with sm_90). Only one of them is asked
 * for: a disassembler older than the compiler gives up at an architecture that it does not know.
 */
static enum ert_status list_kernels(const char *cuobjdump, const char *names,
                                    const struct ert_device *device, char **text,
                                    struct ert_error *error)
{
    char program[4096], arch[24];
    ert_symbols_program(program, sizeof program);
    const char *const argv[] = {cuobjdump, "-arch", arch,    "-sass",
                                "-fun",    names,   program, NULL};
    for (uint32_t minor = device->gpu.cc_minor + 1; minor-- > 0;) {
        struct ert_tool_output output;
        snprintf(arch, sizeof arch, "sm_%u%u", device->gpu.cc_major, minor);
        ERT_TRY(ert_tool_run(argv, tool_timeout_s, &output, error));
        bool has_functions = output.out && strstr(output.out, "Function : ");
        if (has_functions) {
            *text = output.out;
            output.out = NULL;
        }
        ert_tool_free(&output);
        if (has_functions)
            return ERT_OK;
    }
    return ert_fail(error, ERT_UNAVAILABLE,
                    "%s finds no code for cc %u.%u or lower in this build", cuobjdump,
                    device->gpu.cc_major, device->gpu.cc_minor);
}

static enum ert_status run_cuobjdump(const struct ert_device *device, struct sass *sass,
                                     size_t n, struct ert_error *error)
{
    static const char *const folders[] = {"/usr/local/cuda/bin", "/opt/cuda/bin",
                                          "/usr/local/cuda-*/bin", NULL};
    char cuobjdump[256];
    ERT_TRY(ert_tool_find("cuobjdump", folders, cuobjdump, sizeof cuobjdump, error));
    char *names = join_names(sass, n);
    enum ert_status status = list_kernels(cuobjdump, names, device, &sass->text, error);
    free(names);
    return status;
}

static enum ert_status read_sass(const struct ert_device *device,
                                 struct ert_replay *replays, size_t n, struct sass *sass,
                                 struct ert_error *error)
{
    bool any = false;
    ERT_TRY(ert_symbols_read(&sass->symbols, error));
    for (size_t i = 0; i < n; i++) {
        if (!has_code(device, &replays[i], &sass->codes[i]))
            continue;
        uint64_t address = ert_symbols_address(sass->codes[i].function);
        any |= ert_symbols_name(&sass->symbols, address, sass->names[i], NAME_BYTES);
        ert_symbols_as_kernel(sass->names[i]);
        if (!*sass->names[i])
            keep_reason(replays[i].ceiling, "the program has no symbol for the kernel");
    }
    return any ? run_cuobjdump(device, sass, n, error) : ERT_OK;
}

static void conclude_gpu(const struct ert_device *device, struct ert_replay *replays,
                         size_t n, const struct sass *sass)
{
    for (size_t i = 0; i < n; i++) {
        struct ert_listing listing = {0};
        struct ert_error reason = {0};
        if (!*sass->names[i])
            continue;
        enum ert_status listed =
            ert_listing_sass(sass->text, sass->names[i], device->gpu.cc_major,
                             device->gpu.cc_minor, &listing, &reason);
        conclude(listed, device, &replays[i], &sass->codes[i], &listing, &reason);
    }
}

static void prove_gpu(const struct ert_device *device, struct ert_replay *replays, size_t n)
{
    struct ert_error reason = {0};
    struct sass sass = {.names = ert_xcalloc(n, sizeof *sass.names),
                        .codes = ert_xcalloc(n, sizeof *sass.codes)};
    enum ert_status found = read_sass(device, replays, n, &sass, &reason);
    if (found == ERT_OK)
        conclude_gpu(device, replays, n, &sass);
    for (size_t i = 0; found != ERT_OK && i < n; i++)
        keep_reason(replays[i].ceiling, reason.text);
    ert_symbols_free(&sass.symbols);
    free(sass.text);
    free(sass.names);
    free(sass.codes);
}

void ert_code_prove(const struct ert_device *device, struct ert_replay *replays, size_t n)
{
    static const struct {
        const char *name;
        void (*prove)(const struct ert_device *device, struct ert_replay *replays,
                      size_t n);
    } disassemblers[] = {
        {"objdump",   prove_cpu},
        {"cuobjdump", prove_gpu}
    };
    const struct ert_backend *backend = n > 0 ? replays[0].backend : NULL;
    const char *name = backend ? backend->disassembler : NULL;
    for (size_t i = 0; name && i < 2; i++)
        if (strcmp(disassemblers[i].name, name) == 0) {
            disassemblers[i].prove(device, replays, n);
            return;
        }
    for (size_t i = 0; i < n; i++) {
        struct ert_code code;
        if (has_code(device, &replays[i], &code))
            keep_reason(replays[i].ceiling,
                        "no disassembler of its backend's code is known");
    }
}
