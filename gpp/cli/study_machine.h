/*
 * study_machine: where, when and with which words a study was made.
 */
#ifndef GPP_CLI_STUDY_MACHINE_H
#define GPP_CLI_STUDY_MACHINE_H

#include "gpp/study/study.h"

/*
 * Fills host, operating system, tool, compiler, command and time, and of a CPU its name; a GPU's is known
 * to its engine. argv[0..argc): the words behind `ert-gpp study`. ERT_FAILED without memory.
 */
enum ert_status gpp_cli_describe(struct gpp_study *study, int argc, char **argv,
                                 struct ert_error *error);

#endif
