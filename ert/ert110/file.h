/*
 * ert110_file: the configuration files of LBNL's ERT 1.1.0 as a run of ours. What applies is honoured;
 * what does not is a remark with its reason. Files with a key of ERT's C++ sources (ERT_PRECISION,
 * ERT_WSS_MULT) get their kernel, all others that of its C sources (ert/backend/ert110.h).
 */
#ifndef ERT_ERT110_FILE_H
#define ERT_ERT110_FILE_H

#include "ert/sweep/config.h"

/*
 * Makes *config an ERT-compatible run (ert110_preset) as the file says. ERT_USAGE names file,
 * line, key, value and limit; ERT_UNAVAILABLE where it asks for HIP, OpenCL or SYCL.
 */
enum ert_status ert110_file_read(const char *name, struct ert_config *config,
                                 struct ert_error *error);

#endif
