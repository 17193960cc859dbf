/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libroofline-messages: counts what an MPI program sends, using MPI's profiling interface (MPI 4.0, chapter
 * 15). Preloaded into the ranks (LD_PRELOAD), it writes RFL_MESSAGES/RANK-PID.tsv at MPI_Finalize: a row for
 * each call and message size (README.md has the columns and the rules for collectives).
 *
 * One binary works with every MPI. A handle is an int in MPICH and its derivatives, a pointer in Open MPI; in
 * the calling conventions of x86-64 (System V) and AArch64 both take one register or one stack slot of 8
 * bytes and are passed on unchanged. The constants that differ are in the table `kinds`. So mpi.h is not
 * included, and the library is built without MPI.
 *
 * Both PMPI_Send and MPI_Send are defined: Open MPI's Fortran bindings call one, MPICH's the other, after
 * converting handles to C's. Calls that MPI makes within a counted call are not counted again.
 */
#include <dlfcn.h>
#include <link.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(void *) == 8, "handles are passed on as 8 bytes");
typedef uintptr_t handle;

/* A handle from an MPI's mpi.h: the address of a variable, by name, or a number. */
struct constant {
    const char *variable;
    uint32_t number;
};

struct kind {
    struct constant world, byte, number, sum;
    uintptr_t in_place;
    int no_rank; /* MPI_PROC_NULL */
    unsigned handle_bytes;
};

/* mpi.h of Open MPI 4.1 and 5.0. */
static const struct kind open_mpi = {
    .world = {"ompi_mpi_comm_world", 0},
    .byte = {"ompi_mpi_byte",       0},
    .number = {"ompi_mpi_double",     0},
    .sum = {"ompi_mpi_op_sum",     0},
    .in_place = 1,
    .no_rank = -2,
    .handle_bytes = 8
};

/* mpi.h of MPICH 3.1 to 4.2; the same in the MPICH ABI Compatibility Initiative. */
static const struct kind mpich = {
    .world = {NULL, 0x44000000},
    .byte = {NULL, 0x4c00010d},
    .number = {NULL, 0x4c00080b},
    .sum = {NULL, 0x58000003},
    .in_place = UINTPTR_MAX,
    .no_rank = -1,
    .handle_bytes = 4
};

static const struct {
    const char *name; /* contained in MPI_Get_library_version */
    const struct kind *kind;
} kinds[] = {
    {"Open MPI",     &open_mpi},
    {"MPICH",        &mpich   },
    {"MVAPICH",      &mpich   },
    {"Intel(R) MPI", &mpich   },
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* ---- counts ---- */

enum { BUCKETS = 66 /* 0 bytes; then 2^(i - 1) to below 2^i */ };

struct bucket {
    double calls, messages, bytes, net_bytes, time_s;
};

struct call {
    const char *name;
    struct call *next;
    bool is_listed;
    struct bucket buckets[BUCKETS];
};

/* A call in progress. */
struct event {
    bool is_outer;
    double start_s, size_bytes; /* size of a message or of a collective's buffer */
    double messages, bytes, net_bytes;
};

/* The ranks of a communicator, stored as its attribute. */
struct group {
    int n, rank, n_local, n_hosts;
    bool is_inter;
    int *world; /* ranks in MPI_COMM_WORLD; negative if not in it */
};

/* Sums for each receiving rank, exchanged at the end. */
enum { TO_MESSAGES, TO_BYTES, TO_NET_BYTES, N_TO };

static struct state {
    bool is_on;
    const char *folder;
    const struct kind *kind;
    handle world, byte, number, sum;
    int rank, n, keyval;
    uint64_t *hosts; /* a hash of each rank's host */
    char host[256];
    double (*to)[N_TO]; /* of each rank */
    struct call *calls;
} state;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread unsigned depth;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- MPI's own functions ---- */

static int find_library(struct dl_phdr_info *info, size_t size, void *found)
{
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash ? slash + 1 : info->dlpi_name;
    (void)size;
    if (strncmp(name, "libmpi.so", 9) != 0 && strncmp(name, "libmpich.so", 11) != 0 &&
        strncmp(name, "libmpi_", 7) != 0)
        return 0;
    *(void **)found = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    return 1;
}

/* Searches the program's libraries, then those of a module that it loaded, as Python does with mpi4py. */
static void *find(const char *name)
{
    static void *library;
    void *symbol = dlsym(RTLD_NEXT, name);
    if (!symbol && !library)
        dl_iterate_phdr(find_library, &library);
    return symbol || !library ? symbol : dlsym(library, name);
}

static void find_function(const char *name, void *function)
{
    void *symbol = find(name);
    if (!symbol) {
        fprintf(stderr, "libroofline-messages: this MPI has no %s\n", name);
        abort();
    }
    memcpy(function, &symbol, sizeof symbol);
}

static struct {
    int (*comm_rank)(handle, int *);
    int (*comm_size)(handle, int *);
    int (*comm_group)(handle, handle *);
    int (*remote_group)(handle, handle *);
    int (*test_inter)(handle, int *);
    int (*group_size)(handle, int *);
    int (*translate)(handle, int, const int *, handle, int *);
    int (*group_free)(handle *);
    int (*create_keyval)(int (*)(handle, int, void *, void *, void *, int *),
                         int (*)(handle, int, void *, void *), int *, void *);
    int (*get_attr)(handle, int, void *, int *);
    int (*set_attr)(handle, int, void *);
    int (*type_size)(handle, int64_t *);
    int (*allgather)(const void *, int, handle, void *, int, handle, handle);
    int (*reduce_scatter)(const void *, void *, int, handle, handle, handle);
} mpi;

static void find_functions(void)
{
    const struct {
        const char *name;
        void *function;
    } rows[] = {
        {"PMPI_Comm_rank",             &mpi.comm_rank     },
        {"PMPI_Comm_size",             &mpi.comm_size     },
        {"PMPI_Comm_group",            &mpi.comm_group    },
        {"PMPI_Comm_remote_group",     &mpi.remote_group  },
        {"PMPI_Comm_test_inter",       &mpi.test_inter    },
        {"PMPI_Group_size",            &mpi.group_size    },
        {"PMPI_Group_translate_ranks", &mpi.translate     },
        {"PMPI_Group_free",            &mpi.group_free    },
        {"PMPI_Comm_create_keyval",    &mpi.create_keyval },
        {"PMPI_Comm_get_attr",         &mpi.get_attr      },
        {"PMPI_Comm_set_attr",         &mpi.set_attr      },
        {"PMPI_Type_size_x",           &mpi.type_size     },
        {"PMPI_Allgather",             &mpi.allgather     },
        {"PMPI_Reduce_scatter_block",  &mpi.reduce_scatter},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        find_function(rows[i].name, rows[i].function);
}

/* The linker may copy a library's variable into the program; then all use that copy. */
static handle handle_of(const struct constant *constant)
{
    void *own = constant->variable ? dlsym(RTLD_DEFAULT, constant->variable) : NULL;
    return own                  ? (handle)own
           : constant->variable ? (handle)find(constant->variable)
                                : constant->number;
}

static const struct kind *find_kind(void)
{
    char version[8192] = ""; /* MPI_MAX_LIBRARY_VERSION_STRING of MPICH */
    int length = 0, (*get_version)(char *, int *);
    find_function("PMPI_Get_library_version", &get_version);
    get_version(version, &length);
    for (size_t i = 0; i < N_KINDS; i++)
        if (strstr(version, kinds[i].name))
            return kinds[i].kind;
    return NULL;
}

/* Reads a handle from the program's memory. */
static handle read_handle(const void *at)
{
    handle value = 0;
    memcpy(&value, at, state.kind->handle_bytes);
    return value;
}

static bool is_in_place(const void *buffer)
{
    return (uintptr_t)buffer == state.kind->in_place;
}

static double type_bytes(double count, handle type)
{
    int64_t size = 0;
    mpi.type_size(type, &size);
    return count * (double)size;
}

/* ---- communicators ---- */

static int do_not_copy(handle comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval, (void)extra, (void)in, (void)out;
    *flag = 0;
    return 0;
}

static int forget(handle comm, int keyval, void *value, void *extra)
{
    struct group *group = value;
    (void)comm, (void)keyval, (void)extra;
    free(group->world);
    free(group);
    return 0;
}

static bool is_local(int world_rank)
{
    return world_rank >= 0 && world_rank < state.n &&
           state.hosts[world_rank] == state.hosts[state.rank];
}

static int by_value(const void *a, const void *b)
{
    const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

static void count_hosts(struct group *group)
{
    uint64_t *hosts = calloc((size_t)group->n + 1, sizeof *hosts);
    for (int i = 0; i < group->n && hosts; i++) {
        hosts[i] = group->world[i] < 0 ? 0 : state.hosts[group->world[i]];
        group->n_local += is_local(group->world[i]);
    }
    if (hosts)
        qsort(hosts, (size_t)group->n, sizeof *hosts, by_value);
    for (int i = 0; i < group->n && hosts; i++)
        group->n_hosts += i == 0 || hosts[i] != hosts[i - 1];
    free(hosts);
}

static struct group *make_group(handle comm)
{
    struct group *group = calloc(1, sizeof *group);
    handle own = 0, world = 0;
    int inter = 0;
    mpi.test_inter(comm, &inter);
    (inter ? mpi.remote_group : mpi.comm_group)(comm, &own);
    mpi.comm_group(state.world, &world);
    mpi.group_size(own, &group->n);
    mpi.comm_rank(comm, &group->rank);
    group->is_inter = inter;
    group->world = calloc((size_t)group->n + 1, sizeof *group->world);
    int *ranks = calloc((size_t)group->n + 1, sizeof *ranks);
    for (int i = 0; i < group->n; i++)
        ranks[i] = i;
    mpi.translate(own, group->n, ranks, world, group->world);
    free(ranks);
    mpi.group_free(&own);
    mpi.group_free(&world);
    count_hosts(group);
    return group;
}

static const struct group *group_of(handle comm)
{
    struct group *group = NULL;
    int has = 0;
    mpi.get_attr(comm, state.keyval, &group, &has);
    if (!has) {
        group = make_group(comm);
        mpi.set_attr(comm, state.keyval, group);
    }
    return group;
}

/* ---- rules ---- */

static void send_one(struct event *event, double bytes, int to, handle comm)
{
    if (to == state.kind->no_rank)
        return;
    const struct group *group = group_of(comm);
    int rank = to >= 0 && to < group->n ? group->world[to] : -1;
    double net_bytes = is_local(rank) ? 0 : bytes;
    event->messages++;
    event->size_bytes = bytes;
    event->bytes += bytes;
    event->net_bytes += net_bytes;
    if (rank < 0 || rank >= state.n)
        return;
    pthread_mutex_lock(&lock);
    state.to[rank][TO_MESSAGES]++;
    state.to[rank][TO_BYTES] += bytes;
    state.to[rank][TO_NET_BYTES] += net_bytes;
    pthread_mutex_unlock(&lock);
}

static void sends(struct event *event, int count, handle type, int to, handle comm)
{
    send_one(event, type_bytes(count, type), to, comm);
}

/*
 * Adds a collective in which each of N participants sends factor x (N - 1) / N (without `shares`: factor) of
 * a buffer, the least of any algorithm, as NVIDIA's nccl-tests count (doc/PERFORMANCE.md). N is the number of
 * ranks; for bytes that leave a host that of hosts, whose ranks share them.
 */
static void add_shared(struct event *event, double buffer_bytes, double factor, bool shares,
                       const struct group *group)
{
    const double n = group->n, hosts = group->n_hosts;
    event->size_bytes = buffer_bytes;
    if (group->is_inter || n < 2)
        return;
    event->bytes += factor * buffer_bytes * (shares ? (n - 1) / n : 1);
    if (hosts > 1)
        event->net_bytes +=
            factor * buffer_bytes * (shares ? (hosts - 1) / hosts : 1) / group->n_local;
}

/* Adds bytes that go only to the group's i-th rank. */
static void add_for(struct event *event, double bytes, int i, const struct group *group)
{
    if (group->is_inter || i == group->rank)
        return;
    event->bytes += bytes;
    event->net_bytes += is_local(group->world[i]) ? 0 : bytes;
}

static void allreduce(struct event *event, int count, handle type, handle comm)
{
    add_shared(event, type_bytes(count, type), 2, true, group_of(comm));
}

static void scan(struct event *event, int count, handle type, handle comm)
{
    add_shared(event, type_bytes(count, type), 1, false, group_of(comm));
}

/* counts NULL: each rank has `count`. */
static double sum_of(const int *counts, int count, const struct group *group)
{
    double sum = 0;
    for (int i = 0; i < group->n && !group->is_inter; i++)
        sum += counts ? counts[i] : count;
    return sum;
}

static void all_parts(struct event *event, const int *counts, int count, handle type,
                      handle comm)
{
    const struct group *group = group_of(comm);
    add_shared(event, type_bytes(sum_of(counts, count, group), type), 1, true, group);
}

/* The root sends the buffer once; its bytes leave the host if there are other hosts. */
static void broadcast(struct event *event, int count, handle type, int root, handle comm)
{
    const struct group *group = group_of(comm);
    event->size_bytes = type_bytes(count, type);
    if (group->is_inter || root != group->rank || group->n < 2)
        return;
    event->bytes += event->size_bytes;
    event->net_bytes += group->n_hosts > 1 ? event->size_bytes : 0;
}

/* Each rank but the root sends its buffer; a host combines those of its ranks before they leave it. */
static void reduce(struct event *event, int count, handle type, int root, handle comm)
{
    const struct group *group = group_of(comm);
    event->size_bytes = type_bytes(count, type);
    if (group->is_inter || root == group->rank)
        return;
    event->bytes += event->size_bytes;
    if (!is_local(group->world[root]))
        event->net_bytes += event->size_bytes / group->n_local;
}

static void gather(struct event *event, const void *buffer, int count, handle type,
                   int root, handle comm)
{
    const struct group *group = group_of(comm);
    if (is_in_place(buffer) || group->is_inter)
        return;
    event->size_bytes = type_bytes(count, type);
    add_for(event, event->size_bytes, root, group);
}

static void scatter(struct event *event, const int *counts, int count, handle type,
                    int root, handle comm)
{
    const struct group *group = group_of(comm);
    if (group->is_inter || root != group->rank)
        return;
    event->size_bytes = type_bytes(sum_of(counts, count, group), type);
    for (int i = 0; i < group->n; i++)
        add_for(event, type_bytes(counts ? counts[i] : count, type), i, group);
}

static void all_to_all(struct event *event, const int *counts, int count, handle type,
                       handle comm)
{
    const struct group *group = group_of(comm);
    event->size_bytes = type_bytes(sum_of(counts, count, group), type);
    for (int i = 0; i < group->n; i++)
        add_for(event, type_bytes(counts ? counts[i] : count, type), i, group);
}

/* ---- persistent requests, which MPI_Start sends ---- */

static struct persistent {
    struct persistent *next;
    handle request, comm;
    int to;
    double bytes;
} * persistents;

static void keep_request(int code, const void *request, int count, handle type, int to,
                         handle comm)
{
    struct persistent *kept = calloc(1, sizeof *kept);
    if (code != 0 || !kept) {
        free(kept);
        return;
    }
    *kept =
        (struct persistent){NULL, read_handle(request), comm, to, type_bytes(count, type)};
    pthread_mutex_lock(&lock);
    kept->next = persistents;
    persistents = kept;
    pthread_mutex_unlock(&lock);
}

static void start_request(struct event *event, const void *request)
{
    const handle wanted = read_handle(request);
    pthread_mutex_lock(&lock);
    struct persistent *kept = persistents;
    while (kept && kept->request != wanted)
        kept = kept->next;
    pthread_mutex_unlock(&lock);
    if (kept)
        send_one(event, kept->bytes, kept->to, kept->comm);
}

static void free_request(const void *request)
{
    const handle wanted = read_handle(request);
    pthread_mutex_lock(&lock);
    struct persistent **at = &persistents;
    while (*at && (*at)->request != wanted)
        at = &(*at)->next;
    struct persistent *kept = *at;
    if (kept)
        *at = kept->next;
    pthread_mutex_unlock(&lock);
    free(kept);
}

/* ---- the beginning and the end ---- */

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 14695981039346656037U; /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211U;
    return hash;
}

/* Names hosts as ert-net does: RFL_RANKS_PER_HOST ranks represent one, for tests on one machine. */
static void name_host(void)
{
    const char *per_host = getenv("RFL_RANKS_PER_HOST"), *slurm = getenv("SLURMD_NODENAME");
    int n = per_host ? atoi(per_host) : 0;
    if (n > 0)
        snprintf(state.host, sizeof state.host, "n%d", state.rank / n + 1);
    else if (slurm && *slurm)
        snprintf(state.host, sizeof state.host, "%s", slurm);
    else if (gethostname(state.host, sizeof state.host - 1) == 0)
        state.host[strcspn(state.host, ".")] = '\0';
    state.host[strcspn(state.host, "\t\n")] = '\0';
}

static void begin_all(void)
{
    state.folder = getenv("RFL_MESSAGES");
    if (!state.folder || state.is_on)
        return;
    state.kind = find_kind();
    if (!state.kind) {
        fprintf(stderr, "libroofline-messages: neither Open MPI nor of MPICH's ABI: "
                        "messages are not counted\n");
        return;
    }
    find_functions();
    state.world = handle_of(&state.kind->world);
    state.byte = handle_of(&state.kind->byte);
    state.number = handle_of(&state.kind->number);
    state.sum = handle_of(&state.kind->sum);
    mpi.comm_rank(state.world, &state.rank);
    mpi.comm_size(state.world, &state.n);
    name_host();
    const uint64_t own = hash_of(state.host);
    state.hosts = calloc((size_t)state.n, sizeof *state.hosts);
    state.to = calloc((size_t)state.n, sizeof *state.to);
    depth++;
    mpi.allgather(&own, sizeof own, state.byte, state.hosts, sizeof own, state.byte,
                  state.world);
    mpi.create_keyval(do_not_copy, forget, &state.keyval, NULL);
    depth--;
    state.is_on = state.hosts && state.to;
}

static void write_row(FILE *out, const char *call, double size_bytes,
                      const struct bucket *bucket)
{
    fprintf(out, "%d\t%s\t%d\t%s\t%.0f\t%.0f\t%.0f\t%.17g\t%.17g\t%.9f\n", state.rank,
            state.host, state.n, call, size_bytes, bucket->calls, bucket->messages,
            bucket->bytes, bucket->net_bytes, bucket->time_s);
}

static void write_all(const struct bucket *received)
{
    char file[4096], whole[4096];
    snprintf(whole, sizeof whole, "%s/%d-%ld.tsv", state.folder, state.rank,
             (long)getpid());
    snprintf(file, sizeof file, "%s/.%d-%ld.new", state.folder, state.rank, (long)getpid());
    FILE *out = fopen(file, "we");
    if (out) {
        fprintf(out, "rank\thost\tranks\tcall\tsize_bytes\tcalls\tmessages\tbytes\t"
                     "net_bytes\tseconds\n");
        for (const struct call *call = state.calls; call; call = call->next)
            for (int i = 0; i < BUCKETS; i++)
                if (call->buckets[i].calls > 0)
                    write_row(out, call->name, i ? ldexp(1, i - 1) : 0, &call->buckets[i]);
        write_row(out, "received", 0, received);
    }
    if (!out || ferror(out) | fclose(out) || rename(file, whole) != 0)
        fprintf(stderr, "libroofline-messages: cannot write %s\n", whole);
}

/* Sums up what the others sent to each rank: every message has been received by now. */
static void end_all(void)
{
    double sums[N_TO] = {0};
    if (!state.is_on)
        return;
    state.is_on = false;
    mpi.reduce_scatter(state.to, sums, N_TO, state.number, state.sum, state.world);
    write_all(&(struct bucket){.messages = sums[TO_MESSAGES],
                               .bytes = sums[TO_BYTES],
                               .net_bytes = sums[TO_NET_BYTES]});
}

/* ---- the calls ---- */

static void begin(struct event *event)
{
    *event = (struct event){.is_outer = state.is_on && depth == 0};
    depth++;
    if (event->is_outer)
        event->start_s = now_s();
}

static void end(struct call *call, const struct event *event)
{
    depth--;
    if (!event->is_outer)
        return;
    int i = event->size_bytes < 1 ? 0 : ilogb(event->size_bytes) + 1;
    struct bucket *bucket = &call->buckets[i < BUCKETS ? i : BUCKETS - 1];
    const double time_s = now_s() - event->start_s;
    pthread_mutex_lock(&lock);
    if (!call->is_listed) {
        call->is_listed = true;
        call->next = state.calls;
        state.calls = call;
    }
    bucket->calls++;
    bucket->messages += event->messages;
    bucket->bytes += event->bytes;
    bucket->net_bytes += event->net_bytes;
    bucket->time_s += time_s;
    pthread_mutex_unlock(&lock);
}

#pragma GCC visibility push(default)

/*
 * Defines an MPI function that counts its calls: `before` adds to `event` what it sends, `after` can use
 * `code`. With GNU C's alias both names are one function.
 */
#define WRAP(function, parameters, arguments, before, after)                               \
    int PMPI_##function parameters;                                                        \
    int PMPI_##function parameters                                                         \
    {                                                                                      \
        static int(*real) parameters;                                                      \
        static struct call call = {.name = "MPI_" #function};                              \
        struct event event;                                                                \
        if (!real)                                                                         \
            find_function("PMPI_" #function, &real);                                       \
        begin(&event);                                                                     \
        if (event.is_outer) {                                                              \
            before;                                                                        \
        }                                                                                  \
        int code = real arguments;                                                         \
        if (event.is_outer) {                                                              \
            after;                                                                         \
        }                                                                                  \
        end(&call, &event);                                                                \
        return code;                                                                       \
    }                                                                                      \
    int MPI_##function parameters __attribute__((alias("PMPI_" #function)));

#define NOTHING (void)0

#define SEND(function)                                                                     \
    WRAP(function, (const void *data, int n, handle type, int to, int tag, handle comm),   \
         (data, n, type, to, tag, comm), sends(&event, n, type, to, comm), NOTHING)
#define START_SEND(function)                                                               \
    WRAP(function,                                                                         \
         (const void *data, int n, handle type, int to, int tag, handle comm, void *r),    \
         (data, n, type, to, tag, comm, r), sends(&event, n, type, to, comm), NOTHING)
#define SEND_INIT(function)                                                                \
    WRAP(function,                                                                         \
         (const void *data, int n, handle type, int to, int tag, handle comm, void *r),    \
         (data, n, type, to, tag, comm, r), NOTHING,                                       \
         keep_request(code, r, n, type, to, comm))
SEND(Send)
SEND(Bsend)
SEND(Ssend)
SEND(Rsend)
START_SEND(Isend)
START_SEND(Ibsend)
START_SEND(Issend)
START_SEND(Irsend)
SEND_INIT(Send_init)
SEND_INIT(Bsend_init)
SEND_INIT(Ssend_init)
SEND_INIT(Rsend_init)
WRAP(Start, (void *r), (r), start_request(&event, r), NOTHING)
WRAP(Startall, (int n, void *r), (n, r),
     for (int i = 0; i < n; i++)
         start_request(&event, (char *)r + (unsigned)i * state.kind->handle_bytes),
     NOTHING)
WRAP(Request_free, (void *r), (r), free_request(r), NOTHING)
WRAP(Sendrecv,
     (const void *data, int n, handle type, int to, int tag, void *in, int m,
      handle in_type, int from, int in_tag, handle comm, void *status),
     (data, n, type, to, tag, in, m, in_type, from, in_tag, comm, status),
     sends(&event, n, type, to, comm), NOTHING)
WRAP(Sendrecv_replace,
     (void *data, int n, handle type, int to, int tag, int from, int in_tag, handle comm,
      void *status),
     (data, n, type, to, tag, from, in_tag, comm, status), sends(&event, n, type, to, comm),
     NOTHING)

/* Only their time is counted. */
WRAP(Recv, (void *data, int n, handle type, int from, int tag, handle comm, void *status),
     (data, n, type, from, tag, comm, status), NOTHING, NOTHING)
WRAP(Irecv, (void *data, int n, handle type, int from, int tag, handle comm, void *r),
     (data, n, type, from, tag, comm, r), NOTHING, NOTHING)
WRAP(Probe, (int from, int tag, handle comm, void *status), (from, tag, comm, status),
     NOTHING, NOTHING)
WRAP(Wait, (void *r, void *status), (r, status), NOTHING, NOTHING)
WRAP(Waitall, (int n, void *r, void *status), (n, r, status), NOTHING, NOTHING)
WRAP(Waitany, (int n, void *r, int *i, void *status), (n, r, i, status), NOTHING, NOTHING)
WRAP(Waitsome, (int n, void *r, int *m, int *i, void *status), (n, r, m, i, status),
     NOTHING, NOTHING)
WRAP(Test, (void *r, int *flag, void *status), (r, flag, status), NOTHING, NOTHING)
WRAP(Testall, (int n, void *r, int *flag, void *status), (n, r, flag, status), NOTHING,
     NOTHING)
WRAP(Testany, (int n, void *r, int *i, int *flag, void *status), (n, r, i, flag, status),
     NOTHING, NOTHING)
WRAP(Testsome, (int n, void *r, int *m, int *i, void *status), (n, r, m, i, status),
     NOTHING, NOTHING)
WRAP(Barrier, (handle comm), (comm), NOTHING, NOTHING)
WRAP(Ibarrier, (handle comm, void *r), (comm, r), NOTHING, NOTHING)

/* A blocking collective and its nonblocking variant. */
#define LIST(...) __VA_ARGS__
#define COLLECTIVE(function, start, parameters, arguments, before)                         \
    WRAP(function, (parameters), (arguments), before, NOTHING)                             \
    WRAP(start, (parameters, void *r), (arguments, r), before, NOTHING)
COLLECTIVE(Bcast, Ibcast, LIST(void *data, int n, handle type, int root, handle comm),
           LIST(data, n, type, root, comm), broadcast(&event, n, type, root, comm))
COLLECTIVE(Reduce, Ireduce,
           LIST(const void *data, void *in, int n, handle type, handle op, int root,
                handle comm),
           LIST(data, in, n, type, op, root, comm), reduce(&event, n, type, root, comm))
COLLECTIVE(Allreduce, Iallreduce,
           LIST(const void *data, void *in, int n, handle type, handle op, handle comm),
           LIST(data, in, n, type, op, comm), allreduce(&event, n, type, comm))
COLLECTIVE(Scan, Iscan,
           LIST(const void *data, void *in, int n, handle type, handle op, handle comm),
           LIST(data, in, n, type, op, comm), scan(&event, n, type, comm))
COLLECTIVE(Exscan, Iexscan,
           LIST(const void *data, void *in, int n, handle type, handle op, handle comm),
           LIST(data, in, n, type, op, comm), scan(&event, n, type, comm))
COLLECTIVE(Gather, Igather,
           LIST(const void *data, int n, handle type, void *in, int m, handle in_type,
                int root, handle comm),
           LIST(data, n, type, in, m, in_type, root, comm),
           gather(&event, data, n, type, root, comm))
COLLECTIVE(Gatherv, Igatherv,
           LIST(const void *data, int n, handle type, void *in, const int *m,
                const int *places, handle in_type, int root, handle comm),
           LIST(data, n, type, in, m, places, in_type, root, comm),
           gather(&event, data, n, type, root, comm))
COLLECTIVE(Scatter, Iscatter,
           LIST(const void *data, int n, handle type, void *in, int m, handle in_type,
                int root, handle comm),
           LIST(data, n, type, in, m, in_type, root, comm),
           scatter(&event, NULL, n, type, root, comm))
COLLECTIVE(Scatterv, Iscatterv,
           LIST(const void *data, const int *n, const int *places, handle type, void *in,
                int m, handle in_type, int root, handle comm),
           LIST(data, n, places, type, in, m, in_type, root, comm),
           scatter(&event, n, 0, type, root, comm))
COLLECTIVE(Allgather, Iallgather,
           LIST(const void *data, int n, handle type, void *in, int m, handle in_type,
                handle comm),
           LIST(data, n, type, in, m, in_type, comm),
           all_parts(&event, NULL, m, in_type, comm))
COLLECTIVE(Allgatherv, Iallgatherv,
           LIST(const void *data, int n, handle type, void *in, const int *m,
                const int *places, handle in_type, handle comm),
           LIST(data, n, type, in, m, places, in_type, comm),
           all_parts(&event, m, 0, in_type, comm))
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
           LIST(const void *data, void *in, int n, handle type, handle op, handle comm),
           LIST(data, in, n, type, op, comm), all_parts(&event, NULL, n, type, comm))
COLLECTIVE(Reduce_scatter, Ireduce_scatter,
           LIST(const void *data, void *in, const int *n, handle type, handle op,
                handle comm),
           LIST(data, in, n, type, op, comm), all_parts(&event, n, 0, type, comm))
/* Counts what is received: with MPI_IN_PLACE a rank sends as much, and `n` is ignored. */
COLLECTIVE(Alltoall, Ialltoall,
           LIST(const void *data, int n, handle type, void *in, int m, handle in_type,
                handle comm),
           LIST(data, n, type, in, m, in_type, comm),
           all_to_all(&event, NULL, m, in_type, comm))
COLLECTIVE(Alltoallv, Ialltoallv,
           LIST(const void *data, const int *n, const int *places, handle type, void *in,
                const int *m, const int *in_places, handle in_type, handle comm),
           LIST(data, n, places, type, in, m, in_places, in_type, comm),
           is_in_place(data) ? all_to_all(&event, m, 0, in_type, comm)
                             : all_to_all(&event, n, 0, type, comm))

/* ---- the beginning and the end of MPI ---- */

#define BEGIN_WITH(function, parameters, arguments)                                        \
    int PMPI_##function parameters;                                                        \
    int PMPI_##function parameters                                                         \
    {                                                                                      \
        int(*real) parameters;                                                             \
        find_function("PMPI_" #function, &real);                                           \
        depth++;                                                                           \
        int code = real arguments;                                                         \
        depth--;                                                                           \
        if (code == 0 && depth == 0)                                                       \
            begin_all();                                                                   \
        return code;                                                                       \
    }                                                                                      \
    int MPI_##function parameters __attribute__((alias("PMPI_" #function)));
BEGIN_WITH(Init, (int *argc, char ***argv), (argc, argv))
BEGIN_WITH(Init_thread, (int *argc, char ***argv, int wanted, int *given),
           (argc, argv, wanted, given))

#define END_WITH(function, parameters, arguments)                                          \
    int PMPI_##function parameters;                                                        \
    int PMPI_##function parameters                                                         \
    {                                                                                      \
        int(*real) parameters;                                                             \
        find_function("PMPI_" #function, &real);                                           \
        end_all();                                                                         \
        return real arguments;                                                             \
    }                                                                                      \
    int MPI_##function parameters __attribute__((alias("PMPI_" #function)));
END_WITH(Finalize, (void), ())

#pragma GCC visibility pop
