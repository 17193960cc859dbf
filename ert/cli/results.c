/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/cli/results.h"

#include "ert/core/backend/backend.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Partial files are renamed when all of them are complete. */
static const char partial[] = ".partial";
static const char invalid[] = "-invalid";
static const char lock_name[] = ".ert-lock";

static const char *const bases[] = {"samples", "ceilings"}; /* of the JSON files */

enum { NAME_SIZE = 1200, MAX_FILES = 3 + (2 + ERT_MAX_BACKENDS) * ERT_MAX_DEVICES };

static const char *results_name_of(const char *folder, const char *base, const char *infix,
                                   const char *extension, char *text, size_t size)
{
    snprintf(text, size, "%s/%s%s.%s", folder, base, infix, extension);
    return text;
}

const char *ert_cli_results_name(const struct ert_cli_results *results, const char *base,
                                 const char *extension, char *text, size_t size)
{
    return results_name_of(results->folder, base, results->infix, extension, text, size);
}

bool ert_cli_results_valid(const struct ert_ceilings *ceilings)
{
    bool valid = strcmp(ceilings->status, "complete") == 0 ||
                 strcmp(ceilings->status, "budget") == 0;
    for (size_t i = 0; i < ceilings->n_devices; i++)
        if (ceilings->devices[i].n_compute + ceilings->devices[i].n_memory > 0)
            valid = valid && ceilings->devices[i].valid;
    return valid;
}

static size_t list_names(const char *folder, const char *infix,
                         char names[MAX_FILES][NAME_SIZE])
{
    size_t n = 0;
    results_name_of(folder, "roofline", infix, "svg", names[n++], NAME_SIZE);
    for (int i = 0; i < ERT_MAX_DEVICES; i++) {
        snprintf(names[n++], NAME_SIZE, "%s/roofline%s-gpu%d.svg", folder, infix, i);
        for (size_t b = 0; ert_backends()[b]; b++)
            if (ert_backends()[b]->has_gpus)
                snprintf(names[n++], NAME_SIZE, "%s/roofline%s-gpu%d-%s.svg", folder, infix,
                         i, ert_backends()[b]->name);
        snprintf(names[n++], NAME_SIZE, "%s/roofline%s-fake%d.svg", folder, infix, i);
    }
    for (size_t i = 0; i < ERT_LENGTH(bases); i++)
        results_name_of(folder, bases[i], infix, "json", names[n++], NAME_SIZE);
    return n;
}

/* Moves files with one infix aside, with one date; files with the infix `fresh` (or NULL) replace them. */
static enum ert_status move_aside(const char *folder, const char *infix, const char *fresh,
                                  char stamp[ERT_FILE_STAMP], struct ert_error *error)
{
    char(*names)[NAME_SIZE] = ert_xcalloc(2 * (size_t)MAX_FILES, sizeof *names);
    const char *files[2 * MAX_FILES];
    size_t n = list_names(folder, infix, names);
    list_names(folder, fresh ? fresh : "", names + n);
    for (size_t i = 0; i < 2 * n; i++)
        files[i] = names[i];
    enum ert_status status =
        ert_file_move_aside(files, fresh ? files + n : NULL, n, stamp, error);
    free(names);
    return status;
}

/* Locks the folder, or keeps the lock; the folder may have been replaced since. */
static enum ert_status hold(struct ert_cli_results *results, struct ert_error *error)
{
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%s/%s", results->folder, lock_name);
    return ert_file_lock(name, &results->lock, error);
}

/* Removes incomplete files of killed runs; while we have the lock, nobody else writes any. */
static void remove_temporary(const char *folder)
{
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (strstr(entry->d_name, partial) && strstr(entry->d_name, ".tmp-"))
            unlinkat(dirfd(entries), entry->d_name, 0);
    if (entries)
        closedir(entries);
}

enum ert_status ert_cli_results_open(const char *folder, struct ert_cli_results *results,
                                     FILE *out, struct ert_error *error)
{
    char stamp[ERT_FILE_STAMP];
    *results = (struct ert_cli_results){0};
    int length = snprintf(results->folder, sizeof results->folder, "%s", folder);
    if (length <= 0 || (size_t)length >= sizeof results->folder)
        return ert_fail(error, ERT_USAGE, "--out: name of %d bytes, must be 1 to %zu",
                        length, sizeof results->folder - 1);
    ERT_TRY(ert_file_make_folder(folder, error));
    enum ert_status status = hold(results, error);
    if (status == ERT_UNAVAILABLE)
        fprintf(out, "note: %s: another run into this folder would not be noticed\n",
                error->text);
    else if (status == ERT_OK)
        remove_temporary(folder);
    else
        return status;
    /* After a killed run: completes the renaming of its results if that had begun, else moves them aside. */
    status = move_aside(folder, partial, NULL, stamp, error);
    if (status != ERT_OK)
        ert_cli_results_close(results);
    return status;
}

void ert_cli_results_close(struct ert_cli_results *results)
{
    ert_file_unlock(&results->lock);
}

void ert_cli_results_checkpoint(struct ert_cli_results *results,
                                const struct ert_samples *samples, FILE *out)
{
    char name[NAME_SIZE];
    struct ert_error error = {0};
    results_name_of(results->folder, "samples", partial, "json", name, sizeof name);
    if ((hold(results, &error) != ERT_FAILED &&
         ert_samples_write(name, samples, &error) == ERT_OK) ||
        results->checkpoint_failed)
        return;
    fprintf(out, "%s; the run goes on\n", error.text);
    results->checkpoint_failed = true;
}

static bool are_valid_there(const char *folder)
{
    char name[NAME_SIZE];
    struct ert_error error = {0};
    struct ert_ceilings there = {0};
    results_name_of(folder, "ceilings", "", "json", name, sizeof name);
    if (access(name, R_OK) != 0 || ert_ceilings_read(name, &there, &error) != ERT_OK)
        return false;
    bool valid = ert_cli_results_valid(&there);
    ert_ceilings_free(&there);
    return valid;
}

/* Changes the partial name of a chart to the final one, in place; infix is not longer than `partial`. */
static void settle_name(char *name, const char *infix)
{
    const size_t length = strlen(infix);
    char *at = NULL;
    for (char *next = name; (next = strstr(next, partial)); next++)
        at = next;
    if (!at)
        return;
    const char *rest = at + sizeof partial - 1;
    memmove(at + length, rest, strlen(rest) + 1);
    memcpy(at, infix, length);
}

/* Renames the partial files to their final names, and moves earlier files of these names aside. */
static enum ert_status settle_names(struct ert_cli_results *results, FILE *out,
                                    struct ert_error *error)
{
    char stamp[ERT_FILE_STAMP];
    ERT_TRY(move_aside(results->folder, results->infix, partial, stamp, error));
    if (*stamp)
        fprintf(out, "earlier results in %s: moved to %s%s.%s.json and so on\n",
                results->folder, "ceilings", results->infix, stamp);
    for (size_t i = 0; i < results->plots.n_plots; i++)
        settle_name(results->plots.plots[i].file, results->infix);
    return ERT_OK;
}

static enum ert_status write_partial(struct ert_cli_results *results,
                                     const struct ert_samples *samples,
                                     const struct ert_ceilings *ceilings,
                                     struct ert_error *error)
{
    char name[NAME_SIZE];
    results->plots.n_plots = 0;
    results->has_samples = samples != NULL;
    if (samples)
        ERT_TRY(ert_samples_write(
            results_name_of(results->folder, "samples", partial, "json", name, sizeof name),
            samples, error));
    if (!ceilings)
        return ERT_OK;
    ERT_TRY(ert_ceilings_write(
        results_name_of(results->folder, "ceilings", partial, "json", name, sizeof name),
        ceilings, error));
    const struct rfl_scene_options plain = {0};
    enum ert_status status = rfl_plot_files(
        ceilings, &plain,
        results_name_of(results->folder, "roofline", partial, "svg", name, sizeof name),
        &results->plots, error);
    /* Nothing to draw is not an error here: the run reports what is missing. */
    return status == ERT_UNAVAILABLE ? ERT_OK : status;
}

/* Removes files that were not completed. */
static void remove_partial(const struct ert_cli_results *results, const char *folder)
{
    char name[NAME_SIZE];
    for (size_t i = 0; i < ERT_LENGTH(bases); i++)
        unlink(results_name_of(folder, bases[i], partial, "json", name, sizeof name));
    for (size_t i = 0; i < results->plots.n_plots; i++)
        if (*results->plots.plots[i].file)
            unlink(results->plots.plots[i].file);
}

static enum ert_status write_in(struct ert_cli_results *results,
                                const struct ert_samples *samples,
                                const struct ert_ceilings *ceilings, FILE *out,
                                struct ert_error *error)
{
    bool is_valid = ceilings && ert_cli_results_valid(ceilings);
    ERT_TRY(write_partial(results, samples, ceilings, error));
    bool displaces = is_valid || !are_valid_there(results->folder);
    snprintf(results->infix, sizeof results->infix, "%s", displaces ? "" : invalid);
    return settle_names(results, out, error);
}

/* "results/node" -> "results" and "node". */
static void split_folder(const char *folder, char *parent, char *base, size_t size)
{
    char copy[1024];
    snprintf(copy, sizeof copy, "%s", folder);
    for (size_t length = strlen(copy); length > 1 && copy[length - 1] == '/';)
        copy[--length] = '\0';
    char *slash = strrchr(copy, '/');
    snprintf(base, size, "%s", slash ? slash + 1 : copy);
    if (slash)
        slash[slash == copy] = '\0';
    snprintf(parent, size, "%s", slash ? copy : ".");
}

/*
 * Writes to a folder beside the first one, or else to one for temporary files, which must be new, since
 * others may write there. is_ours: we have the lock of the first one.
 */
static enum ert_status write_elsewhere(struct ert_cli_results *results,
                                       const struct ert_samples *samples,
                                       const struct ert_ceilings *ceilings, bool is_ours,
                                       FILE *out)
{
    char parent[1024], base[1024], date[32], first[1024];
    const char *temporary = getenv("TMPDIR");
    struct ert_error why = {0};
    struct ert_cli_results elsewhere = *results;
    snprintf(first, sizeof first, "%s", results->folder);
    split_folder(results->folder, parent, base, sizeof base);
    ert_clock_date(date, sizeof date);
    for (char *c = date; *c; c++)
        if (*c == ':')
            *c = '-';
    const char *const places[] = {parent, temporary && *temporary ? temporary : "/tmp"};
    for (size_t i = 0; i < ERT_LENGTH(places); i++) {
        int length = snprintf(elsewhere.folder, sizeof elsewhere.folder,
                              "%.900s/ert-%.64s-%s-XXXXXX", places[i], base, date);
        if (length > 0 && (size_t)length < sizeof elsewhere.folder &&
            mkdtemp(elsewhere.folder)) {
            if (write_in(&elsewhere, samples, ceilings, out, &why) == ERT_OK) {
                if (is_ours)
                    remove_partial(results, first);
                *results = elsewhere;
                return ERT_OK;
            }
            remove_partial(&elsewhere, elsewhere.folder);
            rmdir(elsewhere.folder);
        } else {
            ert_fail(&why, ERT_FAILED, "%s: %s", elsewhere.folder, strerror(errno));
        }
        fprintf(out, "%s\n", why.text);
    }
    return ERT_FAILED;
}

enum ert_status ert_cli_results_finish(struct ert_cli_results *results,
                                       const struct ert_samples *samples,
                                       const struct ert_ceilings *ceilings, FILE *out,
                                       struct ert_error *error)
{
    struct ert_error why = {0};
    bool is_ours = hold(results, &why) != ERT_FAILED;
    if (is_ours && write_in(results, samples, ceilings, out, &why) == ERT_OK)
        return ERT_OK;
    fprintf(out, "%s; trying another place\n", why.text);
    if (write_elsewhere(results, samples, ceilings, is_ours, out) == ERT_OK)
        return ert_fail(error, ERT_FAILED, "%s; the results are in %s", why.text,
                        results->folder);
    /* As a last resort prints the ceilings; samples would be megabytes on a screen. */
    struct ert_error unprinted = {0};
    if (ceilings && ert_ceilings_print(stdout, ceilings, &unprinted) != ERT_OK)
        printf("the ceilings: %s\n", unprinted.text);
    return ert_fail(error, ERT_FAILED,
                    "%s; the files could not be written elsewhere: the ceilings were "
                    "printed, the samples are lost",
                    why.text);
}
