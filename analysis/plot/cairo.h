/*
 * cairo: the canvas that writes PNG and PDF through Cairo (cairographics.org), where it was found
 * when this was built. The same input gives the same bytes: no dates are written.
 */
#ifndef RFL_PLOT_CAIRO_H
#define RFL_PLOT_CAIRO_H

#include "ert/base/error.h"

#include <stdio.h>

/* "" where Cairo is built in, else why it is not. */
extern const char rfl_cairo_reason[];

/*
 * Draw a scene (struct rfl_scene) to a stream. The PNG has two pixels per unit of the page, the PDF three
 * quarters of a point. ERT_UNAVAILABLE without Cairo, with the reason; ERT_FAILED with Cairo's.
 */
enum ert_status rfl_cairo_png(const void *scene, FILE *out, struct ert_error *error);
enum ert_status rfl_cairo_pdf(const void *scene, FILE *out, struct ert_error *error);

#endif
