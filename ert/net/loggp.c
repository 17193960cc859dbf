/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/net/loggp.h"

#include <math.h>

enum { N = 3 }; /* 2 (L + 2 o), g, G */

/* The coefficients of the unknowns in T. */
static void terms_of(const struct ert_loggp_point *point, double terms[N])
{
    terms[0] = 1;
    terms[1] = point->messages - 1;
    terms[2] = point->messages * point->size_bytes;
}

/* Gauss-Jordan elimination with pivots; rows are [N][N + 1]. False if they are dependent. */
static bool solve(double rows[N][N + 1])
{
    for (int i = 0; i < N; i++) {
        int pivot = i;
        for (int r = i + 1; r < N; r++)
            if (fabs(rows[r][i]) > fabs(rows[pivot][i]))
                pivot = r;
        for (int c = 0; c <= N; c++) {
            double kept = rows[i][c];
            rows[i][c] = rows[pivot][c];
            rows[pivot][c] = kept;
        }
        if (!(fabs(rows[i][i]) > 1e-12))
            return false;
        for (int r = 0; r < N; r++) {
            double factor = r == i ? 0 : rows[r][i] / rows[i][i];
            for (int c = i; c <= N; c++)
                rows[r][c] -= factor * rows[i][c];
        }
    }
    return true;
}

double ert_loggp_time(const struct ert_loggp *loggp, double messages, double size_bytes)
{
    return 2 * (loggp->latency_s + 2 * loggp->overhead_s) + (messages - 1) * loggp->gap_s +
           messages * size_bytes * loggp->gap_per_byte_s;
}

bool ert_loggp_fit(const struct ert_loggp_point *points, size_t n, double overhead_s,
                   struct ert_loggp *loggp)
{
    double rows[N][N + 1] = {{0}}, scale[N] = {0}, sum = 0;
    for (int pass = 0; pass < 2; pass++) /* norms of the columns, then equations */
        for (size_t p = 0; p < n; p++) {
            double terms[N], weight = 1 / points[p].time_s;
            terms_of(&points[p], terms);
            for (int i = 0; i < N; i++) {
                double own = terms[i] * weight;
                if (pass == 0)
                    scale[i] += own * own;
                for (int j = 0; pass == 1 && j < N; j++)
                    rows[i][j] += own * terms[j] * weight / sqrt(scale[i] * scale[j]);
                if (pass == 1)
                    rows[i][N] += own / sqrt(scale[i]);
            }
        }
    if (n < N || !solve(rows))
        return false;
    double found[N];
    for (int i = 0; i < N; i++)
        found[i] = rows[i][N] / rows[i][i] / sqrt(scale[i]);
    *loggp = (struct ert_loggp){.latency_s = found[0] / 2 - 2 * overhead_s,
                                .overhead_s = overhead_s,
                                .gap_s = found[1],
                                .gap_per_byte_s = found[2]};
    for (size_t p = 0; p < n; p++) {
        double ratio = ert_loggp_time(loggp, points[p].messages, points[p].size_bytes) /
                       points[p].time_s;
        sum += (ratio - 1) * (ratio - 1);
    }
    loggp->error = sqrt(sum / (double)n);
    return true;
}
