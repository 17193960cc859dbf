/* SPDX-License-Identifier: BSD-3-Clause */
/* Symbols: points of profiles, ridge points. One shape per level, one
 * colour per run. */
const N_COLOURS = 7, MARK_LIMIT = 3000, CELL = 3, NAMED_LIMIT = 60, ARROW_LIMIT = 400;
const SHAPES = [
  "M-4.5,0a4.5,4.5 0 1,0 9,0a4.5,4.5 0 1,0 -9,0Z",
  "M-4,-4H4V4H-4Z",
  "M0,-5L4.8,3.6H-4.8Z",
  "M0,-5.6L5.6,0L0,5.6L-5.6,0Z",
  "M0,5L4.8,-3.6H-4.8Z",
  "M0,-5L4.8,-1.5L2.9,4.1H-2.9L-4.8,-1.5Z",
  "M-1.6,-5H1.6V-1.6H5V1.6H1.6V5H-1.6V1.6H-5V-1.6H-1.6Z",
  "M-5,-2H5V2H-5Z",
];

function shapeOf(level) {
  return SHAPES[level % SHAPES.length];
}

/* "fill:var(--c2)" or, for texts (family "t"), the darker one. */
function markColour(mark, family) {
  const point = points[mark.point];
  const index = state.colour === "run" ? runs.indexOf(point.series)
    : state.colour === "kernel" ? kernelRank.get(point.name)
    : state.colour === "level" ? mark.level : -1;
  return `fill:var(${index < 0 ? "--ink" : `--${family}${index % N_COLOURS}`})`;
}

/* Symbols to draw, and of each point why it is not: {marks, status, inView}. */
function selectMarks() {
  const chosen = chosenNames();
  const status = new Uint8Array(points.length).fill(NO_DATA);
  const reached = [];
  for (let i = 0; i < symbols.count; i++) {
    const index = symbols.point[i];
    const why = whyHidden(i, chosen);
    if (why === DRAWN) {
      reached.push(i);
    }
    status[index] = better(status[index], why === DRAWN ? COVERED : why);
  }
  const kept = reached.length > MARK_LIMIT ? thin(reached) : reached;
  for (const i of kept) {
    status[symbols.point[i]] = DRAWN;
  }
  return {status, inView: reached.length, marks: kept.map((i) => ({
    kind: "point", key: `p${symbols.point[i]}:${symbols.level[i]}`, point: symbols.point[i],
    level: symbols.level[i], px: toX(symbols.x[i]), py: toY(symbols.y[i]),
  }))};
}

function whyHidden(i, chosen) {
  const point = points[symbols.point[i]];
  if (!state.runs.has(point.series)) {
    return RUN_OFF;
  }
  if (!chosen.get(point.name)) {
    return NAME_OFF;
  }
  if (!state.levels.has(levelNames[symbols.level[i]])) {
    return LEVELS_OFF;
  }
  const x = symbols.x[i], y = symbols.y[i];
  return x < view.x0 || x > view.x1 || y < view.y0 || y > view.y1 ? OUTSIDE : DRAWN;
}

/* The reason of the symbol that is nearest to being drawn. */
function better(old, why) {
  const order = [DRAWN, COVERED, OUTSIDE, LEVELS_OFF, NAME_OFF, RUN_OFF, NO_DATA];
  return order.indexOf(why) < order.indexOf(old) ? why : old;
}

/* Of the symbols of a level that cover each other, that of the most time; then those of the most time. */
function thin(reached) {
  const columns = Math.ceil(frame.width / CELL), rows = Math.ceil(frame.height / CELL);
  const cells = new Int32Array(columns * rows * levelNames.length).fill(-1);
  const time = (i) => points[symbols.point[i]].time_s;
  for (const i of reached) {
    const cell = (symbols.level[i] * rows + Math.floor(toY(symbols.y[i]) / CELL)) * columns +
      Math.floor(toX(symbols.x[i]) / CELL);
    if (cells[cell] < 0 || time(i) > time(cells[cell])) {
      cells[cell] = i;
    }
  }
  const kept = [...cells.filter((i) => i >= 0)];
  return kept.sort((a, b) => time(b) - time(a)).slice(0, MARK_LIMIT).sort((a, b) => a - b);
}

/* Ridges stand where both of their roofs do: C takes the best pattern and the main peak. */
function ridgePoints() {
  return state.measured && state.best ? machines.filter((machine) => state.machines.has(machine.index))
    .flatMap((machine) => machine.ridges.map((point, i) => ({...point, machine, i})))
    .filter((point) => state.levels.has(point.level) && state.types.has(point.type)) : [];
}

function ridgeMarks() {
  return ridgePoints().map((point) => ({kind: "ridge", key: `r${point.machine.index}:${point.i}`, of: point,
    level: levelNames.indexOf(point.level), px: toX(Math.log10(point.intensity)),
    py: toY(Math.log10(point.perf))}))
    .filter((m) => m.px >= frame.left && m.px <= frame.right && m.py >= frame.top && m.py <= frame.bottom);
}

/* The values that a symbol stands for. */
function valuesOf(mark) {
  if (mark.kind !== "point") {
    return {x: mark.of.intensity, y: mark.of.perf};
  }
  const point = points[mark.point];
  return {x: levelOf(point, mark.level).intensity, y: point.perf};
}

function levelOf(point, level) {
  return point.levels.find((entry) => entry.level === levelNames[level]);
}

function markLabel(mark) {
  const {x, y} = valuesOf(mark);
  const name = mark.kind === "point" ? points[mark.point].name : "ridge point";
  return `${name}, ${levelNames[mark.level]}: ${four(x)} FLOP/byte, ${si(y, "FLOP/s")}`;
}

/* A point's levels, joined: its symbols are at one height. */
function drawJoins(layer, marks) {
  const ends = new Map();
  for (const mark of marks) {
    const end = ends.get(mark.point) || {mark, from: mark.px, to: mark.px};
    ends.set(mark.point, {mark, from: Math.min(end.from, mark.px), to: Math.max(end.to, mark.px)});
  }
  for (const {mark, from, to} of ends.values()) {
    layer.append(svg("line", {class: "join", x1: from.toFixed(2), x2: to.toFixed(2), y1: mark.py.toFixed(2),
      y2: mark.py.toFixed(2), style: markColour(mark, "c").replace("fill", "stroke")}));
  }
}

function drawMarks(layer, marks) {
  const dense = marks.length > 600;
  layer.classList.toggle("dense", dense);
  for (const mark of marks) {
    const {x, y} = valuesOf(mark);
    const style = mark.kind === "point" ? markColour(mark, "c") : "stroke:var(--ink)";
    const scale = mark.kind === "point" ? (dense ? " scale(.75)" : "") : " scale(.8)";
    const shape = mark.kind === "ridge" ? SHAPES[0] : shapeOf(mark.level);
    mark.node = svg("path", {class: `mark ${mark.kind}`, d: shape,
      transform: `translate(${mark.px.toFixed(2)} ${mark.py.toFixed(2)})${scale}`,
      style, "data-key": mark.key, "data-x": x, "data-y": y, tabindex: -1, role: "img",
      "aria-label": markLabel(mark)});
    layer.append(mark.node);
  }
}

/* Series in order, per level: arrows from each point to the next. */
function drawTrajectories(layer, marks) {
  const series = new Map();
  for (const mark of marks) {
    const id = `${mark.level} ${points[mark.point].series}`;
    series.set(id, [...(series.get(id) || []), mark]);
  }
  for (const list of series.values()) {
    const known = state.trajectory === "scale" ? list.filter((mark) => points[mark.point].scale > 0) : list;
    const order = (mark) => (state.trajectory === "scale" ? points[mark.point].scale : mark.point);
    known.sort((a, b) => order(a) - order(b));
    for (let i = 1; i < known.length; i++) {
      drawArrow(layer, known[i - 1], known[i], markColour(known[i], "c").replace("fill", "stroke"));
    }
  }
}

/* From symbol to symbol, not over them; one that lies on the next needs no arrow. */
function drawArrow(layer, from, to, style) {
  const dx = to.px - from.px, dy = to.py - from.py, length = Math.hypot(dx, dy);
  if (length < 18) {
    return;
  }
  const ux = dx / length, uy = dy / length;
  const ex = to.px - 7.5 * ux, ey = to.py - 7.5 * uy;
  const at = (x, y) => `${x.toFixed(2)},${y.toFixed(2)}`;
  const barb = (side) => at(ex - 6 * ux + side * 3 * uy, ey - 6 * uy - side * 3 * ux);
  layer.append(svg("path", {class: "arrow", style, d: `M${at(from.px + 7 * ux, from.py + 7 * uy)}` +
    `L${at(ex, ey)}M${barb(1)}L${at(ex, ey)}L${barb(-1)}`}));
}
