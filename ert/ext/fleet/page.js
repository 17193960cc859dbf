/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The page of a fleet: fleet.json (fleet.schema.json) as findings, a map of the nodes by switch, and a table
 * of the node that one chooses.
 */
const fleet = JSON.parse(document.getElementById("data").textContent);
const {columns, groups, findings} = fleet;
const UNITS = {"flop/s": "FLOP/s", "byte/s": "B/s", "op/s": "OP/s"};
const columnName = (c) => `${columns[c].device} ${columns[c].name}`;
const measure = (value, unit) => unit === "s" ? seconds(value) : si(value, UNITS[unit] || unit);
const signed = (change) => `${change > 0 ? "+" : ""}${percent(change)}`;

/* Of each group's ceilings the median and the limit. */
groups.forEach((group) => {
  const compared = group.ceilings.filter((ceiling) => !ceiling.per_cycle);
  group.of = new Map(compared.map((ceiling) => [ceiling.column, ceiling]));
});

const findingsOf = new Map();
findings.forEach((finding) => {
  [...finding.hosts.split(","), finding.peer].filter(Boolean).forEach((host) => {
    findingsOf.set(host, [...findingsOf.get(host) || [], finding]);
  });
});

/* Nodes that have no record are on the map, too. */
const nodes = [...fleet.nodes];
{
  const known = new Set(nodes.map((node) => node.host));
  findings.filter((finding) => finding.kind === "missing" && !known.has(finding.hosts)).forEach((finding) => {
    nodes.push({host: finding.hosts, status: "missing", columns: [], values: [], changes: [], clocks_hz: [],
      verdicts: []});
  });
}
nodes.forEach((node) => {
  node.at = new Map(node.columns.map((column, i) => [column, i]));
  node.findings = findingsOf.get(node.host) || [];
  node.is = ["bad", "open"].find((severity) =>
    node.findings.some((finding) => finding.severity === severity)) || "";
});
const nodeOf = new Map(nodes.map((node) => [node.host, node]));

/* How far a node is towards its limit, slow above 0: 1 is at it. Groups too small for a limit (1) are shown
   on a scale of a quarter. NaN: not measured. */
function distance(node, column) {
  const i = node.at.get(column);
  if (i === undefined) {
    return NaN;
  }
  const {limit} = groups[node.group].of.get(column);
  return -node.changes[i] / (limit < 1 ? limit : 0.25);
}

/* The ceiling in which the node is nearest to its limit; -1: none. */
function worstOf(node) {
  return node.columns.reduce((worst, column) =>
    worst < 0 || distance(node, column) > distance(node, worst) ? column : worst, -1);
}

/* Pale within the limit, a step at it, deeper beyond: Okabe and Ito's vermilion and blue, which the
   colour-blind tell apart. */
function shade(value) {
  const size = Math.abs(value), share = size < 1 ? 0.38 * size * size : Math.min(0.55 + 0.15 * size, 1);
  return `color-mix(in srgb, var(--${value > 0 ? "c1" : "c0"}) ${Math.round(100 * share)}%, var(--minor))`;
}

/* ---- the map ---- */

/* The switch; without one the name up to its last number. */
const rackOf = (node) => node.switch || node.host.replace(/\d+[^\d]*$/, "*");

function tile(node, column) {
  const of = column < 0 ? worstOf(node) : column, value = distance(node, of);
  const said = value === value ? `${columnName(of)} ${signed(node.changes[node.at.get(of)])}` :
    node.columns.length ? "not measured" : node.status;
  const button = element("button", {class: `node ${node.is}`, title: `${node.host}: ${said}`,
    "aria-label": node.host, "data-host": node.host});
  button.style.background = value === value ? shade(value) : "";
  button.classList.toggle("none", value !== value);
  return button;
}

function drawMap(map, column) {
  const racks = new Map();
  nodes.forEach((node) => racks.set(rackOf(node), [...racks.get(rackOf(node)) || [], node]));
  map.replaceChildren(...[...racks].map(([name, some]) => element("figure", {},
    element("figcaption", {}, `${name} `, element("span", {}, count(some.length))),
    element("div", {class: "rack"}, ...some.map((node) => tile(node, column))))));
}

function mapSection() {
  const map = element("div", {id: "map"});
  const choose = element("select", {"aria-label": "ceiling"}, element("option", {value: -1}, "worst ceiling"),
    ...columns.map((unused, i) => element("option", {value: i}, columnName(i))));
  choose.addEventListener("change", () => drawMap(map, Number(choose.value)));
  map.addEventListener("click", (event) => show(event.target.dataset.host));
  drawMap(map, -1);
  return element("section", {}, element("h2", {}, "Nodes"), element("p", {class: "hint"},
    "Orange: slower than the median of the same hardware, deep beyond the limit. Blue: faster. Framed: it ",
    "has findings. Dashed: not measured."), choose, map);
}

/* ---- one node ---- */

const chosen = element("section", {id: "chosen", hidden: true});

function ceilingRow(node, column, i) {
  const ceiling = groups[node.group].of.get(column), {unit} = columns[column];
  const verdict = node.verdicts.find((own) => own.column === column);
  return element("tr", {class: verdict && verdict.verdict}, element("td", {}, columnName(column)),
    ...[measure(node.values[i], unit), measure(ceiling.median, unit), signed(node.changes[i]),
      ceiling.limit < 1 ? signed(-ceiling.limit) : "–",
      node.clocks_hz[i] ? si(node.clocks_hz[i], "Hz") : "–"].map((text) =>
      element("td", {class: "number"}, text)), element("td", {}, verdict ? verdict.verdict : ""));
}

function show(host) {
  const node = nodeOf.get(host);
  if (!node) {
    return;
  }
  const order = node.columns.map((column, i) => [column, i]).sort((a, b) =>
    distance(node, b[0]) - distance(node, a[0]));
  const about = node.group === undefined ? node.status :
    `${groups[node.group].name}; ${node.status}; ${count(node.records)} records`;
  chosen.hidden = false;
  chosen.replaceChildren(element("h2", {}, node.host), element("p", {class: "hint"}, about),
    findingList(node.findings, false), element("table", {}, element("thead", {}, element("tr", {},
      ...["Ceiling", "Value", "Median", "Change", "Limit", "Clock", ""].map((text) =>
        element("th", {}, text)))),
      element("tbody", {}, ...order.map(([column, i]) => ceilingRow(node, column, i)))));
  chosen.scrollIntoView({block: "nearest"});
}

/* ---- findings ---- */

function findingList(some, isLinked) {
  return element("ol", {class: "findings"}, ...some.map((finding) => {
    const item = element("li", {class: finding.severity}, element("b", {}, finding.kind), finding.sentence);
    if (isLinked && nodeOf.has(finding.hosts)) {
      item.addEventListener("click", () => show(finding.hosts));
      item.classList.add("link");
    }
    return item;
  }));
}

function findingSection() {
  const MOST = 500, left = findings.length - MOST; /* a pulled cable makes thousands */
  return element("section", {id: "found"}, element("h2", {}, "What was found"),
    findings.length ? findingList(findings.slice(0, MOST), true) : element("p", {}, "nothing"),
    left > 0 ? element("p", {class: "hint"}, `and ${count(left)} more, in fleet.json`) : null);
}

{
  const number = (severity) => nodes.filter((node) => node.is === severity).length;
  const title = `${count(nodes.length)} nodes, ${count(number("bad"))} bad, ${count(number("open"))} open`;
  document.title = `Fleet: ${title}`;
  document.body.append(element("header", {}, element("div", {}, element("h1", {}, title), element("p", {},
    `${count(fleet.records)} records, the newest of ${fleet.created}; ${count(fleet.comparisons)} ` +
    `comparisons, in which ${fleet.false_alarms} sound nodes are expected to be called slow`))),
  element("main", {}, findingSection(), nodes.length ? mapSection() : "", chosen));
  document.body.dataset.ready = "yes";
}
