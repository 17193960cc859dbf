/*
 * json_tree: what both readers of files, whole (json_read.c) and by element (json_list.c), ask of a
 * tree. Private to base.
 */
#ifndef ERT_BASE_JSON_TREE_H
#define ERT_BASE_JSON_TREE_H

#include "ert/base/error.h"

#include <cjson/cJSON.h>
#include <stddef.h>

/* The largest file that is read: 1 GiB. */
#define ERT_JSON_MAX_BYTES ((size_t)1 << 30)

/* ERT_USAGE when a key stands twice in one object of the tree. */
enum ert_status ert_json_check_tree(const cJSON *node, const char *file,
                                    struct ert_error *error);

#endif
