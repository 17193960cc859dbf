/* SPDX-License-Identifier: BSD-3-Clause */
/* What C wrote into the page (page_machine.c, page_points.c), and lists made of it for drawing. */
const data = JSON.parse(document.getElementById("data").textContent);
const machines = data.machines;
const points = data.points;
const textOf = (index) => (index === undefined ? "" : data.texts[index]);

/* Innermost first; names that are not here come last, in the order of the file. */
const LEVEL_ORDER = ["shared", "L1", "L2", "L3", "L4", "MCDRAM", "HBM", "DRAM", "memory", "host", "NET"];
const TYPE_ORDER = ["fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "int32", "int8", "inst"];

function inOrder(names, order) {
  const rank = (name) => (order.includes(name) ? order.indexOf(name) : order.length);
  return unique(names).sort((a, b) => rank(a) - rank(b)); /* stable: the rest as in the file */
}

function unique(list) {
  return [...new Set(list)];
}

/* "NVIDIA H200" and "Intel(R) Xeon(R) Processor" as a label has room for them; never two the same. */
function shortName(machine) {
  const name = (machine.name || machine.id)
    .replace(/\((R|TM)\)|NVIDIA|Genuine|\bCPU\b|Processor|@.*$/gi, " ").replace(/\s+/g, " ").trim();
  return (name || machine.id).slice(0, 24);
}

machines.forEach((machine, index) => {
  machine.index = index;
  machine.short = shortName(machine);
});
for (const key of ["id", "host", "file"]) {
  const count = {};
  for (const machine of machines) {
    count[machine.short] = (count[machine.short] || 0) + 1;
  }
  for (const machine of machines) {
    if (count[machine.short] > 1 && machine[key]) {
      machine.short += " " + machine[key];
    }
  }
}

const pointLevels = unique(points.flatMap((point) => point.levels.map((level) => level.level)));
const levelNames = inOrder([
  ...machines.flatMap((machine) => machine.bandwidths.map((roof) => roof.level)),
  ...pointLevels.map(textOf),
], LEVEL_ORDER);
const patternNames = unique(machines.flatMap((machine) => machine.bandwidths.map((r) => r.pattern)));
const typeNames = inOrder(machines.flatMap((machine) => machine.peaks.map((r) => r.type)), TYPE_ORDER);
const workTypes = unique(points.flatMap((point) => point.work.map((work) => work.type))).map(textOf);

/* A point without a run belongs to the series of its file. */
for (const point of points) {
  point.series = textOf(point.run) || textOf(point.source).replace(/^.*\//, "") || "(no run)";
}
const runs = unique(points.map((point) => point.series));
const briefOf = (point) => textOf(point.brief);

/* Kernels by the time that they take: the rank chooses a colour. */
const kernelTime = new Map();
for (const point of points) {
  kernelTime.set(point.name, (kernelTime.get(point.name) || 0) + (point.time_s || 0));
}
const kernelNames = [...kernelTime.keys()].sort((a, b) => kernelTime.get(b) - kernelTime.get(a));
const kernelRank = new Map(kernelNames.map((name, rank) => [name, rank]));

/* A type of which no peak has a name of its own on charts shows its fastest. */
for (const machine of machines) {
  for (const type of unique(machine.peaks.map((peak) => peak.type))) {
    const peaks = machine.peaks.filter((peak) => peak.type === type);
    const fastest = peaks.reduce((best, peak) => (peak.value > best.value ? peak : best));
    const named = peaks.some((peak) => peak.label);
    peaks.forEach((peak) => {
      peak.main = Boolean(peak.label) || (!named && peak === fastest);
    });
  }
}

/* One symbol per point and level, as columns: 100,000 points have some 300,000. A level that the bytes pass
 * by (TMA and L1) has none: its intensity is of nothing, and would stretch the axis by decades. */
const symbols = (() => {
  const found = [];
  points.forEach((point, index) => {
    for (const level of point.levels) {
      if (point.perf > 0 && level.intensity > 0 && !level.passed) {
        found.push([index, levelNames.indexOf(textOf(level.level)), level.intensity, point.perf]);
      }
    }
  });
  return {
    count: found.length,
    point: Uint32Array.from(found, (row) => row[0]),
    level: Uint8Array.from(found, (row) => row[1]),
    x: Float64Array.from(found, (row) => Math.log10(row[2])),
    y: Float64Array.from(found, (row) => Math.log10(row[3])),
  };
})();
