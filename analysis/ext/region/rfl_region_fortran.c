/* SPDX-License-Identifier: BSD-3-Clause */
/* C functions for rfl_region.f90. */
#include <rfl_region.h>

void rfl_region_fortran_begin(const char *name);
void rfl_region_fortran_end(const char *name);
void rfl_region_fortran_work(const char *name, double flops, double bytes);

void rfl_region_fortran_begin(const char *name)
{
    rfl_region_begin(name);
}

void rfl_region_fortran_end(const char *name)
{
    rfl_region_end(name);
}

void rfl_region_fortran_work(const char *name, double flops, double bytes)
{
    rfl_region_work(name, flops, bytes);
}
