/* SPDX-License-Identifier: BSD-3-Clause */
/* object: a number for a program's or library's file, which joins the counts of its code with its samples. */
#ifndef RFL_VALGRIND_OBJECT_H
#define RFL_VALGRIND_OBJECT_H

#include <stdint.h>

/* The 32-bit FNV-1a hash of its path without links; never 0. */
static inline uint32_t rfl_object_id(const char *path)
{
    uint32_t hash = 2166136261u;
    for (; *path; path++)
        hash = (hash ^ (unsigned char)*path) * 16777619u;
    return hash ? hash : 1;
}

#endif
