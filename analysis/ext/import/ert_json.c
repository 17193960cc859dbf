/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ert_json: reads roofline.json of LBNL's Empirical Roofline Toolkit as ceilings, so that old results can be
 * compared and drawn. https://bitbucket.org/berkeleylab/cs-roofline-toolkit, Python/ert_core.py.
 *
 * It has one device: "gpu0" when ERT ran on a GPU (ERT_GPU True, or GPU_BLOCKS given), else "cpu". Levels
 * keep ERT's labels, which count plateaus from the fastest: a GPU's "L1" is the L2 (ERT 1.1.0 bypasses L1),
 * and a cache without a plateau shifts all others. A note of the machine says so, and every ceiling has low
 * confidence: ERT keeps one number, the best, without samples or interval.
 */
#include "analysis/ext/import/import.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/json.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define GIGA 1e9
/* Above any rate of a machine, in G/s; a larger number is a mistake in the file. */
#define MAX_GIGA 1e12

#define WARNING "ERT keeps one number, the best, without samples or interval"

/* A label, owned by the JSON tree, and its value in 1/s. */
struct pair {
    const char *label;
    double rate_per_s;
};

/* empirical.gbytes.data, L1 to Ln and DRAM, and gflops.data, of later versions a peak per precision. */
struct lists {
    struct ert_json gbytes, gflops;
    size_t n_gbytes, n_gflops;
};

bool rfl_ert_recognizes(const char *head)
{
    head += strspn(head, " \t\r\n");
    return *head == '{' && strstr(head, "\"empirical\"") &&
           (strstr(head, "\"gbytes\"") || strstr(head, "\"gflops\""));
}

/* Copies a text of the file, cut to size, with '?' for control characters. */
static void lbnl_copy(char *to, size_t size, const char *text)
{
    size_t i = 0;
    for (; i + 1 < size && text[i]; i++)
        to[i] = iscntrl((unsigned char)text[i]) ? '?' : text[i];
    to[i] = '\0';
}

/* [label, number]; NaN for null and texts ("n/a"), which are left out. */
static enum ert_status read_pair(struct ert_json *data, size_t i, struct pair *pair,
                                 struct ert_error *error)
{
    double giga = NAN;
    struct ert_json at = ert_json_element(data, i);
    if (!cJSON_IsArray(at.node) || ert_json_length(at) != 2)
        return ert_fail(error, ERT_USAGE, "%s: %s: must be [label, number]", at.file,
                        at.path);
    ERT_TRY(ert_json_as_string(ert_json_element(&at, 0), &pair->label, error));
    struct ert_json number = ert_json_element(&at, 1);
    if (!cJSON_IsNull(number.node) && !cJSON_IsString(number.node))
        ERT_TRY(ert_json_as_double(number, 0, MAX_GIGA, &giga, error));
    if (!*pair->label)
        return ert_fail(error, ERT_USAGE, "%s: %s: label '', must have a name", at.file,
                        at.path);
    pair->rate_per_s = giga * GIGA;
    return ERT_OK;
}

/* Finds part.key.data, which may be absent. */
static enum ert_status lbnl_find(struct ert_json part, const char *key,
                                 struct ert_json *data, size_t *n, struct ert_error *error)
{
    struct ert_json object;
    *n = 0;
    if (!ert_json_has(part, key))
        return ERT_OK;
    ERT_TRY(ert_json_object(part, key, &object, error));
    ERT_TRY(ert_json_array(object, "data", data, error));
    *n = ert_json_length(*data);
    return ERT_OK;
}

/* A key of empirical.metadata, gbytes.metadata or gflops.metadata: ERT moves equal values to the first. */
static const cJSON *metadata(const cJSON *empirical, const char *key)
{
    const cJSON *const owners[] = {empirical,
                                   cJSON_GetObjectItemCaseSensitive(empirical, "gbytes"),
                                   cJSON_GetObjectItemCaseSensitive(empirical, "gflops")};
    for (size_t i = 0; i < ERT_LENGTH(owners); i++) {
        const cJSON *object = cJSON_GetObjectItemCaseSensitive(owners[i], "metadata");
        const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, key);
        if (found)
            return found;
    }
    return NULL;
}

/* The first word of a key of CONFIG; "" if that is not a text. */
static const char *config(const cJSON *empirical, const char *key)
{
    const cJSON *words =
        cJSON_GetObjectItemCaseSensitive(metadata(empirical, "CONFIG"), key);
    const cJSON *word = cJSON_IsArray(words) ? cJSON_GetArrayItem(words, 0) : words;
    return cJSON_IsString(word) ? word->valuestring : "";
}

/* The latest of TIMESTAMP_DATA (a number or a list), in the form of ert-ceilings. */
static void read_created(const cJSON *empirical, char created[32])
{
    const cJSON *stamp = metadata(empirical, "TIMESTAMP_DATA"), *each;
    double latest = cJSON_IsNumber(stamp) ? stamp->valuedouble : 0;
    if (cJSON_IsArray(stamp))
        cJSON_ArrayForEach(each,
                           stamp) if (cJSON_IsNumber(each) && each->valuedouble > latest)
            latest = each->valuedouble;
    struct tm parts;
    time_t seconds = latest > 0 && latest < 2.5e11 ? (time_t)latest : 0;
    if (!gmtime_r(&seconds, &parts) || parts.tm_year > 9999 - 1900)
        seconds = 0, gmtime_r(&seconds, &parts);
    strftime(created, 32, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

/* The words in labels and in ERT_PRECISION that tell what a peak is of. */
static const struct word {
    const char *text, *type, *unit, *op;
} words[] = {
    {"fp64",   "fp64", NULL,     NULL },
    {"dp",     "fp64", NULL,     NULL },
    {"double", "fp64", NULL,     NULL },
    {"fp32",   "fp32", NULL,     NULL },
    {"sp",     "fp32", NULL,     NULL },
    {"single", "fp32", NULL,     NULL },
    {"float",  "fp32", NULL,     NULL },
    {"fp16",   "fp16", NULL,     NULL },
    {"hp",     "fp16", NULL,     NULL },
    {"half",   "fp16", NULL,     NULL },
    {"bf16",   "bf16", NULL,     NULL },
    {"tf32",   "tf32", NULL,     NULL },
    {"fp8",    "fp8",  NULL,     NULL },
    {"int8",   "int8", NULL,     NULL },
    {"tensor", NULL,   "tensor", "mma"},
    {"wmma",   NULL,   "tensor", "mma"},
    {"tc",     NULL,   "tensor", "mma"},
    {"nofma",  NULL,   NULL,     "add"},
    {"no",     NULL,   NULL,     "add"},
    {"add",    NULL,   NULL,     "add"},
    {"fma",    NULL,   NULL,     "fma"},
};

/* What a peak is of; a member that the words do not tell is NULL. */
struct peak {
    const char *type, *unit, *op;
};

/* The first word of each kind counts: "no FMA" is no FMA. */
static void peak_words(const char *text, struct peak *peak)
{
    for (size_t length; *text; text += length) {
        length = strcspn(text, " _-/()[],.");
        for (size_t i = 0; i < ERT_LENGTH(words); i++) {
            const struct word *word = &words[i];
            if (strlen(word->text) != length || strncasecmp(text, word->text, length) != 0)
                continue;
            peak->type = peak->type ? peak->type : word->type;
            peak->unit = peak->unit ? peak->unit : word->unit;
            peak->op = peak->op ? peak->op : word->op;
        }
        length += text[length] != '\0';
    }
}

/*
 * What a label says, else what the configuration says (ERT_PRECISION of later versions: FP16, FP32, FP64,
 * TENSOR), else fp64: 1.1.0 has only doubles. ERT's kernel of the tensor cores has FP16 operands.
 */
static struct peak lbnl_peak_of(const cJSON *empirical, const char *label)
{
    struct peak peak = {NULL, NULL, NULL};
    peak_words(label, &peak);
    if (!peak.type)
        peak_words(config(empirical, "ERT_PRECISION"), &peak);
    bool is_tensor = peak.unit != NULL;
    peak.type = peak.type ? peak.type : is_tensor ? "fp16" : "fp64";
    peak.unit = is_tensor ? peak.unit : "core";
    peak.op = peak.op && !is_tensor ? peak.op : is_tensor ? "mma" : NULL;
    return peak;
}

static struct ert_ceiling *lbnl_add(struct ert_device_ceilings *to,
                                    enum ert_ceiling_kind kind, double rate_per_s)
{
    struct ert_ceiling *ceiling =
        ert_xcheck(ert_ceiling_add(to, kind), sizeof(struct ert_ceiling));
    snprintf(ceiling->kernel, sizeof ceiling->kernel, "kernel1");
    ceiling->value = ceiling->low = ceiling->high = ceiling->evidence->best = rate_per_s;
    ceiling->unit = ERT_UNIT_BYTE_PER_S;
    ceiling->confidence = ERT_CONFIDENCE_LOW;
    snprintf(ceiling->evidence->warning, sizeof ceiling->evidence->warning, WARNING);
    return ceiling;
}

/*
 * The name of a level, which has 15 bytes: the label, or its first word ("L2 cache bandwidth"), or "level 3",
 * in which case a note says so.
 */
static void lbnl_name_level(struct ert_machine *machine, struct ert_device *device,
                            const char *label, char *name, size_t size)
{
    size_t word = strcspn(label, " ");
    if (strlen(label) < size) {
        lbnl_copy(name, size, label);
        return;
    }
    lbnl_copy(name, word < size ? word + 1 : 1, label);
    if (!*name || ert_device_level(device, name))
        snprintf(name, size, "level %u", device->n_levels + 1);
    ert_machine_note(machine, "level %s is ERT's \"%.150s\"", name, label);
}

static void lbnl_add_level(struct ert_machine *machine, struct ert_device *device,
                           struct ert_device_ceilings *to, const struct pair *pair)
{
    char name[sizeof((struct ert_level *)0)->name];
    lbnl_name_level(machine, device, pair->label, name, sizeof name);
    struct ert_level *level = &device->levels[device->n_levels++];
    struct ert_ceiling *ceiling = lbnl_add(to, ERT_CEILING_MEMORY, pair->rate_per_s);
    bool is_memory = strcmp(name, "DRAM") == 0;
    *level = (struct ert_level){.source = "ERT's label",
                                .kind = is_memory ? ERT_LEVEL_MEMORY : ERT_LEVEL_CACHE};
    snprintf(ceiling->key.pattern, sizeof ceiling->key.pattern, "update");
    snprintf(level->name, sizeof level->name, "%s", name);
    snprintf(ceiling->name, sizeof ceiling->name, "%s-update", name);
    snprintf(ceiling->key.level, sizeof ceiling->key.level, "%s", name);
}

static void lbnl_add_peak(struct ert_device_ceilings *to, const struct peak *peak,
                          double rate_per_s)
{
    struct ert_ceiling *ceiling = lbnl_add(to, ERT_CEILING_COMPUTE, rate_per_s);
    ceiling->unit = ert_unit_of_type(peak->type);
    snprintf(ceiling->name, sizeof ceiling->name, "%s-%s", peak->type, peak->op);
    snprintf(ceiling->key.type, sizeof ceiling->key.type, "%s", peak->type);
    snprintf(ceiling->key.op, sizeof ceiling->key.op, "%s", peak->op);
    snprintf(ceiling->key.unit, sizeof ceiling->key.unit, "%s", peak->unit);
}

/* The number of ceilings before the one of a type, unit and operation; all of them if there is none. */
static size_t find_peak(const struct ert_device_ceilings *to, const struct peak *peak)
{
    const struct ert_ceiling_span of = ert_ceilings_of(to, ERT_CEILING_COMPUTE);
    size_t i = 0;
    while (i < of.n && (strcmp(of.at[i].key.type, peak->type) != 0 ||
                        strcmp(of.at[i].key.unit, peak->unit) != 0 ||
                        strcmp(of.at[i].key.op, peak->op) != 0))
        i++;
    return i;
}

/*
 * Adds the peaks, first those whose labels name an operation. Another one is of FMAs or, if the FMAs of its
 * type have a label that says so, without them.
 */
static enum ert_status lbnl_add_peaks(struct ert_machine *machine,
                                      struct ert_device_ceilings *to,
                                      const cJSON *empirical, struct lists *lists,
                                      struct ert_error *error)
{
    char left_out[192] = "";
    size_t n_named = 0;
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < lists->n_gflops; i++) {
            struct pair pair;
            ERT_TRY(read_pair(&lists->gflops, i, &pair, error));
            struct peak peak = lbnl_peak_of(empirical, pair.label);
            if (pass != (peak.op == NULL))
                continue;
            peak.op = peak.op ? peak.op : "fma";
            if (pass == 1 && find_peak(to, &peak) < n_named)
                peak.op = "add";
            if (find_peak(to, &peak) == ert_ceilings_of(to, ERT_CEILING_COMPUTE).n &&
                !isnan(pair.rate_per_s))
                lbnl_add_peak(to, &peak, pair.rate_per_s);
            else
                ert_list_add(left_out, sizeof left_out, pair.label);
        }
        n_named = ert_ceilings_of(to, ERT_CEILING_COMPUTE).n;
    }
    if (*left_out)
        ert_machine_note(machine,
                         "peaks without a number, or of the type and operation of another "
                         "one, are left out: %s",
                         left_out);
    return ERT_OK;
}

/* Adds the levels; the last one is the memory, for which there is always room. */
static enum ert_status lbnl_add_levels(struct ert_machine *machine,
                                       struct ert_device *device,
                                       struct ert_device_ceilings *to, struct lists *lists,
                                       struct ert_error *error)
{
    for (size_t i = 0; i < lists->n_gbytes; i++) {
        struct pair pair;
        ERT_TRY(read_pair(&lists->gbytes, i, &pair, error));
        if (ert_device_level(device, pair.label))
            return ert_fail(error, ERT_USAGE, "%s: %s: label '%s' appears twice",
                            lists->gbytes.file, lists->gbytes.path, pair.label);
        if (isnan(pair.rate_per_s))
            ert_machine_note(machine, "level %.150s has no number", pair.label);
        else if (i + 1 < lists->n_gbytes && device->n_levels + 1 == ERT_MAX_LEVELS)
            ert_machine_note(machine, "level %.150s is left out: there are more than %d",
                             pair.label, ERT_MAX_LEVELS);
        else
            lbnl_add_level(machine, device, to, &pair);
    }
    return ERT_OK;
}

/* Fills provenance and notes. */
static void lbnl_describe(const char *file, const cJSON *empirical,
                          struct ert_machine *machine)
{
    struct ert_provenance *provenance = &machine->provenance;
    const cJSON *version = metadata(empirical, "ERT_VERSION");
    /* HOSTNAME is a string, or [name, [aliases], [addresses]]. */
    const cJSON *host = metadata(empirical, "HOSTNAME");
    if (cJSON_IsArray(host))
        host = cJSON_GetArrayItem(host, 0);
    lbnl_copy(provenance->host, sizeof provenance->host,
              cJSON_IsString(host) ? host->valuestring : "");

    snprintf(provenance->tool_version, sizeof provenance->tool_version, "LBNL ERT ");
    lbnl_copy(provenance->tool_version + 9, sizeof provenance->tool_version - 9,
              cJSON_IsString(version) ? version->valuestring : "(unknown)");
    lbnl_copy(provenance->compiler, sizeof provenance->compiler,
              config(empirical, "ERT_CC"));
    snprintf(provenance->command, sizeof provenance->command, "imported from %.400s", file);
    ert_machine_note(machine, "imported from a roofline.json of LBNL's ERT: " WARNING);
    ert_machine_note(machine, "levels have ERT's labels, which count plateaus from the "
                              "fastest: on a GPU its \"L1\" is the L2");
}

static enum ert_status is_gpu(const cJSON *empirical, struct lists *lists, bool *gpu,
                              struct ert_error *error)
{
    *gpu = strcmp(config(empirical, "ERT_GPU"), "True") == 0 ||
           metadata(empirical, "GPU_BLOCKS") != NULL;
    for (size_t i = 0; i < lists->n_gflops; i++) {
        struct pair pair;
        ERT_TRY(read_pair(&lists->gflops, i, &pair, error));
        *gpu |= strcmp(lbnl_peak_of(empirical, pair.label).unit, "tensor") == 0;
    }
    return ERT_OK;
}

static enum ert_status lbnl_fill(struct ert_json root, struct ert_ceilings *ceilings,
                                 struct ert_error *error)
{
    struct ert_machine *machine = ceilings->machine;
    struct ert_device *device = &machine->devices[machine->n_devices++];
    struct ert_device_ceilings *to = &ceilings->devices[0];
    struct ert_json part;
    struct lists lists = {.n_gbytes = 0};
    bool gpu;
    ERT_TRY(ert_json_object(root, "empirical", &part, error));
    ERT_TRY(lbnl_find(part, "gbytes", &lists.gbytes, &lists.n_gbytes, error));
    ERT_TRY(lbnl_find(part, "gflops", &lists.gflops, &lists.n_gflops, error));
    ERT_TRY(is_gpu(part.node, &lists, &gpu, error));
    lbnl_describe(root.file, part.node, machine);
    read_created(part.node, ceilings->created);
    *device = (struct ert_device){.backend = "imported",
                                  .kind = gpu ? ERT_DEVICE_GPU : ERT_DEVICE_CPU};
    snprintf(to->warnings, sizeof to->warnings, "%s", WARNING);
    snprintf(ceilings->mode, sizeof ceilings->mode, "%s", RFL_ERT_MODE);
    snprintf(ceilings->status, sizeof ceilings->status, "complete");
    snprintf(device->id, sizeof device->id, "%s", gpu ? "gpu0" : "cpu");
    snprintf(device->name, sizeof device->name, "%s of %.100s (LBNL ERT)",
             gpu ? "GPU" : "CPU",
             machine->provenance.host[0] ? machine->provenance.host : "unknown host");
    snprintf(to->device, sizeof to->device, "%s", device->id);
    ERT_TRY(lbnl_add_levels(machine, device, to, &lists, error));
    ERT_TRY(lbnl_add_peaks(machine, to, part.node, &lists, error));
    return to->n ? ERT_OK
                 : ert_fail(error, ERT_USAGE,
                            "%s: empirical.gbytes and empirical.gflops contain no number",
                            root.file);
}

enum ert_status rfl_ert_read(const char *file, struct ert_ceilings *ceilings,
                             struct ert_error *error)
{
    cJSON *root;
    ERT_TRY(ert_json_read(file, &root, error));
    struct ert_ceilings made = {
        .n_devices = 1,
        .machine = ert_xcalloc(1, sizeof *made.machine),
        .devices = ert_xcalloc(1, sizeof *made.devices),
    };
    enum ert_status status = lbnl_fill(ert_json_root(root, file), &made, error);
    if (status == ERT_OK)
        *ceilings = made;
    else
        ert_ceilings_free(&made);
    cJSON_Delete(root);
    return status;
}
