/* SPDX-License-Identifier: BSD-3-Clause */
/* The matrix of pairs: both ends of each, by the distance to the limit; the worst of several in a pixel. */
const pairHosts = data.pairs.hosts, pairTests = data.pairs.tests;
const pairView = {test: 0, size: 0, left: 0, top: 0, cell: 0, order: [], place: [], worst: new Map()};
const pairCanvas = element("canvas", {role: "img", "aria-label": "Pairs of hosts"});
const pairNote = element("p", {class: "hint"});

function decodeTest(test) {
  if (!test.pairs) {
    test.pairs = decode(test.ends, Uint32Array);
    test.steps = decode(test.change, Int16Array);
  }
}

function orderPairs() {
  const of = data.pairs.group ? decode(data.pairs.group, Uint32Array) : new Uint32Array(pairHosts.length);
  const names = new Intl.Collator("en", {numeric: true});
  pairView.order = Array.from(pairHosts.keys()).sort((a, b) =>
    of[a] - of[b] || names.compare(pairHosts[a], pairHosts[b]));
  pairView.place = new Uint32Array(pairHosts.length);
  pairView.order.forEach((host, i) => {
    pairView.place[host] = i;
  });
  return of;
}

/* The worst of each pixel's pairs. */
function worstPairs(test, pixels) {
  const n = pairHosts.length, {place} = pairView;
  const limit = test.limit > 0 && test.limit < 1 ? test.limit : 0.25;
  const value = new Float32Array(pixels * pixels).fill(NaN), which = new Int32Array(pixels * pixels).fill(-1);
  for (let i = 0; i < test.steps.length; i++) {
    if (test.steps[i] === ABSENT) {
      continue;
    }
    const a = Math.floor(place[test.pairs[2 * i]] * pixels / n);
    const b = Math.floor(place[test.pairs[2 * i + 1]] * pixels / n);
    const own = -test.steps[i] / 1e4 / limit;
    for (const at of [a * pixels + b, b * pixels + a]) {
      if (!(value[at] >= own)) {
        value[at] = own;
        which[at] = i;
      }
    }
  }
  return {value, which};
}

/* The hosts' names, or where they are too many their switches'. */
function drawPairNames(context, of) {
  const {left, top, cell, order} = pairView;
  if (cell < 10) {
    drawGroupNames(context, of);
    return;
  }
  order.forEach((host, i) => {
    paintName(context, pairHosts[host], left - 6, top + (i + 0.5) * cell, left - 8);
    paintName(context, pairHosts[host], left + (i + 0.5) * cell, top - 4, top - 8, true);
  });
}

function drawGroupNames(context, of) {
  const {left, top, cell, order} = pairView, middles = new Map();
  order.forEach((host, i) => middles.set(of[host], [...middles.get(of[host]) || [], i]));
  middles.forEach((places, group) => {
    if (data.pairs.groups[group] && places.length * cell > 12) {
      paintName(context, data.pairs.groups[group], left - 6,
        top + (places[0] + places[places.length - 1] + 1) / 2 * cell, left - 8);
    }
  });
}

function drawPairs() {
  const test = pairTests[pairView.test], n = pairHosts.length, room = pairCanvas.parentNode.clientWidth;
  decodeTest(test);
  const of = orderPairs();
  const names = n <= 60 ? pairHosts : data.pairs.groups;
  const widths = names.slice(0, 100).map((name) => textWidth(name, 11.5));
  pairView.left = Math.min(90, Math.max(...widths, -10) + 10);
  pairView.top = n <= 60 ? pairView.left : 0;
  const size = Math.min(room - pairView.left, 720, n * 44);
  pairView.cell = size / n;
  pairView.pixels = Math.min(n, Math.floor(size));
  pairView.found = worstPairs(test, pairView.pixels);
  const context = canvasOf(pairCanvas, pairView.left + size, pairView.top + size);
  paintDistances(context, pairView.pixels, pairView.pixels,
    (x, y) => pairView.found.value[y * pairView.pixels + x], pairView.left, pairView.top, size, size);
  context.fillStyle = css(ink("--ink"));
  pairView.order.forEach((host, i) => {
    if (i > 0 && of[host] !== of[pairView.order[i - 1]]) {
      context.fillRect(pairView.left + i * pairView.cell - 0.5, pairView.top, 1, size);
      context.fillRect(pairView.left, pairView.top + i * pairView.cell - 0.5, size, 1);
    }
  });
  drawPairNames(context, of);
  const typical = test.typical.filter((value) => value > 0);
  pairNote.textContent = `${plural(test.steps.length, "measurement")} of ${plural(n, "host")}; typical ${
    typical.map((value) => measure(value, test.unit)).join(" between switches, ")}${typical.length > 1
    ? " within" : ""}; limit ${changeOf(-test.limit)}.`;
}

function pairLines(x, y) {
  const {pixels, found, left, top, cell} = pairView, n = pairHosts.length;
  const column = Math.floor((x - left) / cell), row = Math.floor((y - top) / cell);
  if (column < 0 || row < 0 || column >= n || row >= n) {
    return null;
  }
  const test = pairTests[pairView.test];
  const at = found.which[Math.floor(row * pixels / n) * pixels + Math.floor(column * pixels / n)];
  if (at < 0) {
    return [`${pairHosts[pairView.order[row]]} – ${pairHosts[pairView.order[column]]}`, "not measured"];
  }
  const steps = test.steps[at];
  return [`${pairHosts[test.pairs[2 * at]]} – ${pairHosts[test.pairs[2 * at + 1]]}`,
    steps === -10000 ? "no result" : `${changeText(steps)} of the speed`,
    pixels < n ? "the worst pair here" : ""];
}

function pairSection() {
  if (!pairTests.length) {
    return null;
  }
  ask(pairCanvas, pairLines, () => {});
  const names = pairTests.map((test, i) => [i, test.name]);
  return section("pairs", "Pairs of hosts",
    "Each pair in both orders; hosts by name" + (data.pairs.groups.length ? " within their switches" : "") +
    ". A slow host is a cross, a slow link two dots, a slow switch a broad cross.",
    element("div", {class: "tools"}, choice("Test", names, 0, (value) => {
      pairView.test = Number(value);
      drawPairs();
    })), pairNote, element("div", {class: "canvas"}, pairCanvas));
}
