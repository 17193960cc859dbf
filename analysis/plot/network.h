/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * network: scenes of two further charts, which chart.h draws like a roofline.
 *
 * The message roofline (Ding, Haseeb, Groves, Williams, "Evaluating the Performance of One-sided
 * Communication on CPUs and GPUs", P3HPC at SC23): bandwidth over the size of a message s, for n messages per
 * synchronization. By LogGP (ert/net/loggp.h) n messages take T(n, s) = 2 (L + 2 o) + (n - 1) g + n s G, so
 * n s / T(n, s) is below the diagonals s n / T(n, 0), one for each n, and s / g for any n, and below the flat
 * 1 / G; between them it bends.
 *
 * The Ridgeline (Checconi, Tithi, Petrini, arXiv 2209.01368): with F operations, B_M bytes of memory traffic
 * and B_N bytes of network traffic, the longest of F / P, B_M / M and B_N / N bounds a code. The paper's
 * plane has the axes I_A = F / B_M and I_M = B_M / B_N; here the second one is its I_N = I_A I_M = F / B_N,
 * so that both are FLOP/byte. Compute bounds if I_A >= P / M and I_N >= P / N; else memory if
 * I_N / I_A >= M / N; else the network.
 */
#ifndef RFL_PLOT_NETWORK_H
#define RFL_PLOT_NETWORK_H

#include "analysis/messages.h"
#include "analysis/plot/scene.h"
#include "ert/net/loggp.h"

/* What ert-net measured; 0: not measured. */
struct rfl_network {
    struct ert_loggp loggp;
    double latency_s;                       /* half a round trip, used without LogGP */
    double one_way_bytes_per_s, rate_per_s; /* of large messages; of small ones */
    size_t n_points, capacity;
    struct ert_loggp_point
        *points;    /* malloc: messages per synchronization, their total time */
    char name[128]; /* "Open MPI v4.1.4, 2 hosts" */
};

/* Fills *network from a device's list "network". ERT_UNAVAILABLE when it is empty. */
enum ert_status rfl_network_of(const struct ert_device_ceilings *device,
                               struct rfl_network *network, struct ert_error *error);

/*
 * Fills *network from a file of ert-net (net_record.h): the median of each value over pairs, without repeats,
 * and the points of the sweep. ERT_USAGE as ert_net_record_read; ERT_UNAVAILABLE when no pair has a result.
 */
enum ert_status rfl_network_read(const char *file, struct rfl_network *network,
                                 struct ert_error *error);
void rfl_network_free(struct rfl_network *network);

/*
 * Makes the message roofline. messages (may have no rows): one point per sending call and size, at the mean
 * size and at a rank's rate within the calls; for a collective, at what a rank sends per call. The time of
 * waits and tests is attributed to calls that only start to send (MPI_Isend, MPI_Start) by their share of the
 * bytes. ERT_UNAVAILABLE when the network has neither a diagonal nor a flat. The caller frees the scene
 * (rfl_scene_free), also after a failure.
 */
enum ert_status rfl_network_scene(const struct rfl_network *network,
                                  const struct rfl_messages *messages, size_t max_points,
                                  struct rfl_scene *scene, struct ert_error *error);

/*
 * Makes the Ridgeline chart of a device. The peak is the highest of options->type, else of FP64, else of all.
 * Points without operations, memory bytes or bytes of level NET become notes. ERT_UNAVAILABLE when the device
 * has no peak, no memory or no network.
 */
enum ert_status rfl_ridgeline_scene(const struct rfl_scene_device *device,
                                    const struct rfl_scene_options *options,
                                    struct rfl_scene *scene, struct ert_error *error);

#endif
