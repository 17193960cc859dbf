/* SPDX-License-Identifier: BSD-3-Clause */
/* Logarithmic axes: ranges from the data, ticks, and the way from values to pixels. Units of the
 * view are decades: log10 of FLOP/byte and FLOP/s. */
const view = {x0: -2, x1: 4, y0: 9, y1: 15};
const frame = {width: 960, height: 560, left: 66, right: 944, top: 34, bottom: 506};
const MIN_DECADES = 0.05, MAX_DECADES = 40;

const toX = (lx) => frame.left + ((lx - view.x0) / (view.x1 - view.x0)) * (frame.right - frame.left);
const toY = (ly) => frame.bottom - ((ly - view.y0) / (view.y1 - view.y0)) * (frame.bottom - frame.top);
const fromX = (px) => view.x0 + ((px - frame.left) / (frame.right - frame.left)) * (view.x1 - view.x0);
const fromY = (py) => view.y0 + ((frame.bottom - py) / (frame.bottom - frame.top)) * (view.y1 - view.y0);

function extend(box, x, y) {
  box.x0 = Math.min(box.x0, x);
  box.x1 = Math.max(box.x1, x);
  box.y0 = Math.min(box.y0, y);
  box.y1 = Math.max(box.y1, y);
}

/* All ridges with a decade around them, all points, and the roofs' ends. */
function fitView() {
  const box = {x0: Infinity, x1: -Infinity, y0: Infinity, y1: -Infinity};
  const ends = [];
  for (const machine of machines.filter((m) => state.machines.has(m.index))) {
    const {diagonals, flats} = visibleRoofs(machine);
    for (const flat of flats) {
      const top = Math.log10(state.theory ? Math.max(flat.value, flat.theory || 0) : flat.value);
      for (const diagonal of diagonals) {
        extend(box, Math.log10(flat.value / diagonal.value), top);
      }
      extend(box, diagonals.length ? box.x0 : 0, top);
    }
    ends.push(...diagonals.map((diagonal) => Math.log10(diagonal.value)));
  }
  const ridges = {...box};
  const chosen = chosenNames();
  for (let i = 0; i < symbols.count; i++) {
    if (isChosen(i, chosen)) {
      extend(box, symbols.x[i], symbols.y[i]);
    }
  }
  setView(box, ridges, ends);
}

function setView(box, ridges, ends) {
  if (!Number.isFinite(box.x0)) {
    extend(box, 0, ends.length ? Math.max(...ends) : 9); /* only diagonals, or nothing at all */
  }
  const inner = Number.isFinite(ridges.x0) ? ridges : box;
  view.x0 = Math.min(inner.x0 - 1, box.x0 - 0.4);
  view.x1 = Math.max(inner.x1 + 1.1, box.x1 + 0.4);
  const slowest = ends.length ? Math.min(...ends) + view.x0 : box.y0 - 1;
  view.y0 = Math.min(Math.max(slowest, inner.y0 - 3), box.y0 - 0.3);
  view.y1 = box.y1 + 0.35;
}

function isChosen(index, chosen) {
  const point = points[symbols.point[index]];
  return state.runs.has(point.series) && chosen.get(point.name) &&
    state.levels.has(levelNames[symbols.level[index]]);
}

/* Zooms by a factor around a place of the view; pans by decades. */
function zoomView(factor, lx, ly) {
  const spanX = (view.x1 - view.x0) * factor, spanY = (view.y1 - view.y0) * factor;
  if (Math.min(spanX, spanY) < MIN_DECADES || Math.max(spanX, spanY) > MAX_DECADES) {
    return;
  }
  view.x0 = lx + (view.x0 - lx) * factor;
  view.x1 = view.x0 + spanX;
  view.y0 = ly + (view.y0 - ly) * factor;
  view.y1 = view.y0 + spanY;
}

function panView(dx, dy) {
  view.x0 += dx;
  view.x1 += dx;
  view.y0 += dy;
  view.y1 += dy;
}

/* Ticks {at, major}: every decade, or every n-th; within few decades 2 and 5, then all tenths. */
function ticks(low, high, pixels) {
  const perDecade = pixels / (high - low);
  const found = [];
  const steps = perDecade > 420 ? [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9] : perDecade > 150 ? [1, 2, 5] : [1];
  const every = Math.max(1, Math.ceil(34 / perDecade));
  if (high - low < 0.4) {
    return evenTicks(low, high);
  }
  for (let decade = Math.floor(low); decade <= high; decade++) {
    for (const step of perDecade > 28 ? [1, 2, 3, 4, 5, 6, 7, 8, 9] : [1]) {
      const at = decade + Math.log10(step);
      if (at >= low && at <= high) {
        found.push({at, value: step * 10 ** decade, decade: step === 1,
          major: steps.includes(step) && decade % every === 0});
      }
    }
  }
  return found;
}

/* Deep in: steps of 1, 2 or 5 of the value itself. */
function evenTicks(low, high) {
  const from = 10 ** low, to = 10 ** high;
  const raw = (to - from) / 6, decade = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((n) => n * decade).find((n) => n >= raw);
  const found = [];
  for (let n = Math.ceil(from / step); n * step <= to; n++) {
    found.push({at: Math.log10(n * step), value: n * step, decade: true, major: true});
  }
  return found;
}

const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function tickText(value) {
  const exponent = Math.floor(Math.log10(value) + 1e-9);
  if (exponent >= -3 && exponent <= 5) {
    return String(Number(value.toPrecision(5)));
  }
  const power = String(exponent).replace("-", "⁻").replace(/\d/g, (digit) => SUPERSCRIPT[digit]);
  const digits = Number((value / 10 ** exponent).toPrecision(5));
  return digits === 1 ? `10${power}` : `${digits}·10${power}`;
}

function perfText(value) {
  const rounded = Number(value.toPrecision(6));
  const [prefix, scale] = PREFIXES.find((row) => rounded >= row[1]) || ["", 1];
  return scale === 1e18 ? tickText(value) : `${tickText(rounded / scale)} ${prefix}`.trim();
}

function drawAxes(layer) {
  const {left, right, top, bottom} = frame;
  const line = (name, x1, y1, x2, y2) => layer.append(svg("line", {class: name, x1, y1, x2, y2}));
  for (const tick of ticks(view.x0, view.x1, right - left)) {
    const x = toX(tick.at).toFixed(2);
    line(tick.decade ? "grid" : "grid minor", x, top, x, bottom);
    if (tick.major) {
      layer.append(svg("text", {class: "tick", x, y: bottom + 18, "text-anchor": "middle"},
        tickText(tick.value)));
    }
  }
  for (const tick of ticks(view.y0, view.y1, bottom - top)) {
    const y = toY(tick.at).toFixed(2);
    line(tick.decade ? "grid" : "grid minor", left, y, right, y);
    if (tick.major) {
      layer.append(svg("text", {class: "tick", x: left - 8, y, dy: "0.35em", "text-anchor": "end"},
        perfText(tick.value)));
    }
  }
  line("axis", left, bottom, right, bottom);
  line("axis", left, top, left, bottom);
  layer.append(svg("text", {class: "axis-title", x: (left + right) / 2, y: bottom + 40,
    "text-anchor": "middle"}, "Arithmetic intensity (FLOP/byte)"));
  layer.append(svg("text", {class: "axis-title", "text-anchor": "middle",
    transform: `translate(16 ${(top + bottom) / 2}) rotate(-90)`}, "Performance (FLOP/s)"));
}
