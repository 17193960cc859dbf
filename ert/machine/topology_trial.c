#include "ert/machine/topology.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRIAL_OK = 0, TRIAL_REFUSED = 17, TRIAL_LIMIT_S = 20 };

/* The child: silent, without a core file, ended by a signal when it hangs. */
static void try_load(const char *file, ert_topology_configure *configure)
{
    const struct rlimit no_core = {0, 0};
    int null = open("/dev/null", O_WRONLY);
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    setrlimit(RLIMIT_CORE, &no_core);
    alarm(TRIAL_LIMIT_S);
    hwloc_topology_t hwloc;
    int failed = hwloc_topology_init(&hwloc) || configure(hwloc, file) ||
                 hwloc_topology_load(hwloc) ||
                 hwloc_get_nbobjs_by_type(hwloc, HWLOC_OBJ_PU) <= 0;
    _exit(failed ? TRIAL_REFUSED : TRIAL_OK);
}

enum ert_status ert_topology_try(const char *file, ert_topology_configure *configure,
                                 struct ert_error *error)
{
    int state = 0;
    pid_t ended, child = fork();
    if (child < 0)
        return ert_fail(error, ERT_FAILED,
                        "topology file %s: cannot be tried in a process: %s", file,
                        strerror(errno));
    if (child == 0)
        try_load(file, configure);
    do
        ended = waitpid(child, &state, 0);
    while (ended < 0 && errno == EINTR);
    /* Without a state (a caller that ignores SIGCHLD) there is no verdict, and none is needed. */
    if (ended < 0 || (WIFEXITED(state) && WEXITSTATUS(state) == TRIAL_OK))
        return ERT_OK;
    bool is_refused = WIFEXITED(state) && WEXITSTATUS(state) == TRIAL_REFUSED;
    return ert_fail(error, ERT_USAGE, "topology file %s: %s", file,
                    is_refused ? "not an hwloc XML topology, or damaged"
                               : "damaged: hwloc does not survive reading it");
}
