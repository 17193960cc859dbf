/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * module: a backend as a file of its own, ert-NAME.so, that a program opens at run time: the program needs
 * nothing of a vendor's, and a site adds or replaces the file. backends.def names the modules. The program
 * calls the module through the tables that it hands over; the module calls nothing of the program's and
 * brings its own copies of the functions that it needs, all without state.
 *
 * A folder is searched only if nobody but its owner and group may write there, and a file is opened only if
 * it, too, belongs to root, to the user or to the owner of the program:
 *   $ERT_MODULE_PATH        absolute folders, parted by ':'; where it is set, no other is searched
 *   PROGRAM/../lib/ert      beside the program: the build tree, or an installation that was moved
 *   $(libdir)/ert           as configured
 */
#ifndef ERT_BACKEND_MODULE_H
#define ERT_BACKEND_MODULE_H

#include "ert/backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gpp_engine; /* gpp/versions.h */

/* The form of struct ert_module: a member more is a number more. */
enum { ERT_DOOR = 1 };

/* What a module hands over; all of it lasts as long as the program. */
struct ert_module {
    uint32_t door;       /* ERT_DOOR; stays the first member for ever */
    const char *version; /* of ert that it was built with; stays the second */
    /* ERT_DOOR_TABLES (ert/backend/door.sh): of the headers that say what the tables below hold. */
    const char *tables;
    const struct ert_backend *backend; /* of the module's name */
    const struct gpp_engine *engine;   /* of ert-gpp's GPU versions; NULL: none */
};

/* The one symbol of a module is a function of this type. */
#define ERT_MODULE_ENTRY "ert_module"
typedef const struct ert_module *ert_module_entry(void);

/*
 * The module of a name of backends.def, opened at the first call for one. NULL: there is none, or it was
 * refused; *reason (not NULL) is then one line that says why, else "".
 */
const struct ert_module *ert_module_find(const char *name, const char **reason);

#ifdef __cplusplus
}
#endif
#endif
