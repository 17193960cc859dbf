/* SPDX-License-Identifier: BSD-3-Clause */
/* What is switched on, and what of the data that leaves visible. Drawing reads it, switches write it. */
const VERSION_NAME = /^v\d/i;

/* Points that say which step of a study they are, or are called v0, v1 ..., are joined at first. */
function firstTrajectory() {
  if (points.some((point) => point.scale > 0)) {
    return "scale";
  }
  const complete = points.filter((point) => point.perf > 0);
  const versions = complete.length > 1 && complete.length <= 64 &&
    complete.every((point) => VERSION_NAME.test(point.name));
  return versions ? "order" : "off";
}

/* The types that the points use, where there are such with a roof; else those named on charts. */
function firstTypes() {
  const used = typeNames.filter((type) => workTypes.includes(type));
  if (used.length) {
    return used;
  }
  const main = machines.flatMap((machine) => machine.peaks.filter((peak) => peak.first));
  return main.length ? unique(main.map((peak) => peak.type)) : typeNames;
}

const state = {
  levels: new Set(levelNames),
  best: true,
  patterns: new Set(),
  types: new Set(firstTypes()),
  all: false,
  measured: true,
  theory: false,
  machines: new Set(machines.filter((machine) => !machine.reason).map((machine) => machine.index)),
  runs: new Set(runs),
  hidden: new Set(),
  search: "",
  colour: points.length ? (runs.length > 1 ? "run" : "kernel") : machines.length > 1 ? "machine" : "level",
  trajectory: firstTrajectory(),
  names: true,
};

/* Whether the words of the search box are all in a kernel's name; names are few, points many. */
function matches(name, words) {
  const lower = name.toLowerCase();
  return words.every((word) => lower.includes(word));
}

function chosenNames() {
  const words = state.search.toLowerCase().split(/\s+/).filter(Boolean);
  const chosen = new Map();
  for (const point of points) {
    if (!chosen.has(point.name)) {
      chosen.set(point.name, !state.hidden.has(point.name) && matches(point.name, words));
    }
  }
  return chosen;
}

/* Why a point is not drawn; the table has the words. */
const DRAWN = 0, NO_DATA = 1, RUN_OFF = 2, NAME_OFF = 3, LEVELS_OFF = 4, OUTSIDE = 5, COVERED = 6;

function whyNotDrawn(point, status) {
  if (status === NO_DATA) {
    const reasons = point.missing.map((missing) => `${missing.what}: ${missing.reason}`);
    return "no: " + (reasons.join("; ") || "no intensity or no FLOP/s");
  }
  return ["yes", "", "no: its run is switched off", "no: its kernel is not chosen",
    "no: its levels are switched off", "no: outside the view",
    "no: under another symbol, or of the least time"][status];
}

/* Where a point stands on the machines that are switched on: C has placed it (place.c). */
function placements(point) {
  return point.placed.filter((placed) => state.machines.has(placed.machine));
}

/* The visible roofs of a machine: value in byte/s (diagonals) or op/s (flats), fastest first. */
function visibleRoofs(machine) {
  const wanted = (roof) => (state.best && roof.roof) || state.patterns.has(roof.pattern);
  const diagonals = machine.bandwidths.filter((roof) => roof.value > 0 &&
    state.levels.has(roof.level) && wanted(roof));
  const flats = machine.peaks.filter((peak) => peak.value > 0 && state.types.has(peak.type) &&
    (peak.main || state.all));
  return {
    diagonals: diagonals.sort((a, b) => b.value - a.value),
    flats: flats.sort((a, b) => b.value - a.value),
  };
}
