/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects what goes wrong in a page; stands before the page's own script (test_page.sh). */
const pageErrors = [];
console.error = (...words) => pageErrors.push(words.join(" "));
console.warn = console.error;
addEventListener("error", (event) => pageErrors.push(event.message));
addEventListener("unhandledrejection", (event) => pageErrors.push(String(event.reason)));
document.addEventListener("securitypolicyviolation", (event) => pageErrors.push(event.violatedDirective));

/* A browser without a window draws no frames to wait for. */
window.requestAnimationFrame = (draw) => setTimeout(draw, 0);
