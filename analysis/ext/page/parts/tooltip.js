/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands behind a symbol or a roof: all values, intervals, recipes, warnings. */
const tooltip = element("div", {id: "tooltip", role: "status", "aria-live": "polite", hidden: true});
const shown = {key: null, pinned: false};

function rows(list) {
  const grid = element("dl", {});
  for (const [name, value, detail] of list.filter((row) => row[1])) {
    grid.append(element("dt", {}, name),
      element("dd", {}, value, detail ? element("small", {}, detail) : null));
  }
  return grid;
}

function describeRoof(entry) {
  const {roof, machine, kind} = entry;
  const unit = kind === "diagonal" ? "B/s" : peakUnit(roof);
  const format = (value) => si(value, unit);
  const title = kind === "diagonal" ? `${roof.level}, ${roof.pattern}` : peakName(roof);
  return [
    element("h3", {}, title + (entry.theory ? ", in theory" : "")),
    element("p", {class: "of"}, `${roof.name} of ${machine.name || machine.id}` +
      (machine.host ? `, ${machine.host}` : "")),
    rows([
      ["measured", format(roof.value), roof.name],
      ["interval", range(roof.low, roof.high, format)],
      ["reads and writes", range(roof.band_low, roof.band_high, format)],
      ["theory", roof.theory ? format(roof.theory) : ""],
      ["of theory", roof.fraction ? percent(roof.fraction) : ""],
      ["clock", roof.clock ? si(roof.clock, "Hz") : ""],
      ["unit", kind === "flat" ? `${roof.type} ${roof.op}, ${roof.unit}` : ""],
      ["warning", roof.warning],
    ]),
  ];
}

function describeRidge(mark) {
  const {x, y} = valuesOf(mark);
  return [
    element("h3", {}, `Ridge point of ${mark.of.level}`),
    element("p", {class: "of"}, mark.of.machine.name || mark.of.machine.id),
    rows([
      ["intensity", `${four(x)} FLOP/byte`],
      ["peak", si(y, "FLOP/s"), mark.of.peak],
    ]),
  ];
}

/* A row per level, and per unit: what was reached, and its share of each machine's roof. */
function levelRows(point, level) {
  const placed = placements(point).slice(0, 3);
  const heads = placed.map((on) => `of ${placed.length > 1 ? machines[on.machine].short : "roof"}`);
  const share = (fraction) => (fraction ? percent(fraction) : "–");
  const row = (name, cells, here) => element("tr", {class: here ? "here" : null},
    element("th", {scope: "row"}, name), ...cells.map((text) => element("td", {}, text)));
  const table = element("table", {}, element("tr", {},
    ...["", "FLOP/byte", "bytes", "rate", ...heads].map((head) => element("th", {scope: "col"}, head))));
  point.levels.forEach((entry, i) => table.append(row(entry.level, [
    entry.intensity ? four(entry.intensity) : "–", si(entry.count, "B"),
    entry.rate ? si(entry.rate, "B/s") : "–", ...placed.map((on) => share(on.levels[i])),
  ], entry.level === levelNames[level])));
  for (const unit of placed.length === 1 ? placed[0].units.filter((entry) => entry.peak) : []) {
    table.append(row(unit.name, ["", "", `of ${si(unit.peak, "FLOP/s")}`, share(unit.fraction)]));
  }
  return table;
}

/* Which roof bounds, on each machine, and the roofs' conditions. */
function boundRows(point) {
  const list = placements(point);
  return list.filter((placed) => placed.bound).map((placed) => [
    list.length > 1 ? `bound on ${machines[placed.machine].short}` : "bound by",
    placed.bound + (placed.fraction ? `, ${percent(placed.fraction)} of it` : "") +
      (placed.next ? `, then ${placed.next}` : ""),
    [placed.attainable ? `attainable ${si(placed.attainable, "FLOP/s")}` : "",
      placed.clock ? `roofs at ${si(placed.clock, "Hz")}` : ""].filter(Boolean).join(", "),
  ]);
}

function recipes(point) {
  const list = [
    ...point.work.map((work) => [`${work.type} ${work.unit}`, work.recipe]),
    ...point.levels.map((level) => [level.level, level.recipe]),
    ["time", point.time_recipe],
  ].filter((row) => row[1]);
  return list.length ? element("p", {class: "recipe"}, "Counted: " +
    list.map(([name, recipe]) => `${name.trim()}: ${recipe}`).join("; ") + ".") : null;
}

function describePoint(mark) {
  const point = points[mark.point];
  const warnings = [...point.warnings,
    ...point.missing.map((missing) => `${missing.what} is missing: ${missing.reason}`)];
  const plain = (value, unit) => (value ? `${four(value)}${unit}` : "");
  return [
    element("h3", {}, point.name),
    element("p", {class: "of"}, [point.run, point.source, point.format]
      .filter(Boolean).join(" · ")),
    rows([
      ["reached", si(point.perf, "FLOP/s")],
      ...boundRows(point),
      ["time", seconds(point.time_s), [point.interval_s ? range(...point.interval_s, seconds) : "",
        point.launches > 1 ? `${count(point.launches)} launches` : ""].filter(Boolean).join(", ")],
      ...point.work.map((work) => [`${work.type} ${work.unit}`.trim(),
        si(work.count, isOps(work.type) ? "OP" : "FLOP"),
        work.fma_share === undefined ? "" : `${percent(work.fma_share)} FMA`]),
      ["clock", point.clock_hz ? si(point.clock_hz, "Hz") : ""],
      ["warps per SM", plain(point.warps_per_sm, "")],
      ["threads", plain(point.threads, "")],
      ["registers", plain(point.registers, "")],
      ["energy", point.energy_j ? si(point.energy_j, "J") : ""],
      ["scale", plain(point.scale, "")],
    ]),
    levelRows(point, mark.level),
    ...placements(point).filter((placed) => placed.advice)
      .map((placed) => element("p", {class: "advice"}, placed.advice)),
    ...warnings.map((text) => element("p", {class: "warning"}, text)),
    recipes(point),
  ];
}

function find(key) {
  const mark = drawn.marks.find((candidate) => candidate.key === key);
  return mark || drawn.lines.find((candidate) => candidate.key === key);
}

/* Shows what a key stands for, beside a place of the window; null hides. */
function showTooltip(key, x, y) {
  const target = key && find(key);
  shown.key = target ? key : null;
  tooltip.hidden = !target;
  tooltip.classList.toggle("pinned", shown.pinned);
  highlight(target);
  if (!target) {
    shown.pinned = false;
    return;
  }
  const describe = {point: describePoint, ridge: describeRidge};
  tooltip.replaceChildren(...(describe[target.kind] || describeRoof)(target).filter(Boolean));
  placeTooltip(x, y);
}

function placeTooltip(x, y) {
  const box = tooltip.getBoundingClientRect();
  const width = document.documentElement.clientWidth, height = window.innerHeight;
  const left = x + 16 + box.width < width ? x + 16 : Math.max(4, x - 16 - box.width);
  const top = Math.min(Math.max(4, y - 20), Math.max(4, height - box.height - 4));
  tooltip.style.left = `${left}px`;
  tooltip.style.top = `${top}px`;
}

/* A point's levels joined by a line, with feet to both axes; a roof drawn thicker. */
function highlight(target) {
  const layer = chart.querySelector(".hover");
  const nodes = [];
  if (target && target.line) {
    const {x0, y0, x1, y1} = target.line;
    nodes.push(svg("line", {class: "thick", x1: x0, y1: y0, x2: x1, y2: y1, style: lineStyle(target)}));
  } else if (target) {
    const same = drawn.marks.filter((mark) => target.kind === "point" && mark.kind === "point" &&
      mark.point === target.point);
    const xs = same.map((mark) => mark.px);
    if (same.length > 1) {
      nodes.push(svg("line", {class: "joined", x1: Math.min(...xs), x2: Math.max(...xs),
        y1: target.py, y2: target.py}));
    }
    nodes.push(svg("path", {class: "foot", d: `M${target.px},${target.py}V${frame.bottom}M${target.px},` +
      `${target.py}H${frame.left}`}), svg("circle", {class: "halo", cx: target.px, cy: target.py, r: 8}));
  }
  layer.replaceChildren(...nodes);
}

/* The place in the window of a symbol, or of the middle of a roof. */
function placeOf(target) {
  const box = chart.getBoundingClientRect();
  const scale = box.width / frame.width;
  const x = target.line ? (target.line.x0 + target.line.x1) / 2 : target.px;
  const y = target.line ? (target.line.y0 + target.line.y1) / 2 : target.py;
  return [box.left + x * scale, box.top + y * scale];
}

function showAt(key) {
  const target = find(key);
  if (target) {
    showTooltip(key, ...placeOf(target));
  }
}
