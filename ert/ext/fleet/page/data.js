/* SPDX-License-Identifier: BSD-3-Clause */
/* What the page has, from its JSON: numbers as typed arrays, and what follows from them. */
const data = JSON.parse(document.getElementById("data").textContent);
const ABSENT = -32768, LEAST = -32767, MOST = 32767;

function decode(text, Type) {
  const bytes = atob(text || ""), array = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) {
    array[i] = bytes.charCodeAt(i);
  }
  return new Type(array.buffer);
}

const {hosts, columns, groups, findings, kinds} = data;
const nNodes = hosts.length;
const groupOf = decode(data.group, Uint32Array), records = decode(data.recordsOf, Uint32Array);
const change = decode(data.change, Int16Array); /* by ceiling, then node */
const nodeOf = new Map(hosts.map((host, i) => [host, i]));
const findingsOf = new Map();
findings.forEach((finding) => {
  [finding.host, finding.peer].filter(Boolean).forEach((host) => {
    findingsOf.set(host, [...findingsOf.get(host) || [], finding]);
  });
});

const verdicts = new Map();
{
  const list = decode(data.verdicts, Uint32Array);
  for (let i = 0; i < list.length; i += 3) {
    verdicts.set(list[i] * nNodes + list[i + 1], data.verdictNames[list[i + 2]]);
  }
}

/* Of each group's ceilings the median and the limit; 1: too few nodes for one. */
groups.forEach((group) => {
  group.median = {};
  group.limit = {};
  group.of.forEach(([column, median, limit]) => {
    group.median[column] = median;
    group.limit[column] = limit;
  });
});
const limitOf = (column, node) => groups[groupOf[node]].limit[column] ?? 1;

/* How far a node is towards its limit, slow above 0: 1 is at it. NaN: not measured. Groups that are too small
   for a limit (1) are shown on a scale of a quarter. */
function distance(column, node) {
  const value = change[column * nNodes + node], limit = limitOf(column, node);
  return value === ABSENT ? NaN : -value / 1e4 / (limit < 1 ? limit : 0.25);
}

/* Each node's worst ceiling. */
const worst = new Float32Array(nNodes).fill(-Infinity), worstColumn = new Int32Array(nNodes).fill(-1);
for (let column = 0; column < columns.length; column++) {
  for (let node = 0; node < nNodes; node++) {
    const value = distance(column, node);
    if (value > worst[node]) {
      worst[node] = value;
      worstColumn[node] = column;
    }
  }
}

const BADNESS = {bad: 2, open: 1, note: 0};
const badness = hosts.map((host) =>
  Math.max(-1, ...(findingsOf.get(host) || []).map((finding) => BADNESS[finding.severity])));

function valueOf(column, node) {
  const group = groups[groupOf[node]], ratio = 1 + change[column * nNodes + node] / 1e4;
  return columns[column].time ? group.median[column] / ratio : group.median[column] * ratio;
}

const columnName = (column) => `${columns[column].device} ${columns[column].name}`;

/* Nodes in the orders that one can choose. */
const byHost = (a, b) => a - b; /* the fleet is sorted by host */
const ORDERS = {
  worst: (a, b) => badness[b] - badness[a] || worst[b] - worst[a] || a - b,
  host: byHost,
  group: (a, b) => groupOf[a] - groupOf[b] || byHost(a, b),
};

function nodesBy(order) {
  return Array.from(hosts.keys()).sort(ORDERS[order]);
}
