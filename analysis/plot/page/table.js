/* Tables under the chart: all points, drawn or not and why; all roofs; what was not measured. */
const PAGE_ROWS = 50;
const order = {column: null, down: false, rows: PAGE_ROWS};
const pointTable = element("div", {id: "points", class: "scroll", tabindex: 0, role: "region",
  "aria-label": "All points"});
let tableTimer = 0;

/* head, value to sort by, text */
function pointColumns() {
  const level = (name) => (point) => {
    const entry = point.levels.find((candidate) => textOf(candidate.level) === name);
    return entry && entry.intensity;
  };
  const bound = (point) => (placements(point)[0] || {}).bound || "";
  const fraction = (point) => (placements(point)[0] || {}).fraction || 0;
  const number = (value) => (value ? four(value) : "–");
  return [
    ["Kernel", (p) => textOf(p.name), (p) => textOf(p.name)],
    ...(runs.length > 1 ? [["Run", (p) => p.series, (p) => p.series]] : []),
    ["Time", (p) => p.time_s || 0, (p) => (p.time_s ? seconds(p.time_s) : "–"), true],
    ["FLOP/s", (p) => p.perf || 0, (p) => (p.perf ? si(p.perf, "FLOP/s") : "–"), true],
    ...levelNames.filter((name) => pointLevels.some((index) => textOf(index) === name))
      .map((name) => [`FLOP/byte, ${name}`, (p) => level(name)(p) || 0, (p) => number(level(name)(p)), true]),
    ["Bound by", bound, bound],
    ["Of it", fraction, (p) => (fraction(p) ? percent(fraction(p)) : "–"), true],
    ["Drawn", (p, i) => drawn.status[i], (p, i) => whyNotDrawn(p, drawn.status[i])],
  ];
}

function sortedRows(columns) {
  const rowsOf = points.map((point, i) => i);
  const column = columns[order.column];
  if (!column) {
    return rowsOf;
  }
  const keys = points.map((point, i) => column[1](point, i));
  const sign = order.down ? -1 : 1;
  return rowsOf.sort((a, b) => sign * (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : 0) || a - b);
}

function headCell(columns, i) {
  const button = element("button", {type: "button"}, columns[i][0],
    element("span", {"aria-hidden": "true"}, order.column === i ? (order.down ? " ▾" : " ▴") : ""));
  button.addEventListener("click", () => {
    order.down = order.column === i ? !order.down : Boolean(columns[i][3]);
    order.column = i;
    fillPoints();
  });
  return element("th", {scope: "col", class: columns[i][3] ? "number" : null,
    "aria-sort": order.column === i ? (order.down ? "descending" : "ascending") : null}, button);
}

function pointRow(columns, index) {
  const row = element("tr", {"data-point": index, "data-status": drawn.status[index]},
    ...columns.map((column) =>
      element("td", {class: column[3] ? "number" : null}, column[2](points[index], index))));
  row.addEventListener("pointerenter", () => {
    highlight(drawn.points.find((mark) => mark.point === index));
  });
  row.addEventListener("pointerleave", () => highlight(null));
  return row;
}

function fillPoints() {
  const columns = pointColumns();
  const sorted = sortedRows(columns);
  const body = element("tbody", {}, ...sorted.slice(0, order.rows).map((index) => pointRow(columns, index)));
  pointTable.replaceChildren(element("table", {}, element("thead", {}, element("tr", {},
    ...columns.map((column, i) => headCell(columns, i)))), body));
  if (sorted.length > order.rows) {
    const left = sorted.length - order.rows;
    const more = element("button", {type: "button", class: "more"},
      `${count(left)} more rows: show ${count(Math.min(500, left))}`);
    more.addEventListener("click", () => {
      order.rows += 500;
      fillPoints();
    });
    pointTable.append(more);
  }
}

/* While the view moves, the words "outside the view" can wait. */
function refreshTable() {
  clearTimeout(tableTimer);
  tableTimer = setTimeout(fillPoints, 150);
}

function plainTable(heads, list, numbers) {
  const cls = (i) => ({class: numbers.includes(i) ? "number" : null});
  return element("div", {class: "scroll"}, element("table", {},
    element("thead", {}, element("tr", {},
      ...heads.map((head, i) => element("th", {scope: "col", ...cls(i)}, head)))),
    element("tbody", {}, ...list.map((row) =>
      element("tr", {}, ...row.map((cell, i) => element("td", cls(i), cell)))))));
}

function roofTable(machine) {
  const row = (roof, unit) => [roof.name, si(roof.value, unit),
    range(roof.low, roof.high, (value) => si(value, unit)), roof.theory ? si(roof.theory, unit) : "–",
    roof.fraction ? percent(roof.fraction) : "–", roof.clock ? si(roof.clock, "Hz") : "–",
    roof.confidence + (roof.warning ? `: ${roof.warning}` : "")];
  return plainTable(["Ceiling", "Measured", "Interval", "Theory", "Share", "Clock", "Confidence"],
    [...machine.bandwidths.map((roof) => row(roof, "B/s")),
      ...machine.peaks.map((peak) => row(peak, peakUnit(peak)))], [1, 2, 3, 4, 5]);
}

function fold(title, open, ...children) {
  return element("details", {open}, element("summary", {}, title), ...children);
}

function buildTables() {
  const tables = points.length ? [fold(`Points (${count(points.length)})`, true, pointTable)] : [];
  for (const machine of machines) {
    const number = machine.bandwidths.length + machine.peaks.length;
    tables.push(fold(`Ceilings of ${machine.short} (${number})`, false, roofTable(machine)));
    if (machine.not_measured.length) {
      tables.push(fold(`Not measured on ${machine.short} (${machine.not_measured.length})`, false,
        plainTable(["Ceiling", "Reason"], machine.not_measured, [])));
    }
  }
  return element("section", {id: "tables"}, ...tables);
}
