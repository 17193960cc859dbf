#include "analysis/plot/scene_drops.h"

#include "analysis/plot/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of reasons, and of names per reason: a profile of 100,000 launches must not become a book. */
enum { MAX_REASONS = 24, MAX_NAMES = 100, NAME_TEXT = 48 };

struct rfl_drop {
    const char *name, *what, *reason;
};

void rfl_drops_add(struct rfl_drops *drops, const char *name, const char *what,
                   const char *reason)
{
    if (drops->n == drops->room) {
        size_t room = drops->room ? 2 * drops->room : 64;
        struct rfl_drop *more = realloc(drops->drops, room * sizeof *more);
        drops->failed = drops->failed || !more;
        if (!more)
            return;
        drops->drops = more;
        drops->room = room;
    }
    drops->drops[drops->n++] = (struct rfl_drop){name, what, reason};
}

static bool same_reason(const struct rfl_drop *a, const struct rfl_drop *b)
{
    return strcmp(a->what, b->what) == 0 && strcmp(a->reason, b->reason) == 0;
}

/* The names of one reason, each once, in the order of the points. */
struct names {
    size_t n, untold; /* untold: points, for which there is no room */
    struct {
        char name[NAME_TEXT];
        size_t count;
    } names[MAX_NAMES];
};

static void add_name(struct names *names, const char *full)
{
    char name[NAME_TEXT];
    size_t i = 0;
    rfl_name_short(full, name, sizeof name);
    while (i < names->n && strcmp(names->names[i].name, name) != 0)
        i++;
    if (i == MAX_NAMES) {
        names->untold++;
        return;
    }
    if (i == names->n) {
        memcpy(names->names[names->n++].name, name, sizeof name);
        names->names[i].count = 0;
    }
    names->names[i].count++;
}

/* "Not drawn: REASON: a, b (3 of them), c", over several notes where it is long. */
static void write_names(const char *head, const struct names *names,
                        struct rfl_scene *scene)
{
    enum { NEXT = NAME_TEXT + 32 }; /* the longest item */
    char text[RFL_NOTE_TEXT];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", head);
    for (size_t i = 0; i < names->n; i++) {
        if (used + NEXT > sizeof text) {
            rfl_scene_note(scene, "%s", text);
            used = 0;
        }
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s", names->names[i].name);
        if (names->names[i].count > 1)
            used += (size_t)snprintf(text + used, sizeof text - used, " (%zu of them)",
                                     names->names[i].count);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s",
                                 i + 1 < names->n ? "," : "");
        if (i + 1 < names->n && used + NEXT <= sizeof text)
            text[used++] = ' ', text[used] = '\0';
    }
    if (names->untold)
        rfl_scene_note(scene, "%s and %zu more.", text, names->untold);
    else
        rfl_scene_note(scene, "%s.", text);
}

/* One group's note; those that it tells lose their `what`. */
static void note_group(struct rfl_drop *drops, size_t n, size_t first,
                       struct rfl_scene *scene)
{
    const struct rfl_drop group = drops[first];
    struct names names = {.n = 0};
    char head[512];
    bool reason = group.reason[0] != '\0';
    snprintf(head, sizeof head, "Not drawn: %.100s%s%.200s%s: ", group.what,
             reason ? " (" : "", group.reason, reason ? ")" : "");
    for (size_t i = first; i < n; i++)
        if (drops[i].what && same_reason(&drops[i], &group)) {
            drops[i].what = NULL;
            add_name(&names, drops[i].name);
        }
    write_names(head, &names, scene);
}

void rfl_drops_note(const struct rfl_drops *drops, struct rfl_scene *scene)
{
    size_t reasons = 0, rest = 0;
    for (size_t i = 0; i < drops->n; i++) {
        if (!drops->drops[i].what)
            continue;
        if (reasons++ < MAX_REASONS)
            note_group(drops->drops, drops->n, i, scene);
        else
            rest++;
    }
    if (rest)
        rfl_scene_note(scene, "Not drawn: %zu more, for more than %d reasons.", rest,
                       MAX_REASONS);
}

void rfl_drops_free(struct rfl_drops *drops)
{
    free(drops->drops);
    *drops = (struct rfl_drops){0};
}
