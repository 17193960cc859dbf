/* SPDX-License-Identifier: BSD-3-Clause */
/* What C wrote into the page: the roofs of each machine, the points as in points.json, and for each machine
 * their placements as `roofline place --output json` has them (report.c); and lists made of it. */
const data = JSON.parse(document.getElementById("data").textContent);
const machines = data.machines;

/* A machine without ceilings has a reason, and nothing to draw. */
for (const machine of machines) {
  for (const list of ["bandwidths", "peaks", "ridges", "kernels"]) {
    machine[list] = machine[list] || [];
  }
}

const levelRow = (kernel, level) => kernel.rows.find((row) => row.level === level) || {};

/* Where a point stands on a machine; units: rows of operations, without their limits. */
function placedOn(kernel, machine, point) {
  const {bound} = kernel;
  return {machine, bound: bound.name, fraction: bound.fraction, attainable: bound.attainable_flop_per_s,
    next: bound.next, saved: kernel.headroom_s, clock: kernel.conditions.clock_hz, hint: kernel.hint,
    advice: kernel.advice, levels: point.bytes.map((entry) => levelRow(kernel, entry.level).fraction),
    units: kernel.rows.filter((row) => !row.level && row.unit !== "inst/s" && !/registers$/.test(row.roof))
      .map((row) => ({name: row.roof, peak: row.value, fraction: row.fraction}))};
}

/* Of several machines the one whose roofs have most of the point's levels comes first. */
const points = data.points.map((point, index) => {
  const matched = (on) => point.bytes.filter((entry) => levelRow(on.kernel, entry.level).fraction).length;
  const kernels = machines.map((machine, at) => ({kernel: machine.kernels[index], at}))
    .filter((on) => on.kernel).sort((a, b) => matched(b) - matched(a));
  const first = kernels.length ? kernels[0].kernel : {rows: []};
  return {...point, brief: data.names[index], share: first.share, perf: first.flop_per_s,
    work: point.flops.map((work) => ({...work, unit: work.unit || ""})),
    levels: point.bytes.map((entry) => {
      const row = levelRow(first, entry.level);
      return {...entry, intensity: row.intensity, rate: row.reached, passed: row.passed};
    }),
    missing: point.missing || [], warnings: point.warnings || [],
    placed: kernels.map((on) => placedOn(on.kernel, on.at, point))};
});

const TYPE_ORDER = ["fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "fp6", "fp4", "int32", "int8", "inst"];

/* Names that are not in the order come last, as in the file. */
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
  ...pointLevels,
], data.levels);
const patternNames = unique(machines.flatMap((machine) => machine.bandwidths.map((r) => r.pattern)));
const typeNames = inOrder(machines.flatMap((machine) => machine.peaks.map((r) => r.type)), TYPE_ORDER);
const workTypes = unique(points.flatMap((point) => point.work.map((work) => work.type)));

/* A point without a run belongs to the series of its file. */
for (const point of points) {
  point.series = point.run || (point.source || "").replace(/^.*\//, "") || "(no run)";
}
const runs = unique(points.map((point) => point.series));
const briefOf = (point) => point.brief;

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

/* One symbol per point and level, as columns: 2000 points have some 8000. A level that the bytes pass
 * by (TMA and L1) has none: its intensity is of nothing, and would stretch the axis by decades. */
const symbols = (() => {
  const found = [];
  points.forEach((point, index) => {
    for (const level of point.levels) {
      if (point.perf > 0 && level.intensity > 0 && !level.passed) {
        found.push([index, levelNames.indexOf(level.level), level.intensity, point.perf]);
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
