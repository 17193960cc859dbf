/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The three kernels of XGC1's electron push as the mini-app ToyPush has them (Koskela, NERSC;
 * tkoskela/toypush), each as one writes it first and as its tuning left it:
 *
 * search       in which triangle of the mesh a particle is: barycentric coordinates of one triangle after the
 *              other until the least of the three is positive. Before: a loop with an exit for each
 *              particle. After: one triangle for a block of particles, the exit once all are found.
 * interpolate  the electric field there, from the triangle's three nodes. Before: a particle is a struct, its
 *              triangle is looked up with indices. After: arrays, and runs of particles in one triangle,
 *              whose data are then constants of a loop that is vectorized.
 * force        the guiding-centre equations of motion (Chang et al., Physics of Plasmas 16, 056108 (2009),
 *              eq. 1). Before: structs. After: arrays and vectors; the operations are the same.
 *
 * Every thread has its own block of n particles and passes over it a thousand times, as ToyPush does with
 * its time steps: the default stays in L1. Neighbours are in the same triangle, 32 at a time, for XGC1 sorts
 * its particles.
 */
#include "examples/example.h"

#include "ert/core/base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Squares along a side of the mesh, each of two triangles; R in [1, 3], z in [-1, 1]. */
enum {
    SQUARES = 4,
    TRIANGLES = 2 * SQUARES * SQUARES,
    NODES = (SQUARES + 1) * (SQUARES + 1)
};
enum { BLOCK = 64 };    /* particles that are searched together */
enum { RUN = 32 };      /* neighbours in one triangle */
enum { PASSES = 1000 }; /* of a call over the block */

struct triangle {
    double m
        [4]; /* from (R, z) - corner to the first two coordinates: [0] dR + [1] dz, [2] dR + [3] dz */
    double corner[2]; /* of the third node */
    int nodes[3];
};

struct mesh {
    struct triangle triangles[TRIANGLES];
    double field[NODES][3]; /* E at the nodes: R, phi, z */
};

/*
 * What a particle is, as arrays: "after". 4 phase coordinates, 3 of E, 3 of B, the 6 derivatives of B that
 * are not 0.
 */
struct arrays {
    double *r, *z, *rho, *mu;
    double *e[3], *b[3], *db[6];
    double *dot[4]; /* the result: of R, phi, z, rho */
    int *triangle;
};

/* And as a struct: "before". */
struct particle {
    double r, z, rho, mu;
    double e[3], b[3], db[6];
    double dot[4];
    int triangle;
};

enum { N_DOUBLES = 4 + 3 + 3 + 6 + 4 };

struct store {
    struct particle *particles;
    double *memory;
    struct arrays arrays;
    int *planted; /* the triangle of each particle */
};

struct push {
    size_t n, threads;
    struct mesh mesh;
    struct store *stores; /* one per thread */
};

enum {
    DR_R,
    DZ_R,
    DR_PHI,
    DZ_PHI,
    DR_Z,
    DZ_Z
}; /* db: derivative by R or z of the component */

static const double PER_MASS = 0.5, EPSILON = 1e-8;

/* 10 flops: two differences, two products and a sum twice, two differences. */
static inline void coordinates(const struct triangle *t, double r, double z, double c[3])
{
    const double dr = r - t->corner[0], dz = z - t->corner[1];
    c[0] = t->m[0] * dr + t->m[1] * dz;
    c[1] = t->m[2] * dr + t->m[3] * dz;
    c[2] = 1 - c[0] - c[1];
}

/* Two minima, which hardware counts as operations. */
static inline double least_of(double a, double b, double c)
{
    const double least = a < b ? a : b;
    return least < c ? least : c;
}

static const double SEARCH_FLOPS = 12;

static void search_before(void *data, const struct example_step *step,
                          struct example_team team)
{
    const struct push *push = data;
    struct particle *particles = push->stores[team.thread].particles;
    (void)step;
    for (size_t i = 0; i < push->n; i++) {
        particles[i].triangle = -1;
        for (int t = 0; t < TRIANGLES; t++) {
            double c[3];
            coordinates(&push->mesh.triangles[t], particles[i].r, particles[i].z, c);
            if (least_of(c[0], c[1], c[2]) >= -EPSILON) {
                particles[i].triangle = t;
                break;
            }
        }
    }
}

/*
 * One triangle for n particles; the first one that holds a particle stays its own. Returns how many are
 * found.
 */
EXAMPLE_WIDEST static int search_triangle(const struct triangle *t, int number,
                                          const double *restrict r,
                                          const double *restrict z, int *restrict found,
                                          size_t n)
{
    int n_found = 0;
#pragma omp simd reduction(+ : n_found)
    for (size_t i = 0; i < n; i++) {
        const double dr = r[i] - t->corner[0], dz = z[i] - t->corner[1];
        const double c0 = t->m[0] * dr + t->m[1] * dz;
        const double c1 = t->m[2] * dr + t->m[3] * dz;
        const double c2 = 1 - c0 - c1;
        const int is_in = least_of(c0, c1, c2) >= -EPSILON;
        const int now = (found[i] < 0) & is_in ? number : found[i];
        n_found += now >= 0;
        found[i] = now;
    }
    return n_found;
}

static void search_after(void *data, const struct example_step *step,
                         struct example_team team)
{
    const struct push *push = data;
    const struct arrays *x = &push->stores[team.thread].arrays;
    (void)step;
    for (size_t first = 0; first < push->n; first += BLOCK) {
        const size_t n = push->n - first < BLOCK ? push->n - first : BLOCK;
        memset(x->triangle + first, 0xff, n * sizeof *x->triangle);
        for (int t = 0, n_found = 0; t < TRIANGLES && n_found < (int)n; t++)
            n_found = search_triangle(&push->mesh.triangles[t], t, x->r + first,
                                      x->z + first, x->triangle + first, n);
    }
}

/* 10 flops for the coordinates, 3 x 5 for the sums. */
static const double INTERPOLATE_FLOPS = 25;

static void interpolate_before(void *data, const struct example_step *step,
                               struct example_team team)
{
    const struct push *push = data;
    struct particle *particles = push->stores[team.thread].particles;
    (void)step;
    for (size_t i = 0; i < push->n; i++) {
        struct particle *p = &particles[i];
        const struct triangle *t = &push->mesh.triangles[p->triangle];
        double c[3];
        coordinates(t, p->r, p->z, c);
        for (int j = 0; j < 3; j++) {
            p->e[j] = push->mesh.field[t->nodes[0]][j] * c[0];
            for (int node = 1; node < 3; node++)
                p->e[j] += push->mesh.field[t->nodes[node]][j] * c[node];
        }
    }
}

EXAMPLE_WIDEST static void
interpolate_run(const struct triangle *t, const double (*field)[3],
                const double *restrict r, const double *restrict z, double *restrict er,
                double *restrict ephi, double *restrict ez, size_t n)
{
    const double *f0 = field[t->nodes[0]], *f1 = field[t->nodes[1]],
                 *f2 = field[t->nodes[2]];
    for (size_t i = 0; i < n; i++) {
        const double dr = r[i] - t->corner[0], dz = z[i] - t->corner[1];
        const double c0 = t->m[0] * dr + t->m[1] * dz;
        const double c1 = t->m[2] * dr + t->m[3] * dz;
        const double c2 = 1 - c0 - c1;
        er[i] = f0[0] * c0 + f1[0] * c1 + f2[0] * c2;
        ephi[i] = f0[1] * c0 + f1[1] * c1 + f2[1] * c2;
        ez[i] = f0[2] * c0 + f1[2] * c1 + f2[2] * c2;
    }
}

static void interpolate_after(void *data, const struct example_step *step,
                              struct example_team team)
{
    const struct push *push = data;
    const struct arrays *x = &push->stores[team.thread].arrays;
    (void)step;
    for (size_t first = 0, end; first < push->n; first = end) {
        const int t = x->triangle[first];
        for (end = first + 1; end < push->n && x->triangle[end] == t;)
            end++;
        interpolate_run(&push->mesh.triangles[t], push->mesh.field, x->r + first,
                        x->z + first, x->e[0] + first, x->e[1] + first, x->e[2] + first,
                        end - first);
    }
}

/*
 * The equations for a charge of 1, with F = E - (mu + rho^2 |B| / m) grad |B| and C = curl B, all
 * derivatives by phi 0:
 *   D = 1 / (1 + rho B.C / B^2)
 *   (R, phi, z)' = D ((F x B) / B^2 + rho B / m + rho^2 C / m), of phi divided by R
 *   rho' = D (B.F + rho F.C) / B^2
 * One text for both forms, so that they do the same 82 operations, 4 divisions and a root among them.
 */
static const double FORCE_FLOPS = 82;

/*
 * A particle's place and fields; what its coordinates change by. By value: a compiler vectorizes no
 * addresses.
 */
struct local {
    double r, rho, mu, er, ep, ez, br, bp, bz;
    double br_by_r, br_by_z, bp_by_r, bp_by_z, bz_by_r, bz_by_z;
};
struct rates {
    double r, phi, z, rho;
};

static inline __attribute__((always_inline)) struct rates force(struct local x)
{
    const double b2 = x.br * x.br + x.bp * x.bp + x.bz * x.bz, b = sqrt(b2);    /* 6 */
    const double per_r = 1 / x.r, per_b = 1 / b, per_b2 = 1 / b2;               /* 3 */
    const double cr = -x.bp_by_z, cp = x.br_by_z - x.bz_by_r;                   /* 1 */
    const double cz = x.bp * per_r + x.bp_by_r;                                 /* 2 */
    const double b_curl = x.br * cr + x.bp * cp + x.bz * cz;                    /* 5 */
    const double d = 1 / (1 + x.rho * per_b2 * b_curl);                         /* 4 */
    const double rho_m = PER_MASS * x.rho, rho2_m = rho_m * x.rho;              /* 2 */
    const double weight = (x.mu + rho2_m * b) * per_b;                          /* 3 */
    const double by_r = x.br * x.br_by_r + x.bp * x.bp_by_r + x.bz * x.bz_by_r; /* 5 */
    const double by_z = x.br * x.br_by_z + x.bp * x.bp_by_z + x.bz * x.bz_by_z; /* 5 */
    const double fr = x.er - weight * by_r, fz = x.ez - weight * by_z;          /* 4 */
    const double b_f = x.br * fr + x.bp * x.ep + x.bz * fz;                     /* 5 */
    const double f_curl = fr * cr + x.ep * cp + fz * cz;                        /* 5 */
    return (struct rates){
        d * ((x.ep * x.bz - fz * x.bp) * per_b2 + rho_m * x.br + rho2_m * cr), /* 9 */
        d * ((fz * x.br - fr * x.bz) * per_b2 + rho_m * x.bp + rho2_m * cp) *
            per_r,                                                             /* 10 */
        d * ((fr * x.bp - x.ep * x.br) * per_b2 + rho_m * x.bz + rho2_m * cz), /* 9 */
        d * per_b2 * (b_f + x.rho * f_curl)};                                  /* 4 */
}

static void force_before(void *data, const struct example_step *step,
                         struct example_team team)
{
    const struct push *push = data;
    struct particle *particles = push->stores[team.thread].particles;
    (void)step;
    for (size_t i = 0; i < push->n; i++) {
        struct particle *p = &particles[i];
        const struct rates rates =
            force((struct local){p->r, p->rho, p->mu, p->e[0], p->e[1], p->e[2], p->b[0],
                                 p->b[1], p->b[2], p->db[DR_R], p->db[DZ_R], p->db[DR_PHI],
                                 p->db[DZ_PHI], p->db[DR_Z], p->db[DZ_Z]});
        p->dot[0] = rates.r;
        p->dot[1] = rates.phi;
        p->dot[2] = rates.z;
        p->dot[3] = rates.rho;
    }
}

EXAMPLE_WIDEST static void force_arrays(const struct arrays *x, size_t n)
{
    const double *r = x->r, *rho = x->rho, *mu = x->mu;
    const double *er = x->e[0], *ep = x->e[1], *ez = x->e[2];
    const double *br = x->b[0], *bp = x->b[1], *bz = x->b[2];
    const double *br_by_r = x->db[DR_R], *bp_by_r = x->db[DR_PHI], *bz_by_r = x->db[DR_Z];
    const double *br_by_z = x->db[DZ_R], *bp_by_z = x->db[DZ_PHI], *bz_by_z = x->db[DZ_Z];
    double *dr = x->dot[0], *dphi = x->dot[1], *dz = x->dot[2], *drho = x->dot[3];
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        const struct rates rates = force((struct local){
            r[i], rho[i], mu[i], er[i], ep[i], ez[i], br[i], bp[i], bz[i], br_by_r[i],
            br_by_z[i], bp_by_r[i], bp_by_z[i], bz_by_r[i], bz_by_z[i]});
        dr[i] = rates.r;
        dphi[i] = rates.phi;
        dz[i] = rates.z;
        drho[i] = rates.rho;
    }
}

static void force_after(void *data, const struct example_step *step,
                        struct example_team team)
{
    const struct push *push = data;
    (void)step;
    force_arrays(&push->stores[team.thread].arrays, push->n);
}

/* A kernel: how it is run, and what of a particle it writes. */
enum kind { SEARCH, INTERPOLATE, FORCE };
struct kernel {
    enum kind kind;
    bool is_after;
    void (*pass)(void *data, const struct example_step *step, struct example_team team);
};

static const struct kernel kernels[] = {
    {SEARCH,      false, search_before     },
    {SEARCH,      true,  search_after      },
    {INTERPOLATE, false, interpolate_before},
    {INTERPOLATE, true,  interpolate_after },
    {FORCE,       false, force_before      },
    {FORCE,       true,  force_after       },
};

static const struct kernel *kernel_of(const struct example_step *step)
{
    return &kernels[(size_t)step->parameter];
}

static void run(void *data, const struct example_step *step, struct example_team team)
{
    for (size_t i = 0; i < PASSES; i++)
        kernel_of(step)->pass(data, step, team);
}

static const struct example_step steps[] = {
    EXAMPLE_STEP("search-before", run, 0, true, "an exit for each particle"),
    EXAMPLE_STEP("search-after", run, 1, false,
                 "a triangle for 64 particles: more flops, vectors"),
    EXAMPLE_STEP("interpolate-before", run, 2, true, "structs, indices"),
    EXAMPLE_STEP("interpolate-after", run, 3, false,
                 "arrays, runs in one triangle: vectors"),
    EXAMPLE_STEP("force-before", run, 4, true, "structs"),
    EXAMPLE_STEP("force-after", run, 5, false, "arrays: vectors; the same operations"),
};

/* The field at the nodes is linear in R and z, so that interpolation gives it exactly everywhere. */
static double linear_field(size_t component, double r, double z)
{
    static const double coefficients[3][3] = {
        {1,   2,   -3},
        {0.5, -1,  2 },
        {-2,  1.5, 1 }
    };
    const double *c = coefficients[component];
    return c[0] + c[1] * r + c[2] * z;
}

static void node_place(int node, double *r, double *z)
{
    *r = 1 + 2.0 * (node % (SQUARES + 1)) / SQUARES;
    *z = -1 + 2.0 * (node / (SQUARES + 1)) / SQUARES;
}

/* The matrix from differences to coordinates: the inverse of the triangle's edges. */
static void make_triangle(struct triangle *t, int a, int b, int c)
{
    double r[3], z[3];
    const int nodes[3] = {a, b, c};
    memcpy(t->nodes, nodes, sizeof nodes);
    for (int i = 0; i < 3; i++)
        node_place(nodes[i], &r[i], &z[i]);
    const double det = (z[1] - z[2]) * (r[0] - r[2]) + (r[2] - r[1]) * (z[0] - z[2]);
    t->m[0] = (z[1] - z[2]) / det;
    t->m[1] = (r[2] - r[1]) / det;
    t->m[2] = (z[2] - z[0]) / det;
    t->m[3] = (r[0] - r[2]) / det;
    t->corner[0] = r[2];
    t->corner[1] = z[2];
}

static void make_mesh(struct mesh *mesh)
{
    for (int node = 0; node < NODES; node++) {
        double r, z;
        node_place(node, &r, &z);
        for (size_t j = 0; j < 3; j++)
            mesh->field[node][j] = linear_field(j, r, z);
    }
    for (int i = 0; i < SQUARES * SQUARES; i++) {
        const int low = i / SQUARES * (SQUARES + 1) + i % SQUARES, high = low + SQUARES + 1;
        make_triangle(&mesh->triangles[2 * i], low, low + 1, high);
        make_triangle(&mesh->triangles[2 * i + 1], low + 1, high + 1, high);
    }
}

/* A particle well inside its triangle, in a field with all derivatives; of a seed, so always the same. */
static struct particle make_particle(const struct mesh *mesh, int triangle, uint64_t index)
{
    const struct triangle *t = &mesh->triangles[triangle];
    struct particle p = {.triangle = triangle};
    double u[16], c[3], r, z;
    for (uint64_t i = 0; i < 16; i++)
        u[i] = 0.01 + 0.98 * ert_random_unit(2, 16 * index + i);
    const double sum = u[0] + u[1] + u[2];
    for (int i = 0; i < 3; i++) {
        c[i] = u[i] / sum;
        node_place(t->nodes[i], &r, &z);
        p.r += c[i] * r;
        p.z += c[i] * z;
    }
    p.rho = 0.1 * u[3];
    p.mu = u[4];
    for (size_t i = 0; i < 3; i++) {
        p.e[i] = linear_field(i, p.r, p.z);
        p.b[i] = u[5 + i];
    }
    for (size_t i = 0; i < 6; i++)
        p.db[i] = u[8 + i] - 0.5;
    return p;
}

static void copy_to_arrays(const struct arrays *x, size_t i, const struct particle *p)
{
    x->r[i] = p->r;
    x->z[i] = p->z;
    x->rho[i] = p->rho;
    x->mu[i] = p->mu;
    for (size_t j = 0; j < 3; j++) {
        x->e[j][i] = p->e[j];
        x->b[j][i] = p->b[j];
    }
    for (size_t j = 0; j < 6; j++)
        x->db[j][i] = p->db[j];
    for (size_t j = 0; j < 4; j++)
        x->dot[j][i] = p->dot[j];
    x->triangle[i] = p->triangle;
}

static void close_push(void *data)
{
    struct push *push = data;
    for (size_t i = 0; push->stores && i < push->threads; i++) {
        free(push->stores[i].particles);
        free(push->stores[i].memory);
        free(push->stores[i].arrays.triangle);
        free(push->stores[i].planted);
    }
    free(push->stores);
    free(push);
}

/* Arrays that begin at lines of their own. */
static void divide(struct arrays *x, double *memory, size_t n)
{
    double **const places[] = {&x->r,     &x->z,      &x->rho,    &x->mu,     &x->e[0],
                               &x->e[1],  &x->e[2],   &x->b[0],   &x->b[1],   &x->b[2],
                               &x->db[0], &x->db[1],  &x->db[2],  &x->db[3],  &x->db[4],
                               &x->db[5], &x->dot[0], &x->dot[1], &x->dot[2], &x->dot[3]};
    for (size_t i = 0; i < ERT_LENGTH(places); i++)
        *places[i] = memory + i * ((n + 7) / 8 * 8);
}

static bool open_store(struct store *store, const struct mesh *mesh, size_t n,
                       size_t thread)
{
    if (!(store->memory = example_doubles(N_DOUBLES * ((n + 7) / 8 * 8))) ||
        !(store->particles = calloc(n, sizeof *store->particles)) ||
        !(store->arrays.triangle = calloc(n, sizeof *store->arrays.triangle)) ||
        !(store->planted = calloc(n, sizeof *store->planted)))
        return false;
    divide(&store->arrays, store->memory, n);
    for (size_t i = 0; i < n; i++) {
        const uint64_t index = thread * n + i;
        store->planted[i] = (int)(ert_random_u64(3, index / RUN) % TRIANGLES);
        store->particles[i] = make_particle(mesh, store->planted[i], index);
        copy_to_arrays(&store->arrays, i, &store->particles[i]);
    }
    return true;
}

static enum ert_status open_push(size_t n, size_t threads, void **data,
                                 struct ert_error *error)
{
    struct push *push = calloc(1, sizeof *push);
    bool is_open = push && (push->stores = calloc(threads, sizeof *push->stores));
    if (push) {
        push->n = n;
        push->threads = threads;
        make_mesh(&push->mesh);
    }
    for (size_t i = 0; is_open && i < threads; i++)
        is_open = open_store(&push->stores[i], &push->mesh, n, i);
    if (!is_open) {
        if (push)
            close_push(push);
        return ert_fail(error, ERT_FAILED, "no memory for %zu particles a thread", n);
    }
    *data = push;
    return ERT_OK;
}

/* What the kernel writes is spoiled, what it reads is as it was made. */
static void spoil(void *data, const struct example_step *step)
{
    const struct push *push = data;
    const enum kind kind = kernel_of(step)->kind;
    for (size_t i = 0; i < push->threads * push->n; i++) {
        const struct store *store = &push->stores[i / push->n];
        const size_t at = i % push->n;
        struct particle p = make_particle(&push->mesh, store->planted[at], i);
        if (kind == SEARCH)
            p.triangle = -7;
        for (size_t j = 0; kind == INTERPOLATE && j < 3; j++)
            p.e[j] = NAN;
        for (size_t j = 0; kind == FORCE && j < 4; j++)
            p.dot[j] = NAN;
        store->particles[at] = p;
        copy_to_arrays(&store->arrays, at, &p);
    }
}

/* Triangles that a search tests: of each particle up to its own, or of each block up to its last one. */
static double count_tests(const struct push *push, bool is_after)
{
    double tests = 0;
    for (size_t thread = 0; thread < push->threads; thread++)
        for (size_t first = 0; first < push->n; first += BLOCK) {
            const size_t n = push->n - first < BLOCK ? push->n - first : BLOCK;
            const int *planted = push->stores[thread].planted + first;
            int last = 0;
            for (size_t i = 0; i < n; i++) {
                last = planted[i] > last ? planted[i] : last;
                tests += is_after ? 0 : planted[i] + 1;
            }
            tests += is_after ? (double)n * (last + 1) : 0;
        }
    return tests;
}

static struct example_work work(const void *data, const struct example_step *step)
{
    const struct push *push = data;
    const struct kernel *kernel = kernel_of(step);
    const double particles = PASSES * (double)(push->n * push->threads);
    switch (kernel->kind) {
    case SEARCH: /* R, z read, the index written */
        return (struct example_work){
            PASSES * SEARCH_FLOPS * count_tests(push, kernel->is_after), 20 * particles};
    case INTERPOLATE: /* R, z and the index read, E written */
        return (struct example_work){INTERPOLATE_FLOPS * particles, 44 * particles};
    case FORCE: /* 15 values read, 4 written */
        break;
    }
    return (struct example_work){FORCE_FLOPS * particles, 152 * particles};
}

static long double dot_product(const long double a[3], const long double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The equations as they stand above, vector by vector (R, phi, z), in long double. */
static void reference_force(const struct particle *p, long double dot[4])
{
    const long double b[3] = {p->b[0], p->b[1], p->b[2]}, r = p->r, rho = p->rho;
    const long double by_r[3] = {p->db[DR_R], p->db[DR_PHI], p->db[DR_Z]};
    const long double by_z[3] = {p->db[DZ_R], p->db[DZ_PHI], p->db[DZ_Z]};
    const long double curl[3] = {-by_z[1], by_z[0] - by_r[2], by_r[1] + b[1] / r};
    const long double size = sqrtl(dot_product(b, b));
    const long double moment = p->mu + rho * rho * PER_MASS * size;
    const long double f[3] = {p->e[0] - moment * dot_product(b, by_r) / size, p->e[1],
                              p->e[2] - moment * dot_product(b, by_z) / size};
    const long double d = 1 / (1 + rho * dot_product(b, curl) / (size * size));
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        dot[i] = d * ((f[j] * b[k] - f[k] * b[j]) / (size * size) +
                      PER_MASS * rho * (b[i] + rho * curl[i]));
    }
    dot[1] /= r;
    dot[3] = d / (size * size) * (dot_product(b, f) + rho * dot_product(f, curl));
}

/*
 * Roundings of 82 operations on numbers whose sums may cancel by a hundred: far above them, far below a
 * mistake.
 */
static bool is_near(double value, long double wanted)
{
    return fabsl(value - wanted) <= 1e-11L * (1 + fabsl(wanted));
}

static bool is_wrong(const struct particle *p, enum kind kind, int planted)
{
    bool is_right = true;
    long double dot[4];
    if (kind == SEARCH)
        return p->triangle != planted;
    for (size_t j = 0; j < 3; j++)
        is_right &= is_near(p->e[j], linear_field(j, p->r, p->z));
    if (kind == INTERPOLATE)
        return !is_right;
    reference_force(p, dot);
    for (size_t j = 0; j < 4; j++)
        is_right &= is_near(p->dot[j], dot[j]);
    return !is_right;
}

static size_t wrong(void *data, const struct example_step *step)
{
    const struct push *push = data;
    const struct kernel *kernel = kernel_of(step);
    size_t n_wrong = 0;
    for (size_t i = 0; i < push->threads * push->n; i++) {
        const struct store *store = &push->stores[i / push->n];
        const size_t at = i % push->n;
        const struct arrays *x = &store->arrays;
        struct particle p = store->particles[at];
        if (kernel->is_after) {
            p.triangle = x->triangle[at];
            for (size_t j = 0; j < 3; j++)
                p.e[j] = x->e[j][at];
            for (size_t j = 0; j < 4; j++)
                p.dot[j] = x->dot[j][at];
        }
        n_wrong += is_wrong(&p, kernel->kind, store->planted[at]);
    }
    return n_wrong;
}

int main(int argc, char **argv)
{
    static const struct example example = {
        .name = "toypush",
        .purpose =
            "Three kernels of XGC1's electron push, before and after they were tuned.",
        .n_is = "particles of each thread; default 128 (in L1; 4096: in L2)",
        .n = 128,
        .least = 1,
        .most = (size_t)1 << 30,
        .repeat = 5,
        .steps = steps,
        .n_steps = ERT_LENGTH(steps),
        .open = open_push,
        .close = close_push,
        .spoil = spoil,
        .work = work,
        .wrong = wrong,
    };
    return example_main(&example, argc, argv);
}
