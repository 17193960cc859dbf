#if !defined(__x86_64__) && !defined(__i386__) && !defined(__aarch64__)

#include "ert/machine/features.h"

/* No way to ask is known here: everything stays unknown. */
void ert_features_read(struct ert_features *features)
{
    *features = (struct ert_features){0};
}

#else
typedef int ert_features_none_is_empty; /* ISO C wants a declaration in every file */
#endif
