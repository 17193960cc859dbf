/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * module: a backend in a shared library, ert-NAME.so, that a program opens at run time: so the program needs
 * no vendor's libraries, and a site can add or replace the file. backends.def names the modules. The program
 * calls the module through the tables that it returns; the module calls nothing in the program and has its
 * own copies, without state, of the functions that it needs.
 *
 * A folder is searched only if nobody but its owner and group may write there, and a file is opened only if
 * it, too, belongs to root, to the user or to the owner of the program:
 *   $ERT_MODULE_PATH        absolute folders, separated by ':'; if it is set, no other is searched
 *   PROGRAM/../lib/ert      beside the program: the build tree, or an installation that was moved
 *   $(libdir)/ert           as configured
 */
#ifndef ERT_EXT_MODULE_H
#define ERT_EXT_MODULE_H

#include "ert/core/backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gpp_engine; /* gpp/versions.h */

/* The version of struct ert_module: each new member increments it. */
enum { ERT_DOOR = 1 };

/* What a module returns; all of it lives as long as the program. */
struct ert_module {
    uint32_t door;       /* ERT_DOOR; always the first member */
    const char *version; /* of the ert that it was built with; always the second */
    /* ERT_DOOR_TABLES: a checksum of the headers that define the tables below (ert/ext/module/door.sh). */
    const char *tables;
    const struct ert_backend *backend; /* has the module's name */
    const struct gpp_engine *engine;   /* of ert-gpp's GPU versions; NULL: none */
};

/* The one symbol of a module is a function of this type. */
#define ERT_MODULE_ENTRY "ert_module"
typedef const struct ert_module *ert_module_entry(void);

/*
 * The module with a name in backends.def; the first call opens all modules. NULL when there is none or it was
 * refused; *reason (never NULL) is then a line that says why, else "".
 */
const struct ert_module *ert_module_find(const char *name, const char **reason);

#ifdef __cplusplus
}
#endif
#endif
