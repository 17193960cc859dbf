/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/cli/results.h"

#include "ert/core/base/clock.h"
#include "ert/core/base/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The files of the latest run that have a link in OUT. */
static const char *const linked[] = {"samples.json", "ceilings.json", "roofline.svg"};

enum { NAME_SIZE = 1200 };

static const char *results_name_of(const char *folder, const char *file, char *text,
                                   size_t size)
{
    snprintf(text, size, "%s/%s", folder, file);
    return text;
}

const char *ert_cli_results_name(const struct ert_cli_results *results, const char *file,
                                 char *text, size_t size)
{
    return results_name_of(results->is_latest ? results->out : results->folder, file, text,
                           size);
}

bool ert_cli_results_valid(const struct ert_ceilings *ceilings)
{
    bool valid = strcmp(ceilings->status, "complete") == 0 ||
                 strcmp(ceilings->status, "budget") == 0;
    for (size_t i = 0; i < ceilings->n_devices; i++)
        if (ert_ceilings_main(&ceilings->devices[i]).n > 0)
            valid = valid && ceilings->devices[i].valid;
    return valid;
}

enum ert_status ert_cli_results_open(const char *out, struct ert_cli_results *results,
                                     struct ert_error *error)
{
    char date[32], stamp[32] = "";
    *results = (struct ert_cli_results){0};
    int length = snprintf(results->out, sizeof results->out, "%s", out);
    if (length <= 0 || (size_t)length >= sizeof results->out)
        return ert_fail(error, ERT_USAGE, "--out: name of %d bytes, must be 1 to %zu",
                        length, sizeof results->out - 1);
    ERT_TRY(ert_file_make_folder(out, error));
    ert_clock_date(date, sizeof date);
    for (char *c = date; *c; c++) /* other programs read HOST:FILE, or N:FILE */
        if (*c != ':' && *c != '-')
            ert_append(stamp, sizeof stamp, "%c", *c);
    for (unsigned i = 1;; i++) {
        snprintf(results->folder, sizeof results->folder, i > 1 ? "%s/%s-%u" : "%s/%s", out,
                 stamp, i);
        if (mkdir(results->folder, 0777) == 0)
            return ERT_OK;
        if (errno != EEXIST)
            return ert_fail(error, ERT_FAILED, "%s: cannot make the folder: %s",
                            results->folder, strerror(errno));
    }
}

enum ert_status ert_cli_results_open_part(const struct ert_cli_results *all, size_t number,
                                          struct ert_cli_results *part,
                                          struct ert_error *error)
{
    *part = (struct ert_cli_results){0};
    snprintf(part->folder, sizeof part->folder, "%.1070s/run-%zu", all->folder, number);
    return ert_file_make_folder(part->folder, error);
}

void ert_cli_results_close(const struct ert_cli_results *results)
{
    rmdir(results->folder);
}

void ert_cli_results_checkpoint(struct ert_cli_results *results,
                                const struct ert_samples *samples, FILE *out)
{
    char name[NAME_SIZE];
    struct ert_error error = {0};
    results_name_of(results->folder, "samples.json", name, sizeof name);
    if (ert_samples_write(name, samples, &error) == ERT_OK || results->checkpoint_failed)
        return;
    fprintf(out, "%s; the run goes on\n", error.text);
    results->checkpoint_failed = true;
}

static bool are_valid_there(const char *out)
{
    char name[NAME_SIZE];
    struct ert_error error = {0};
    struct ert_ceilings there = {0};
    results_name_of(out, "ceilings.json", name, sizeof name);
    if (access(name, R_OK) != 0 || ert_ceilings_read(name, &there, &error) != ERT_OK)
        return false;
    bool valid = ert_cli_results_valid(&there);
    ert_ceilings_free(&there);
    return valid;
}

static enum ert_status results_write(struct ert_cli_results *results,
                                     const struct ert_samples *samples,
                                     const struct ert_ceilings *ceilings,
                                     struct ert_error *error)
{
    char name[NAME_SIZE];
    const struct rfl_scene_options plain = {0};
    results->plots.n_plots = 0;
    results->has_samples = samples != NULL;
    if (samples)
        ERT_TRY(ert_samples_write(
            results_name_of(results->folder, "samples.json", name, sizeof name), samples,
            error));
    results_name_of(results->folder, "ceilings.json", name, sizeof name);
    ERT_TRY(ert_ceilings_write(name, ceilings, error));
    /* Drawn from the file, whose rates have seven digits: so `roofline plot` draws the same. */
    struct ert_ceilings written = {0};
    enum ert_status status = ert_ceilings_read(name, &written, error);
    results_name_of(results->folder, "roofline.svg", name, sizeof name);
    if (status == ERT_OK)
        status = rfl_plot_files(&written, &plain, name, &results->plots, error);
    ert_ceilings_free(&written);
    /* Nothing to draw is not an error here: the run reports what is missing. */
    return status == ERT_UNAVAILABLE ? ERT_OK : status;
}

/* Makes OUT/name a link, in place of the one that is there. */
static enum ert_status make_link(const char *out, const char *name, const char *target,
                                 struct ert_error *error)
{
    char link[NAME_SIZE], fresh[NAME_SIZE];
    struct stat there;
    snprintf(link, sizeof link, "%s/%s", out, name);
    snprintf(fresh, sizeof fresh, "%s/.%s-%ld", out, name, (long)getpid());
    if (lstat(link, &there) == 0 && S_ISREG(there.st_mode))
        return ert_fail(error, ERT_FAILED,
                        "%s: is a file, and no link of ert: move it away", link);
    unlink(fresh);
    if (symlink(target, fresh) == 0 && rename(fresh, link) == 0)
        return ERT_OK;
    int reason = errno;
    unlink(fresh);
    return ert_fail(error, ERT_FAILED, "%s: cannot link to %s: %s", link, target,
                    strerror(reason));
}

static enum ert_status make_latest(struct ert_cli_results *results, struct ert_error *error)
{
    ERT_TRY(make_link(results->out, "latest", strrchr(results->folder, '/') + 1, error));
    for (size_t i = 0; i < ERT_LENGTH(linked); i++) {
        char name[NAME_SIZE], target[64];
        snprintf(target, sizeof target, "latest/%s", linked[i]);
        ERT_TRY(make_link(results->out, linked[i], target, error));
        results_name_of(results->out, linked[i], name, sizeof name);
        if (access(name, F_OK) != 0) /* merged runs have no samples */
            unlink(name);
    }
    results->is_latest = true;
    return ERT_OK;
}

enum ert_status ert_cli_results_finish(struct ert_cli_results *results,
                                       const struct ert_samples *samples,
                                       const struct ert_ceilings *ceilings,
                                       struct ert_error *error)
{
    ERT_TRY(results_write(results, samples, ceilings, error));
    if (!*results->out ||
        (!ert_cli_results_valid(ceilings) && are_valid_there(results->out)))
        return ERT_OK;
    struct ert_error why = {0};
    if (make_latest(results, &why) == ERT_OK)
        return ERT_OK;
    return ert_fail(error, ERT_FAILED, "%s; the results are in %s", why.text,
                    results->folder);
}
