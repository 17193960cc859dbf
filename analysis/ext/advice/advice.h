/* SPDX-License-Identifier: BSD-3-Clause */
/* advice: defines rfl_advise (place.h); and what tests ask it. */
#ifndef RFL_ADVICE_H
#define RFL_ADVICE_H

/*
 * How many warps the registers of an SM hold, for a number of registers per thread. An SM has four parts with
 * 16,384 registers each (compute capability 5.0 to 12.0 but 6.0, whose two parts have 32,768), and a warp of
 * 32 threads lives in one of them, with its registers in units of 256 (NVIDIA's occupancy calculator, "warp
 * allocation granularity" 4, "register allocation unit size" 256). So what two parts have left is not enough
 * for another warp: 170 registers give 8 warps, not 65536 / (32 * 176) = 11.
 */
double rfl_advice_warps(double registers);

#endif
