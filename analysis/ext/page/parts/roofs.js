/* SPDX-License-Identifier: BSD-3-Clause */
/* Roofs as lines of the view, cut where they meet: a diagonal ends at the highest flat of its machine,
 * a flat begins at the fastest diagonal. */
const DASHES = ["", "9 4", "2 3", "9 3 2 3", "14 4", "5 2"];
const LEVEL_DASHES = ["", "14 3", "8 3", "4 3"]; /* where colours are of points */

/* The part of a line of slope 1 (diagonal) or 0 inside the view, or null. */
function cutDiagonal(log, ridge) {
  const from = Math.max(view.x0, view.y0 - log), to = Math.min(view.x1, view.y1 - log, ridge);
  return from < to ? {x0: from, y0: from + log, x1: to, y1: to + log} : null;
}

function cutFlat(log, ridge) {
  const from = Math.max(view.x0, ridge);
  return from < view.x1 && log >= view.y0 && log <= view.y1
    ? {x0: from, y0: log, x1: view.x1, y1: log} : null;
}

function inPixels(segment) {
  return segment && {x0: toX(segment.x0), y0: toY(segment.y0), x1: toX(segment.x1), y1: toY(segment.y1)};
}

/* The area under two diagonals of a level, up to the highest flat, cut at the view: pixels as text. */
function bandOutline(low, high, top) {
  const lowest = (log) => Math.min(Math.max(log, view.y0), Math.min(top, view.y1));
  const bends = [view.x0, view.x1, view.y0 - low, view.y0 - high,
    Math.min(top, view.y1) - low, Math.min(top, view.y1) - high]
    .map((x) => Math.min(Math.max(x, view.x0), view.x1)).sort((a, b) => a - b);
  const edge = (log) => bends.map((x) => `${toX(x).toFixed(2)},${toY(lowest(x + log)).toFixed(2)}`);
  return [...edge(high), ...edge(low).reverse()].join(" ");
}

/* What mixes of reads and writes reach, behind the lines; of one machine, of several they hide. */
function drawBands(layer, lines) {
  const shown = machines.filter((machine) => state.machines.has(machine.index));
  if (shown.length !== 1 || !state.measured) {
    return;
  }
  const flats = visibleRoofs(shown[0]).flats;
  const top = flats.length ? Math.log10(flats[0].value) : Infinity;
  for (const entry of lines.filter(({roof, theory}) => roof.band_high && !theory)) {
    const colour = roofColour(entry);
    layer.append(svg("polygon", {class: "band", "data-level": entry.roof.level,
      points: bandOutline(Math.log10(entry.roof.band_low), Math.log10(entry.roof.band_high), top),
      style: `fill:var(${colour === null ? "--ink" : `--c${colour}`});fill-opacity:0.1`}));
  }
}

/* {key, machine, roof, kind, theory, line}: the visible lines, in pixels. */
function roofLines() {
  const lines = [];
  for (const machine of machines.filter((m) => state.machines.has(m.index))) {
    const {diagonals, flats} = visibleRoofs(machine);
    const passes = [[state.measured, "value"], [state.theory, "theory"]];
    for (const [on, field] of passes) {
      const known = (list) => list.filter((roof) => on && roof[field] > 0);
      const top = Math.max(...known(flats).map((flat) => flat[field]), 0);
      const fastest = Math.max(...known(diagonals).map((diagonal) => diagonal[field]), 0);
      const add = (kind, list, cut) => known(list).forEach((roof) => lines.push({
        key: `${machine.index}:${kind}:${field}:${roof.name}`, machine, roof, kind,
        theory: field === "theory", line: inPixels(cut(roof[field])),
      }));
      add("diagonal", diagonals,
        (value) => cutDiagonal(Math.log10(value), top ? Math.log10(top / value) : Infinity));
      add("flat", flats,
        (value) => cutFlat(Math.log10(value), fastest ? Math.log10(value / fastest) : -Infinity));
    }
  }
  return withoutTwins(lines.filter((entry) => entry.line));
}

/* Patterns of a level share their theoretical peak: one line is enough. */
function withoutTwins(lines) {
  const seen = new Set();
  return lines.filter((entry) => {
    const id = `${entry.machine.index} ${entry.kind} ${entry.roof.theory}`;
    const twin = entry.theory && seen.has(id);
    seen.add(entry.theory ? id : "");
    return !twin;
  });
}

/* Index of a colour (base.css: --c0 to --c6), or null: ink. */
function roofColour(entry) {
  if (state.colour === "machine") {
    return entry.machine.index % N_COLOURS;
  }
  return state.colour === "level" && entry.kind === "diagonal"
    ? levelNames.indexOf(entry.roof.level) % N_COLOURS : null;
}

function lineStyle(entry) {
  const colour = roofColour(entry);
  const dash = entry.theory ? "3 3" : machines.length > 1
    ? DASHES[entry.machine.index % DASHES.length]
    : entry.kind === "diagonal" && colour === null
      ? LEVEL_DASHES[levelNames.indexOf(entry.roof.level) % LEVEL_DASHES.length]
    : entry.kind === "flat" && / no FMA|registers/.test(entry.roof.label || "") ? "9 4" : "";
  const plain = entry.kind === "diagonal" ? "--faint" : "--ink";
  return `stroke:var(${colour === null ? plain : `--c${colour}`})` +
    (dash ? `;stroke-dasharray:${dash}` : "");
}

function roofName({roof, kind, theory}) {
  const name = kind === "diagonal" ? `${roof.level} ${roof.pattern}` : peakName(roof);
  return name + (theory ? " in theory" : "");
}

function roofValue({roof, kind, theory}) {
  return si(theory ? roof.theory : roof.value, kind === "diagonal" ? "B/s" : peakUnit(roof));
}

function roofText(entry) {
  return `${roofName(entry)} ${roofValue(entry)}`;
}

/* The share of the theory stands with the measured roof, whose label then serves both lines. */
function shareText(entry) {
  return state.theory && !entry.theory && entry.roof.fraction ? ` (${percent(entry.roof.fraction)})` : "";
}

/* The fastest last, on top: near lines share a label, which has the colour of the upper one. */
function drawRoofs(layer, lines) {
  for (const entry of [...lines].reverse()) {
    const {x0, y0, x1, y1} = entry.line;
    const place = {x1: x0.toFixed(2), y1: y0.toFixed(2), x2: x1.toFixed(2), y2: y1.toFixed(2)};
    const group = svg("g", {class: entry.theory ? "roof theory" : "roof", "data-key": entry.key,
      "data-name": entry.roof.name, "data-value": entry.theory ? entry.roof.theory : entry.roof.value,
      tabindex: -1, role: "img", "aria-label": `${roofText(entry)}, ${entry.machine.short}`});
    group.append(svg("line", {style: lineStyle(entry), ...place}));
    layer.append(group);
  }
}
