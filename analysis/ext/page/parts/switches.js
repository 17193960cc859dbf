/* SPDX-License-Identifier: BSD-3-Clause */
/* The panel of switches: each writes state and draws anew. */
const NAMES_SHOWN = 40;

function refresh() {
  showTooltip(null);
  redraw();
}

function checkbox(text, on, change, symbol) {
  const input = element("input", {type: "checkbox"});
  input.checked = on;
  input.addEventListener("change", () => {
    change(input.checked);
    refresh();
  });
  return element("label", {}, input, symbol || null, element("span", {}, text));
}

/* A checkbox of a value in a set. */
function member(text, set, value, symbol) {
  return checkbox(text, set.has(value), (on) => (on ? set.add(value) : set.delete(value)), symbol);
}

function choice(text, options, field) {
  const select = element("select", {}, ...options.map(([value, name]) =>
    element("option", {value, selected: value === state[field]}, name)));
  select.addEventListener("change", () => {
    state[field] = select.value;
    refresh();
  });
  return element("label", {class: "choice"}, element("span", {}, text), select);
}

function group(title, ...children) {
  return children.length ? element("fieldset", {"data-group": title.toLowerCase()},
    element("legend", {}, title), ...children) : null;
}

function swatch(shape, style) {
  const node = svg("svg", {class: "swatch", viewBox: "-8 -8 16 16", "aria-hidden": "true"});
  node.append(svg("path", {d: shape, style}));
  return node;
}

function machineSwitches() {
  const text = (machine) => machine.short + (machine.reason ? " (nothing to draw)" : "");
  return machines.length > 1 ? group("Machines", ...machines.map((machine) =>
    member(text(machine), state.machines, machine.index))) : null;
}

function runSwitches() {
  const square = (i) => swatch("M-6,-6H6V6H-6Z", `fill:var(--c${i % N_COLOURS})`);
  return runs.length > 1
    ? group("Runs", ...runs.map((run, i) => member(run, state.runs, run, square(i)))) : null;
}

/* Kernels: a search box, and a checkbox for each of those that take the most time. */
function kernelSwitches() {
  const names = kernelNames;
  if (names.length < 2) {
    return null;
  }
  const brief = new Map(points.map((point) => [point.name, briefOf(point)]));
  const search = element("input", {type: "search", placeholder: "words of its name",
    "aria-label": "Show only kernels with these words in their names"});
  const list = element("div", {class: "names"});
  const fill = () => {
    const words = state.search.toLowerCase().split(/\s+/).filter(Boolean);
    const found = names.filter((name) => matches(name, words));
    const more = found.length - NAMES_SHOWN;
    list.replaceChildren(...found.slice(0, NAMES_SHOWN).map((name) => hide(name)),
      more > 0 ? element("p", {}, `and ${count(more)} more of less time`) : "");
  };
  const hide = (name) => {
    const label = checkbox(brief.get(name), !state.hidden.has(name),
      (on) => (on ? state.hidden.delete(name) : state.hidden.add(name)));
    label.title = name;
    return label;
  };
  search.addEventListener("input", () => {
    state.search = search.value;
    fill();
    refresh();
  });
  fill();
  return group(`Kernels (${count(names.length)})`, search, list);
}

function roofSwitches() {
  const flag = (text, field) => checkbox(text, state[field], (on) => {
    state[field] = on;
  });
  return [
    group("Roofs", flag("measured", "measured"), flag("theory", "theory"),
      flag("all units and operations", "all")),
    group("Levels", ...levelNames.map((name, i) => member(name, state.levels, name,
      swatch(shapeOf(i), "fill:currentColor")))),
    group("Patterns", flag("best of each level", "best"),
      ...patternNames.map((name) => member(name, state.patterns, name))),
    group("Types", ...typeNames.map((name) => member(name.toUpperCase(), state.types, name))),
  ];
}

function pointSwitches() {
  return group("Drawing", choice("Colour by", [["kernel", "kernel"], ["run", "run"],
    ["level", "level"], ["machine", "machine"]]
    .filter(([value]) => !/run|kernel/.test(value) || points.length), "colour"),
    ...(points.length ? [choice("Join points", [["off", "not at all"], ["order", "in the file's order"],
      ["scale", "by scale"]], "trajectory"), checkbox("names of few points", state.names, (on) => {
      state.names = on;
    })] : []));
}

function buildSwitches() {
  const groups = [machineSwitches(), runSwitches(), kernelSwitches(), ...roofSwitches(), pointSwitches()];
  return element("aside", {id: "switches", "aria-label": "Switches"}, ...groups.filter(Boolean));
}
