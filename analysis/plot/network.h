/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * network: scenes of two more charts, drawn as a roofline is (chart.h).
 *
 * The message roofline (Ding, Haseeb, Groves, Williams, "Evaluating the Performance of One-sided
 * Communication on CPUs and GPUs", P3HPC at SC23): bandwidth over the size of a message s, for n messages per
 * synchronization. By LogGP (ert/net/loggp.h) n messages take T(n, s) = 2 (L + 2 o) + (n - 1) g + n s G, so
 * n s / T(n, s) is below the diagonals s n / T(n, 0), one for each n, and s / g for any n, and below the flat
 * 1 / G; between them it bends.
 *
 * The Ridgeline (Checconi, Tithi, Petrini, arXiv 2209.01368): of F operations, B_M bytes of memory and B_N
 * bytes of the network, the longest of F / P, B_M / M and B_N / N bounds. The paper's plane has the axes
 * I_A = F / B_M and I_M = B_M / B_N; here the second one is its I_N = I_A I_M = F / B_N, so that both are
 * FLOP/byte. Compute bounds where I_A >= P / M and I_N >= P / N; else memory where I_N / I_A >= M / N; else
 * the network.
 */
#ifndef RFL_PLOT_NETWORK_H
#define RFL_PLOT_NETWORK_H

#include "analysis/messages.h"
#include "analysis/plot/scene.h"
#include "ert/net/loggp.h"

/* What ert-net measured; 0: not. */
struct rfl_network {
    struct ert_loggp loggp;
    double latency_s;                       /* half a round trip, used without LogGP */
    double one_way_bytes_per_s, rate_per_s; /* of large messages; of small ones */
    size_t n_points, capacity;
    struct ert_loggp_point *points; /* malloc: messages at a time, and the time of all */
    char name[128];                 /* "Open MPI v4.1.4, 2 hosts" */
};

/* From a device's list "network". ERT_UNAVAILABLE where it has none. */
enum ert_status rfl_network_of(const struct ert_device_ceilings *device,
                               struct rfl_network *network, struct ert_error *error);

/*
 * From ert-net's lines (net_record.h): of each value the median over pairs, repeats left out; the points of
 * the sweep. ERT_USAGE as ert_net_record_read; ERT_UNAVAILABLE where it has no result of a pair.
 */
enum ert_status rfl_network_read(const char *file, struct rfl_network *network,
                                 struct ert_error *error);
void rfl_network_free(struct rfl_network *network);

/*
 * messages (no rows: none): of each call and size that sends one point, at the mean size and at the rate of a
 * rank within the calls; of a collective at what a rank sends in a call. Those that only start to send
 * (MPI_Isend, MPI_Start) bear the time of the waits and tests by their share of the bytes. ERT_UNAVAILABLE
 * where the network has neither a diagonal nor a flat. The scene is the caller's (rfl_scene_free), also after
 * a failure.
 */
enum ert_status rfl_network_scene(const struct rfl_network *network,
                                  const struct rfl_messages *messages, size_t max_points,
                                  struct rfl_scene *scene, struct ert_error *error);

/*
 * The peak is the highest of options->type, else of FP64, else the highest; the memory the device's. Points
 * without operations, bytes of memory or of level NET are notes. ERT_UNAVAILABLE where the device has no
 * peak, no memory or no network.
 */
enum ert_status rfl_ridgeline_scene(const struct rfl_scene_device *device,
                                    const struct rfl_scene_options *options,
                                    struct rfl_scene *scene, struct ert_error *error);

#endif
