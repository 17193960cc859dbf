#include "ert/validate/listing.h"

#include <fnmatch.h>
#include <stdlib.h>

enum ert_status ert_listing_add(struct ert_listing *listing,
                                const struct ert_instruction *instruction,
                                struct ert_error *error)
{
    if (listing->n == listing->capacity) {
        size_t capacity = listing->capacity ? 2 * listing->capacity : 256;
        struct ert_instruction *grown = realloc(listing->list, capacity * sizeof *grown);
        if (!grown)
            return ert_fail(error, ERT_FAILED, "no memory for %zu instructions", capacity);
        listing->list = grown;
        listing->capacity = capacity;
    }
    listing->list[listing->n++] = *instruction;
    return ERT_OK;
}

void ert_listing_free(struct ert_listing *listing)
{
    if (!listing)
        return;
    free(listing->list);
    *listing = (struct ert_listing){0};
}

/* Whether nothing runs on from one of list[first..last). */
static bool has_end(const struct ert_listing *listing, size_t first, size_t last)
{
    while (first < last && !listing->list[first].ends)
        first++;
    return first < last;
}

/*
 * Whether the i-th instruction jumps back to repeat what lies between; *head: where to. From behind an
 * end it comes back from what the compiler put aside, cc 7.0's shuffle of a warp that diverged. Where
 * to is the next instruction: cc 6.x has words for its scheduler between them.
 */
static bool jumps_back(const struct ert_listing *listing, size_t i, size_t *head)
{
    const struct ert_instruction *jump = &listing->list[i];
    if (jump->operation != ERT_OP_BRANCH || jump->target >= jump->address ||
        jump->target < listing->list[0].address) /* into another function */
        return false;
    *head = 0;
    while (listing->list[*head].address < jump->target)
        (*head)++;
    return !has_end(listing, *head, i);
}

static bool holds_another(const struct ert_listing *listing, size_t head, size_t end)
{
    for (size_t i = head; i < end; i++) {
        size_t inner;
        if (jumps_back(listing, i, &inner) && inner >= head)
            return true;
    }
    return false;
}

struct ert_range ert_listing_main(const struct ert_listing *listing)
{
    struct ert_range range = {0, listing->n ? listing->n - 1 : 0};
    for (size_t i = 0; i < range.last; i++)
        if (listing->list[i].ends)
            range.last = i;
    return range;
}

bool ert_listing_loop(const struct ert_listing *listing, struct ert_range *loop)
{
    bool found = false;
    for (size_t i = 0; i < listing->n; i++) {
        size_t head;
        if (!jumps_back(listing, i, &head) || holds_another(listing, head, i))
            continue;
        if (!found || i - head > loop->last - loop->first)
            *loop = (struct ert_range){head, i};
        found = true;
    }
    return found;
}

bool ert_operation_computes(enum ert_operation operation)
{
    return operation >= ERT_OP_FMA && operation <= ERT_OP_MMA;
}

const char *ert_operation_name(enum ert_operation operation)
{
    static const char *const names[ERT_N_OPERATIONS] = {
        "other",  "move",        "logic",      "FMA",         "add",  "multiply",
        "divide", "square root", "reciprocal", "dot product", "MMA",  "prefetch",
        "load",   "store",       "spill",      "branch",      "call", "no-op"};
    return names[operation];
}

bool ert_operation_find(const struct ert_operation_row *rows, size_t n, const char *word,
                        struct ert_instruction *instruction)
{
    for (size_t i = 0; i < n; i++) {
        if (fnmatch(rows[i].glob, word, 0) != 0)
            continue;
        instruction->operation = rows[i].operation;
        instruction->type = rows[i].type;
        return true;
    }
    return false;
}
