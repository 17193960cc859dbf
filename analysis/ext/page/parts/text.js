/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as text, as ert/core/base/units.c writes them: four significant digits; and small helpers. */
const PREFIXES = [["E", 1e18], ["P", 1e15], ["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3], ["", 1]];

function four(value) {
  const text = Number(value.toPrecision(4));
  if (text !== 0 && (Math.abs(text) < 1e-4 || Math.abs(text) >= 1e6)) {
    return value.toExponential(3);
  }
  return value.toPrecision(4);
}

/* bandwidths stay in GB/s up to 10 TB/s, as in units.c: they compare without moving the point */
function si(value, unit) {
  if (!Number.isFinite(value)) {
    return "–";
  }
  const rounded = Number(Math.abs(value).toPrecision(4));
  const at = (scale) => (unit === "B/s" && scale === 1e12 ? 1e13 : scale);
  const [prefix, scale] = PREFIXES.find((row) => rounded >= at(row[1])) || PREFIXES[6];
  return `${four(value / scale)} ${prefix}${unit}`;
}

function seconds(value) {
  const row = [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]].find((r) => value >= r[1]);
  return row ? `${four(value / row[1])} ${row[0]}` : `${four(value * 1e9)} ns`;
}

function percent(value) {
  return `${(100 * value).toFixed(1)} %`;
}

function range(low, high, format) {
  return low > 0 && high > 0 ? `${format(low)} to ${format(high)}` : "";
}

function count(number) {
  return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, " ");
}

const isOps = (type) => /^(u?int\d|inst)/.test(type);
const peakUnit = (peak) => (peak.type === "inst" ? "inst/s" : isOps(peak.type) ? "OP/s" : "FLOP/s");

/* "FP64 tensor", as charts have it; of other units what the file calls it: "int32-add" */
function peakName(peak) {
  const main = peak.main && /tensor|amx/.test(peak.unit);
  return peak.label || (main ? `${peak.type.toUpperCase()} ${peak.unit}` : peak.name);
}

/* Elements: text only ever becomes a text node, so nothing that a file says can become markup. */
function element(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(key, value === true ? "" : value);
    }
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function svg(name, attributes, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) {
    node.setAttribute(key, attributes[key]);
  }
  if (text !== undefined) {
    node.textContent = text;
  }
  return node;
}

const ruler = document.createElement("canvas").getContext("2d");
const FONT = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Helvetica, Arial, sans-serif";

function textWidth(text, size, bold) {
  ruler.font = `${bold ? "600 " : ""}${size}px ${FONT}`;
  return ruler.measureText(text).width;
}
