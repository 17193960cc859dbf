/* SPDX-License-Identifier: BSD-3-Clause */
/* The page: the head, and its parts; drawn again when the width or the theme changes. */
function redraw() {
  makeShades();
  mapLegend.draw();
  if (columns.length && nNodes) {
    drawMap();
    drawHistograms();
  }
  if (pairTests.length) {
    drawPairs();
  }
}

{
  const title = element("h1", {}, headline());
  document.title = `Fleet: ${headline()}`;
  document.body.append(
    element("header", {}, element("div", {}, title, element("p", {}, subtitleText()))), tiles(),
    element("main", {}, findingsSection(), columns.length && nNodes ? mapSection() : "", pairSection() || "",
      columns.length && nNodes ? histogramSection() : "", driftSection() || "", nNodes ? nodeSection() : ""),
    tooltip);
  redraw();
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (width !== window.innerWidth) {
      width = window.innerWidth;
      redraw();
    }
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  document.body.dataset.ready = "yes";
  performance.mark("ready");
}
