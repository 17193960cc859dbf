/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/machine/presence.h"

#include "ert/core/base/error.h"

#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A name in the abstract namespace begins with a NUL, and its length is significant. */
static socklen_t presence_name_of(const char *device, int slot, struct sockaddr_un *name)
{
    *name = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length = snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "ert-run %.80s %d",
                          device, slot);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

static int open_socket(void)
{
    return socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/* Records the process at the other end of a connection, once, and closes the connection. */
static void note(struct ert_presence *presence, int connection)
{
    struct ucred who = {0};
    socklen_t size = sizeof who;
    size_t i = 0;
    if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0) {
        while (i < presence->n && presence->pids[i] != who.pid)
            i++;
        if (i == presence->n && i < ERT_PRESENCE_MOST) {
            presence->pids[i] = who.pid;
            presence->users[i] = (int)who.uid;
            presence->n++;
        }
    }
    close(connection);
}

void ert_presence_begin(const char *device, struct ert_presence *presence)
{
    struct sockaddr_un name;
    int own = -1;
    *presence = (struct ert_presence){.listener = open_socket()};
    for (int slot = 0; slot < ERT_PRESENCE_MOST && own < 0; slot++) {
        socklen_t length = presence_name_of(device, slot, &name);
        if (bind(presence->listener, (struct sockaddr *)&name, length) == 0 &&
            listen(presence->listener, SOMAXCONN) == 0)
            own = slot;
    }
    /* Of two runs that listen before they connect, at least the later one sees the other. */
    for (int slot = 0; slot < ERT_PRESENCE_MOST; slot++) {
        socklen_t length = presence_name_of(device, slot, &name);
        int caller = slot == own ? -1 : open_socket();
        if (caller >= 0 && connect(caller, (struct sockaddr *)&name, length) == 0)
            note(presence, caller);
        else if (caller >= 0)
            close(caller);
    }
}

void ert_presence_end(struct ert_presence *presence, char *others, size_t size)
{
    int caller;
    while (presence->listener >= 0 &&
           (caller = accept(presence->listener, NULL, NULL)) >= 0)
        note(presence, caller);
    if (presence->listener >= 0)
        close(presence->listener);
    others[0] = '\0';
    for (size_t i = 0; i < presence->n; i++) {
        char who[64] = "one in another container";
        if (presence->pids[i] > 0)
            snprintf(who, sizeof who, "pid %d (user %d)", presence->pids[i],
                     presence->users[i]);
        ert_list_add(others, size, who);
    }
}
