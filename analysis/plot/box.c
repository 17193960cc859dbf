/* The geometry of layout.h: turned boxes and segments. */
#include "analysis/plot/layout.h"

#include <math.h>

/* Half the extent of a box along a direction. */
static double reach(const struct rfl_box *box, double dx, double dy)
{
    double c = cos(box->angle_rad), s = -sin(box->angle_rad); /* y points down */
    return box->half_width * fabs(dx * c + dy * s) +
           box->half_height * fabs(dy * c - dx * s);
}

/* Separating axes: boxes are apart when they are so along one direction of their sides. */
bool rfl_box_overlaps(const struct rfl_box *a, const struct rfl_box *b)
{
    const double angles[] = {a->angle_rad, a->angle_rad + acos(0), b->angle_rad,
                             b->angle_rad + acos(0)};
    for (size_t i = 0; i < 4; i++) {
        double dx = cos(angles[i]), dy = -sin(angles[i]);
        double distance = fabs((b->x - a->x) * dx + (b->y - a->y) * dy);
        if (distance >= reach(a, dx, dy) + reach(b, dx, dy) - 1e-9)
            return false;
    }
    return true;
}

/* Cuts the range [*from, *to] of a segment's parameter to where |start + t * step| <= half. */
static bool cut(double start, double step, double half, double *from, double *to)
{
    if (fabs(step) < 1e-12)
        return fabs(start) < half;
    double t0 = (-half - start) / step, t1 = (half - start) / step;
    *from = fmax(*from, fmin(t0, t1));
    *to = fmin(*to, fmax(t0, t1));
    return *from < *to;
}

bool rfl_box_is_crossed(const struct rfl_box *box, const struct rfl_segment *line)
{
    double c = cos(box->angle_rad), s = -sin(box->angle_rad);
    double x = line->x0 - box->x, y = line->y0 - box->y;
    double dx = line->x1 - line->x0, dy = line->y1 - line->y0;
    double from = 0, to = 1;
    return cut(x * c + y * s, dx * c + dy * s, box->half_width, &from, &to) &&
           cut(y * c - x * s, dy * c - dx * s, box->half_height, &from, &to);
}
