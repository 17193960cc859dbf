/* SPDX-License-Identifier: BSD-3-Clause */
/* The chart: all layers, drawn anew whenever the view or a switch changes. */
const chart = svg("svg", {id: "chart", tabindex: 0, role: "application",
  "aria-label": "Roofline chart. Arrow keys go from symbol to symbol, plus and minus zoom, 0 resets."});
const drawn = {lines: [], marks: [], status: new Uint8Array(0), inView: 0, without: []};
let pending = 0;

/* At most once per frame. */
function redraw() {
  pending = pending || requestAnimationFrame(() => {
    pending = 0;
    draw();
  });
}

function sizeFrame() {
  const width = Math.max(300, Math.floor(chart.parentNode.clientWidth));
  const height = Math.round(Math.min(Math.max(0.62 * width, 380), 720));
  Object.assign(frame, {width, height, left: width < 560 ? 56 : 66, right: width - 14,
    bottom: height - 50});
  chart.setAttribute("viewBox", `0 0 ${width} ${height}`);
}

/* Entries {shape, style, text} of the line above the plot. */
function keyEntries() {
  const entries = [];
  const shown = levelNames.filter((name, i) => state.levels.has(name) &&
    drawn.marks.some((mark) => mark.level === i && mark.kind !== "ridge"));
  const level = (name) => levelNames.indexOf(name);
  const colour = (name) => (state.colour === "level" ? `--c${level(name) % N_COLOURS}` : "--ink");
  for (const name of shown) {
    entries.push({shape: shapeOf(level(name)), text: name,
      style: `stroke:var(${colour(name)});fill:var(${colour(name)})`});
  }
  const visible = runs.filter((run) => state.runs.has(run));
  if (state.colour === "run" && visible.length > 1 && visible.length <= 12) {
    for (const run of visible) {
      entries.push({shape: "M-7,-2.5H7V2.5H-7Z", text: shorten(run),
        style: `fill:var(--c${runs.indexOf(run) % N_COLOURS})`});
    }
  }
  if (state.machines.size > 1) {
    for (const machine of machines.filter((m) => state.machines.has(m.index))) {
      entries.push({line: true, text: machine.short,
        style: lineStyle({machine, kind: "flat", roof: {}, theory: false})});
    }
  }
  return entries;
}

/* Draws the line above the plot, wrapped, and returns its height. */
function drawKey(layer) {
  let x = frame.left + 8, y = 12;
  const entries = keyEntries();
  for (const entry of entries) {
    const lead = entry.line ? 34 : 14;
    const width = lead + textWidth(entry.text, 12) + 18;
    if (x + width > frame.right + 18 && x > frame.left + 8) {
      x = frame.left + 8;
      y += 19;
    }
    layer.append(entry.line
      ? svg("line", {class: "key", x1: x - 5, y1: y, x2: x + 22, y2: y, style: entry.style})
      : svg("path", {class: "key", d: entry.shape, style: entry.style,
        transform: `translate(${x.toFixed(1)} ${y})`}));
    layer.append(svg("text", {class: "key-text", x: x + lead - 4, y, dy: "0.35em"}, entry.text));
    x += width;
  }
  return entries.length ? y + 14 : 8;
}

function collectMarks() {
  const selected = selectMarks();
  drawn.status = selected.status;
  drawn.inView = selected.inView;
  drawn.points = selected.marks;
  drawn.marks = [...ridgeMarks(), ...selected.marks];
}

/* The outermost symbol of each point, when there are few. */
function namedMarks() {
  const outermost = new Map();
  for (const mark of drawn.points) {
    const old = outermost.get(mark.point);
    if (!old || mark.level > old.level) {
      outermost.set(mark.point, mark);
    }
  }
  return state.names && outermost.size <= NAMED_LIMIT ? [...outermost.values()] : [];
}

function layerOf(name) {
  return svg("g", {class: name});
}

function draw() {
  const focused = document.activeElement && document.activeElement.getAttribute("data-key");
  sizeFrame();
  collectMarks(); /* once to know the key's entries, again when the key has its height */
  const key = layerOf("key"), axes = layerOf("axes"), roofs = layerOf("roofs");
  const arrows = layerOf("arrows"), marks = layerOf("marks"), labels = layerOf("labels");
  frame.top = drawKey(key);
  collectMarks();
  drawAxes(axes);
  drawn.lines = roofLines();
  drawBands(roofs, drawn.lines);
  drawRoofs(roofs, drawn.lines);
  if (state.trajectory !== "off" && drawn.points.length <= ARROW_LIMIT) {
    drawTrajectories(arrows, drawn.points);
  }
  if (drawn.points.length <= ARROW_LIMIT) {
    drawJoins(marks, drawn.points);
  }
  drawMarks(marks, drawn.marks);
  const layout = new Layout(drawn.lines, drawn.marks);
  drawn.without = placeRoofLabels(labels, drawn.lines, layout);
  placeNames(labels, namedMarks(), layout);
  const back = svg("rect", {class: "paper", x: 0, y: 0, width: frame.width, height: frame.height});
  chart.replaceChildren(back, axes, roofs, arrows, labels, marks, key, layerOf("hover"));
  Object.assign(chart.dataset, {x0: view.x0, x1: view.x1, y0: view.y0, y1: view.y1, left: frame.left,
    right: frame.right, top: frame.top, bottom: frame.bottom});
  if (focused) {
    const again = chart.querySelector(`[data-key="${CSS.escape(focused)}"]`);
    (again || chart).focus({preventScroll: true});
  }
  afterDraw();
}

/* What the chart shows, in words, under it. */
function statusLines() {
  const lines = [];
  const byStatus = (wanted) => drawn.status.reduce((sum, status) => sum + (status === wanted), 0);
  if (points.length) {
    const parts = [[NO_DATA, "without the counts for it"], [RUN_OFF, "of runs switched off"],
      [NAME_OFF, "of kernels not chosen"], [LEVELS_OFF, "of levels switched off"],
      [OUTSIDE, "outside the view"], [COVERED, "under other symbols or of less time"]]
      .map(([status, text]) => [byStatus(status), text]).filter(([number]) => number)
      .map(([number, text]) => `${count(number)} ${text}`);
    if (points.length < data.n_all) {
      lines.push(`The page has the longest ${count(points.length)} of ${count(data.n_all)} points.`);
    }
    lines.push(`${count(byStatus(DRAWN))} of ${count(points.length)} points drawn` +
      (parts.length ? `; not drawn: ${parts.join(", ")}.` : "."));
    if (drawn.points.length < drawn.inView) {
      lines.push(`${count(drawn.points.length)} of the ${count(drawn.inView)} symbols in view are drawn: ` +
        "of those that cover each other the one of the most time. Zoom in for the others.");
    }
  }
  if (drawn.without.length) {
    lines.push(`Without room for a label in full: ${drawn.without.join("; ")}.`);
  }
  for (const machine of machines) {
    if (machine.reason || !machine.valid) {
      const warning = `not valid: ${machine.warnings || "the file gives no reason"}`;
      lines.push(`${machine.short}: ${machine.reason || warning}.`);
    }
    if (machine.mismatch && (machines.length === 1 || machine.kernels.every(Boolean))) {
      lines.push(`${machine.short}: ${machine.mismatch}.`);
    }
  }
  return lines;
}
