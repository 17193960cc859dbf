/*
 * timemory: the JSON of timemory's empirical roofline (https://github.com/NERSC/timemory,
 * source/timemory/ert/{counter,data}.hpp write it, timemory/roofline/roofline.py plots it): one
 * entry per working set and intensity of a kernel, here of the mixed kernel, ERT's own. Its plotter
 * wants counter.repr_data (s); its stand-alone tool writes value (ns): both are given.
 *
 * The ceilings keep rates, not counts of passes: an entry is one pass (trials 1) over the set, of
 * 16 bytes per element of 8 (one load, one store), in the time that the measured rate gives.
 */
#include "analysis/export/common.h"

#include <string.h>

enum { ELEMENT_BYTES = 8, BYTES_PER_ELEMENT = 16 };

static bool is_mixed(const struct ert_curve_point *point)
{
    return strncmp(point->kernel, "mixed_", 6) == 0 && point->flops_per_element &&
           point->rate_bytes_per_s > 0 && point->perf_flop_per_s > 0;
}

static size_t count(const struct ert_device_ceilings *device)
{
    size_t n = 0;
    for (size_t i = 0; i < device->n_curve; i++)
        n += is_mixed(&device->curve[i]);
    return n;
}

static void write_entry(FILE *out, const struct rfl_export_device *device,
                        const struct ert_curve_point *point, bool first)
{
    double elements = point->working_set_bytes / ELEMENT_BYTES;
    double bytes = elements * BYTES_PER_ELEMENT, time_s = bytes / point->rate_bytes_per_s;
    bool gpu = device->machine->kind == ERT_DEVICE_GPU;
    const struct ert_compute_ceiling *peak = rfl_export_compute(device, "fp64", "fma");
    const struct ert_ceiling *launch = peak ? &peak->common : NULL;
    fprintf(out,
            "%s\n{\"label\":\"vector_fma\",\"working-set\":%.0f,\"trials\":1,"
            "\"total-bytes\":%.0f,\"total-ops\":%.0f,\"ops-per-set\":%u,",
            first ? "" : ",", point->working_set_bytes, bytes,
            elements * point->flops_per_element, point->flops_per_element);
    fprintf(out,
            "\"counter\":{\"laps\":1,\"value\":%.0f,\"accum\":%.0f,\"repr_data\":%.9g,"
            "\"units\":\"sec\"},\"device\":\"%s\",\"dtype\":\"double\",",
            time_s * 1e9, time_s * 1e9, time_s, gpu ? "gpu" : "cpu");
    fprintf(out,
            "\"exec-params\":{\"working_set_min\":0,\"memory_max\":0,\"nthreads\":%u,"
            "\"nrank\":0,\"nproc\":1,\"nstreams\":1,\"grid_size\":%u,\"block_size\":%u,"
            "\"shmem_size\":0}}",
            launch && !gpu ? launch->launch.threads : 1, launch && gpu ? launch->blocks : 0,
            launch && gpu ? launch->launch.threads : 0);
}

static enum ert_status write(const struct ert_ceilings *ceilings,
                             const struct rfl_points *points,
                             const struct rfl_export_options *options, FILE *out,
                             struct ert_error *error)
{
    struct rfl_export_device device;
    bool first = true;
    ERT_TRY(rfl_export_no_points(points, "timemory", error));
    ERT_TRY(
        rfl_export_pick(ceilings, options, RFL_EXPORT_FOR_ANY, "timemory", &device, error));
    if (strcmp(rfl_export_type(options), "fp64") != 0)
        return ert_fail(error, ERT_USAGE,
                        "timemory: --type %.16s: the mixed kernel's curve is of fp64",
                        options->type);
    if (!count(device.ceilings))
        return ert_fail(error, ERT_UNAVAILABLE,
                        "timemory: %s has no curve of the mixed kernel",
                        device.ceilings->device);
    fprintf(out,
            "{\"timemory\":{\"ranks\":[{\"rank\":0,\"roofline\":{\"entries\":%zu,\"ert\":[",
            count(device.ceilings));
    for (size_t i = 0; i < device.ceilings->n_curve; i++)
        if (is_mixed(&device.ceilings->curve[i])) {
            write_entry(out, &device, &device.ceilings->curve[i], first);
            first = false;
        }
    fputs("\n]}}]}}\n", out);
    return ERT_OK;
}

const struct rfl_exporter rfl_export_timemory = {
    "timemory", "timemory's empirical roofline JSON, of the mixed kernel", ".json", write};
