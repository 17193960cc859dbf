/* SPDX-License-Identifier: BSD-3-Clause */
/* One histogram for each ceiling: how its nodes scatter about the median, the limit, and who is beyond it. */
const histogramView = {group: 0};
const histograms = element("div", {class: "grid"});

function nodesOfGroup(group) {
  return Array.from(hosts.keys()).filter((node) => groupOf[node] === group);
}

/* Changes of a ceiling's nodes; the scale holds the limit on both sides, and its ends all that is beyond. */
function histogramOf(column, nodes, limit) {
  const steps = nodes.map((node) => change[column * nNodes + node]).filter((value) => value !== ABSENT);
  const sizes = steps.map((value) => Math.abs(value) / 1e4).sort((a, b) => a - b);
  const most = sizes.length ? sizes[Math.floor(0.98 * (sizes.length - 1))] : 0;
  const scale = Math.max(limit < 1 ? 1.6 * limit : 0, 1.2 * most, 1e-3);
  const bins = new Array(41).fill(0);
  steps.forEach((value) => {
    const at = Math.round((value / 1e4 / scale + 1) * 20);
    bins[Math.max(0, Math.min(40, at))]++;
  });
  const beyond = limit < 1 ? steps.filter((value) => value / 1e4 < -limit).length : 0;
  return {bins, scale, beyond, n: steps.length};
}

function drawHistogram(canvas, histogram, limit) {
  const room = histograms.clientWidth, width = room < 500 ? Math.floor((room - 16) / 2) : 232;
  const height = 78, base = height - 15, context = canvasOf(canvas, width, height);
  const tallest = Math.max(...histogram.bins, 1), bar = width / histogram.bins.length;
  histogram.bins.forEach((n, i) => {
    const at = (i - 20) / 20 * histogram.scale, tall = n ? Math.max(2, n / tallest * (base - 4)) : 0;
    context.fillStyle = css(ink(at < -limit ? "--c1" : "--c0"));
    context.fillRect(i * bar + 0.5, base - tall, bar - 1, tall);
  });
  context.fillStyle = css(ink("--line"));
  context.fillRect(0, base, width, 1);
  if (limit < 1) {
    context.fillStyle = css(ink("--c1"));
    const x = (1 - limit / histogram.scale) / 2 * width;
    for (let y = 0; y < base; y += 5) {
      context.fillRect(x, y, 1.2, 3);
    }
  }
  context.fillStyle = css(ink("--faint"));
  const ticks = [[0, -histogram.scale, "left"], [width / 2, 0, "center"], [width, histogram.scale, "right"]];
  ticks.forEach((tick) => {
    context.textAlign = tick[2];
    context.fillText(changeOf(tick[1]), tick[0], height - 2);
  });
}

function drawHistograms() {
  const group = groups[histogramView.group], nodes = nodesOfGroup(histogramView.group);
  const cards = columns.map((column, i) => ({column, i, limit: group.limit[i] ?? 1,
    histogram: histogramOf(i, nodes, group.limit[i] ?? 1)})).filter((card) => card.histogram.n);
  cards.sort((a, b) => b.histogram.beyond - a.histogram.beyond || a.i - b.i);
  histograms.replaceChildren(...cards.map((card) => {
    const canvas = element("canvas", {role: "img", "aria-label": `Histogram of ${columnName(card.i)}`});
    drawHistogram(canvas, card.histogram, card.limit);
    return element("figure", {}, element("figcaption", {}, element("b", {}, columnName(card.i)),
      element("span", {}, `median ${measure(group.median[card.i], card.column.unit)}${card.limit < 1
        ? `, limit ${changeOf(-card.limit)}` : ", too few for a limit"}${card.histogram.beyond
        ? `, ${count(card.histogram.beyond)} beyond` : ""}`)), canvas);
  }));
}

function histogramSection() {
  const names = groups.map((group, i) => [i, `${group.name} (${count(nodesOfGroup(i).length)})`]);
  const hardware = choice("Hardware", names, 0, (value) => {
    histogramView.group = Number(value);
    drawHistograms();
  });
  const choose = groups.length > 1 ? element("div", {class: "tools"}, hardware) : null;
  return section("histograms", "Each ceiling",
    "How far nodes are from the median speed; those beyond the scale are at its ends. Dashed: the limit.",
    choose, histograms);
}
