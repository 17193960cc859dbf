/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/fleet/gather.h"

#include "ert/base/alloc.h"
#include "ert/base/clock.h"
#include "ert/base/file.h"
#include "ert/fleet/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct ert_gather_host *ert_gather_find(struct ert_gather *gather, const char *name)
{
    const size_t i = ert_hosts_find(&gather->hosts, name);
    return i < gather->hosts.n ? &gather->list[i] : NULL;
}

/* Sets the state of a record's host, if it is in the list. */
static void mark(struct ert_gather *gather, const struct ert_node_record *record)
{
    struct ert_gather_host *host = ert_gather_find(gather, record->host);
    if (!host)
        return;
    free(host->reason);
    host->reason = NULL;
    host->state =
        record->status == ERT_NODE_FAILED || record->status == ERT_NODE_INTERRUPTED
            ? ERT_GATHER_FAILED
            : ERT_GATHER_DONE;
}

/* Reads the records of an earlier run; bad lines are skipped, since the merge reports them. */
static enum ert_status read_back(struct ert_gather *gather, struct ert_error *error)
{
    struct ert_records records;
    struct stat there;
    if (stat(gather->file, &there) != 0 || !S_ISREG(there.st_mode))
        return ERT_OK;
    ERT_TRY(ert_records_open(gather->file, &records, error));
    struct ert_json at = {.node = NULL};
    const char *schema = "";
    enum ert_status status = ERT_OK;
    while (status != ERT_FAILED && (schema || status != ERT_OK)) {
        struct ert_node_record record = {0};
        status = ert_records_next(&records, &at, &schema, error);
        if (status == ERT_OK && schema && strcmp(schema, ERT_NODE_SCHEMA) == 0 &&
            ert_node_read(at, &record, NULL) == ERT_OK)
            mark(gather, &record);
        ert_node_free(&record);
    }
    ert_records_close(&records);
    for (size_t i = 0; i < gather->hosts.n; i++)
        if (gather->list[i].state == ERT_GATHER_FAILED)
            gather->list[i].state = ERT_GATHER_WAITING;
    return status == ERT_FAILED ? status : ERT_OK;
}

enum ert_status ert_gather_open(struct ert_gather *gather, struct ert_hosts *hosts,
                                const char *file, struct ert_error *error)
{
    gather->hosts = *hosts;
    *hosts = (struct ert_hosts){0};
    ert_hosts_sort(&gather->hosts);
    gather->list = ert_xcalloc(gather->hosts.n, sizeof *gather->list);
    /* Each launch of a node leaves at most one text that it did not end. */
    gather->parts.most = gather->hosts.n * ERT_GATHER_LAUNCHES;
    snprintf(gather->file, sizeof gather->file, "%s", file);
    ERT_TRY(read_back(gather, error));
    gather->records = open(file, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (gather->records < 0)
        return ert_fail(error, ERT_FAILED, "%s: cannot write: %s", file, strerror(errno));
    gather->is_open = true;
    ert_file_end_line(gather->records);
    return ERT_OK;
}

void ert_gather_start(struct ert_gather *gather, const char *name)
{
    struct ert_gather_host *host = ert_gather_find(gather, name);
    host->state = ERT_GATHER_WAITING;
    host->limit_s = ert_clock_now_s() + gather->answer_s;
}

void ert_gather_give_up(struct ert_gather_host *host, const char *reason, ...)
{
    char text[512];
    ERT_FORMAT(text, sizeof text, reason);
    free(host->reason);
    host->reason = ert_xstrdup(text);
    host->state = ERT_GATHER_GIVEN_UP;
}

/* Appends the line completely or not at all; returns 0 or the errno. */
static int append(int records, const char *line)
{
    const off_t before = lseek(records, 0, SEEK_END);
    char *text = ert_xprintf("%s\n", line);
    const size_t size = strlen(text);
    size_t at = 0;
    int reason = 0;
    while (at < size && reason == 0) {
        ssize_t n = write(records, text + at, size - at);
        at += n > 0 ? (size_t)n : 0;
        reason = n < 0 && errno != EINTR ? errno : 0;
    }
    free(text);
    if (reason != 0)
        (void)!ftruncate(
            records, before); /* if it fails, a bad line remains, which the merge reports */
    return reason;
}

static bool open_elsewhere(struct ert_gather *gather)
{
    const char *folder = getenv("TMPDIR");
    char file[PATH_MAX];
    snprintf(file, sizeof file, "%.3000s/ert-fleet-XXXXXX",
             folder && *folder ? folder : "/tmp");
    int descriptor = mkstemp(file);
    if (descriptor < 0)
        return false;
    close(gather->records);
    gather->records = descriptor;
    snprintf(gather->elsewhere, sizeof gather->elsewhere, "%s", file);
    ert_append(gather->not_written.text, sizeof gather->not_written.text,
               "; the records from there on are in %s", file);
    return true;
}

static void keep(struct ert_gather *gather, const char *line)
{
    int reason = append(gather->records, line);
    if (reason == 0)
        return;
    if (gather->not_written.status == ERT_OK) {
        ert_fail(&gather->not_written, ERT_FAILED, "%.500s: cannot write: %s", gather->file,
                 strerror(reason));
        if (open_elsewhere(gather) && append(gather->records, line) == 0)
            return;
    }
    fprintf(gather->spare, "%s\n", line);
}

/* Takes a whole record, which may name any host. */
static bool take_record(struct ert_gather *gather, const char *text)
{
    struct ert_node_record record = {0};
    cJSON *root = NULL;
    const char *place = "a node's record";
    bool is_taken = ert_json_parse(text, strlen(text), place, &root, NULL) == ERT_OK &&
                    ert_node_read(ert_json_root(root, place), &record, NULL) == ERT_OK;
    if (is_taken) {
        mark(gather, &record);
        keep(gather, text);
    }
    ert_node_free(&record);
    cJSON_Delete(root);
    return is_taken;
}

static bool take_begin(struct ert_gather *gather, const char *line)
{
    char name[ERT_HOST_TEXT];
    double means_s;
    if (sscanf(line, "ert-begin %255s %lf", name, &means_s) != 2 || !(means_s >= 0) ||
        means_s > 1e7)
        return false;
    struct ert_gather_host *host = ert_gather_find(gather, name);
    if (!host)
        return false;
    if (host->state != ERT_GATHER_WAITING)
        return true;
    host->state = ERT_GATHER_BEGUN;
    host->begun_s = ert_clock_now_s();
    host->means_s = means_s;
    host->limit_s = host->begun_s + (gather->deadline_s > 0 ? gather->deadline_s
                                     : means_s > 0          ? 2 * means_s + 30
                                                            : ERT_GATHER_UNKNOWN_S);
    return true;
}

bool ert_gather_line(struct ert_gather *gather, const char *line)
{
    char *text = NULL;
    bool is_ours = take_begin(gather, line);
    if (!is_ours)
        switch (ert_parts_add(&gather->parts, line, &text)) {
        case ERT_PART_NONE:
            break;
        case ERT_PART_KEPT:
            is_ours = true;
            break;
        case ERT_PART_LAST:
            is_ours = take_record(gather, text);
            break;
        }
    free(text);
    if (!is_ours && *line && gather->n_foreign++ == 0)
        snprintf(gather->foreign, sizeof gather->foreign, "%s", line);
    return is_ours;
}

bool ert_gather_waits(struct ert_gather *gather, const char *name)
{
    struct ert_gather_host *host = ert_gather_find(gather, name);
    const double now_s = ert_clock_now_s();
    if (host->state == ERT_GATHER_WAITING && now_s > host->limit_s)
        ert_gather_give_up(host, "no answer within %.4g s", gather->answer_s);
    else if (host->state == ERT_GATHER_BEGUN && now_s > host->limit_s)
        ert_gather_give_up(
            host, "began, but sent no record within %.4g s; its estimate was %.4g s",
            host->limit_s - host->begun_s, host->means_s);
    return host->state == ERT_GATHER_WAITING || host->state == ERT_GATHER_BEGUN;
}

struct ert_gather_counts ert_gather_count(const struct ert_gather *gather)
{
    struct ert_gather_counts counts = {.n_late = 0};
    const double now_s = ert_clock_now_s();
    for (size_t i = 0; i < gather->hosts.n; i++) {
        const struct ert_gather_host *host = &gather->list[i];
        counts.states[host->state]++;
        if (host->state != ERT_GATHER_BEGUN)
            continue;
        const double left_s = host->begun_s + host->means_s - now_s;
        counts.n_late += left_s < 0;
        counts.left_s = left_s > counts.left_s ? left_s : counts.left_s;
    }
    return counts;
}

const char **ert_gather_names(const struct ert_gather *gather, unsigned states, size_t *n)
{
    const char **names = ert_xcalloc(gather->hosts.n, sizeof *names);
    *n = 0;
    for (size_t i = 0; i < gather->hosts.n; i++)
        if (states >> gather->list[i].state & 1)
            names[(*n)++] = gather->hosts.names[i];
    return names;
}

void ert_gather_close(struct ert_gather *gather)
{
    for (size_t i = 0; i < gather->hosts.n && gather->list; i++)
        free(gather->list[i].reason);
    free(gather->list);
    ert_hosts_free(&gather->hosts);
    ert_parts_free(&gather->parts);
    if (gather->is_open && close(gather->records) != 0 &&
        gather->not_written.status == ERT_OK)
        ert_fail(&gather->not_written, ERT_FAILED, "%.500s: cannot write: %s", gather->file,
                 strerror(errno));
    gather->is_open = false;
}
