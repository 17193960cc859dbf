/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables under the chart: all points, drawn or not and why; all roofs; what was not measured. */
const PAGE_ROWS = 50;
const order = {column: "Time", down: true, rows: PAGE_ROWS};
const pointTable = element("div", {id: "points", class: "scroll", tabindex: 0, role: "region",
  "aria-label": "All points"});
let tableTimer = 0;

/* head, value to sort by, text or node, whether it is of numbers, class, text of the sum */
function pointColumns() {
  const level = (name) => (point) => {
    const entry = point.levels.find((candidate) => candidate.level === name);
    return entry && !entry.passed && entry.intensity;
  };
  const on = (point) => placements(point)[0] || {};
  const bound = (point) => on(point).bound || "";
  const fraction = (point) => on(point).fraction || 0;
  const hint = (point) => on(point).hint || "";
  const launched = points.some((point) => point.launches > 0);
  const name = (point) => element("span", {class: "name", title: point.name}, briefOf(point));
  const number = (value) => (value ? four(value) : "–");
  return [
    ["Kernel", briefOf, name],
    ...(runs.length > 1 ? [["Run", (p) => p.series, (p) => p.series]] : []),
    ["Time", (p) => p.time_s || 0, (p) => (p.time_s ? seconds(p.time_s) : "–"), true, null, seconds],
    ["Share", (p) => p.share || 0, (p) => (p.share ? percent(p.share) : "–"), true, null, percent],
    ...(launched ? [["Launches", (p) => p.launches || 0, (p) => (p.launches ? count(p.launches) : "–"), true,
      null, count]] : []),
    ["FLOP/s", (p) => p.perf || 0, (p) => (p.perf ? si(p.perf, "FLOP/s") : "–"), true],
    ["Bound by", bound, bound, false, "short"],
    ["Of roof", fraction, (p) => (fraction(p) ? percent(fraction(p)) : "–"), true],
    ["Headroom", (p) => on(p).saved || 0, (p) => (on(p).saved ? seconds(on(p).saved) : "–"), true,
      null, seconds],
    ["What to do", hint, hint, false, "short"],
    ...levelNames.filter((name) => pointLevels.includes(name))
      .map((name) => [`FLOP/byte, ${name}`, (p) => level(name)(p) || 0, (p) => number(level(name)(p)), true]),
    ["Drawn", (p, i) => drawn.status[i], (p, i) => whyNotDrawn(p, drawn.status[i]), false, "why"],
  ];
}

function sortedRows(columns) {
  const rowsOf = points.map((point, i) => i);
  const column = columns.find((candidate) => candidate[0] === order.column);
  const keys = points.map((point, i) => column[1](point, i));
  const sign = order.down ? -1 : 1;
  return rowsOf.sort((a, b) => sign * (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : 0) || a - b);
}

function headCell(columns, i) {
  const sorts = order.column === columns[i][0];
  const button = element("button", {type: "button"}, columns[i][0],
    element("span", {"aria-hidden": "true"}, sorts ? (order.down ? " ▾" : " ▴") : ""));
  button.addEventListener("click", () => {
    order.down = sorts ? !order.down : Boolean(columns[i][3]);
    order.column = columns[i][0];
    fillPoints();
  });
  return element("th", {scope: "col", class: columns[i][3] ? "number" : null,
    "aria-sort": sorts ? (order.down ? "descending" : "ascending") : null}, button);
}

let selected = -1;

/* Marks the row of a point; null: of none. */
function selectPoint(index) {
  selected = index === null ? -1 : index;
  for (const row of pointTable.querySelectorAll("tr[data-point]")) {
    row.classList.toggle("selected", Number(row.dataset.point) === selected);
  }
}

function pointRow(columns, index) {
  const row = element("tr", {"data-point": index, "data-status": drawn.status[index],
    class: index === selected ? "selected" : null},
    ...columns.map((column) =>
      element("td", {class: column[3] ? "number" : column[4]}, column[2](points[index], index))));
  row.addEventListener("pointerenter", () => {
    highlight(drawn.points.find((mark) => mark.point === index));
  });
  row.addEventListener("pointerleave", () => shown.key || highlight(null));
  row.addEventListener("click", () => {
    const mark = drawn.points.find((candidate) => candidate.point === index);
    selectPoint(index);
    shown.pinned = Boolean(mark);
    showAt(mark && mark.key);
    if (mark) {
      chart.scrollIntoView({block: "nearest"});
    }
  });
  return row;
}

/* Of several runs a sum says nothing. */
function totalRow(columns) {
  if (points.length < 2 || runs.length > 1) {
    return [];
  }
  const isPart = (point) => point.values && point.values.part_of_run > 0; // of a row for the whole run
  const sum = (column) =>
    points.reduce((total, point, i) => total + (isPart(point) ? 0 : column[1](point, i)), 0);
  const text = (column) => (column[5] && sum(column) > 0 ? column[5](sum(column)) : "");
  return [element("tfoot", {}, element("tr", {}, ...columns.map((column, i) =>
    element("td", {class: column[3] ? "number" : null}, i === 0 ? "Total" : text(column)))))];
}

function fillPoints() {
  const columns = pointColumns();
  const sorted = sortedRows(columns);
  const body = element("tbody", {}, ...sorted.slice(0, order.rows).map((index) => pointRow(columns, index)));
  pointTable.replaceChildren(element("table", {}, element("thead", {}, element("tr", {},
    ...columns.map((column, i) => headCell(columns, i)))), body, ...totalRow(columns)));
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
    roof.warning || ""];
  return plainTable(["Ceiling", "Measured", "Interval", "Theory", "Share", "Clock", "Warning"],
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
