/* SPDX-License-Identifier: BSD-3-Clause */
/* Places for labels that collide with nothing: boxes turned along their lines, tried one after another. */
const LABEL_SIZE = 12, LABEL_HALF = 7, LABEL_GAP = 4;

function corners(box) {
  const c = Math.cos(box.angle), s = Math.sin(box.angle);
  return [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([u, v]) => [
    box.x + u * box.hw * c + v * box.hh * s,
    box.y - u * box.hw * s + v * box.hh * c,
  ]);
}

/* Separating axes of two convex outlines. */
function outlinesMeet(a, b, angles) {
  return angles.every((angle) => [angle, angle + Math.PI / 2].every((turn) => {
    const along = ([x, y]) => x * Math.cos(turn) - y * Math.sin(turn);
    const pa = a.map(along), pb = b.map(along);
    return Math.max(...pa) > Math.min(...pb) && Math.max(...pb) > Math.min(...pa);
  }));
}

const boxesMeet = (a, b) => outlinesMeet(corners(a), corners(b), [a.angle, b.angle]);

/* A line is a box without height. */
function lineBox({x0, y0, x1, y1}) {
  return {x: (x0 + x1) / 2, y: (y0 + y1) / 2, hw: Math.hypot(x1 - x0, y1 - y0) / 2, hh: 0.5,
    angle: Math.atan2(y0 - y1, x1 - x0)};
}

function inFrame(box) {
  return corners(box).every(([x, y]) => x >= frame.left + 2 && x <= frame.right - 1 &&
    y >= frame.top + 1 && y <= frame.bottom - 2);
}

class Layout {
  constructor(lines, marks) {
    this.lines = lines.map((entry) => ({entry, box: lineBox(entry.line)}));
    this.boxes = [];
    this.marks = marks.length > 400 ? [] : marks.map((mark) =>
      ({x: mark.px, y: mark.py, hw: 6, hh: 6, angle: 0}));
  }

  isFree(box, own) {
    return inFrame(box) && !this.boxes.some((other) => boxesMeet(box, other)) &&
      !this.marks.some((other) => boxesMeet(box, other)) &&
      !this.lines.some((line) => !own.includes(line.entry) && boxesMeet(box, line.box));
  }

  /* The first free candidate becomes an obstacle for the next labels. */
  place(candidates, own) {
    const box = candidates.find((candidate) => this.isFree(candidate, own));
    if (box) {
      this.boxes.push({...box, hw: box.hw + 3, hh: box.hh + 1});
    }
    return box;
  }
}

/* Boxes of a text of a width beside a line: side 1 above, -1 below, 0 on it; from its start (diagonals)
 * or its end (flats). */
function besideLine(line, width, side, fromEnd) {
  const length = Math.hypot(line.x1 - line.x0, line.y1 - line.y0);
  const angle = Math.atan2(line.y0 - line.y1, line.x1 - line.x0);
  const away = side * (LABEL_HALF + LABEL_GAP - 1);
  const found = [];
  for (let at = 10; at + width + 4 <= length; at += 14) {
    const along = (fromEnd ? length - at - width : at) + width / 2;
    found.push({x: line.x0 + along * Math.cos(angle) - away * Math.sin(angle),
      y: line.y0 - along * Math.sin(angle) - away * Math.cos(angle),
      hw: width / 2, hh: LABEL_HALF, angle, covers: side === 0});
  }
  return found;
}

/* Lines of a kind that nearly lie on each other share a label: upper first. */
function lineGroups(lines) {
  const groups = [];
  for (const kind of ["flat", "diagonal"]) {
    const rise = kind === "diagonal" ? slope() : 0;
    const sorted = lines.filter((entry) => entry.kind === kind)
      .map((entry) => ({entry, height: entry.line.y0 + (entry.line.x0 - frame.left) * rise}))
      .sort((a, b) => a.height - b.height);
    sorted.forEach((item, i) => {
      const near = i && item.height - sorted[i - 1].height < 6 &&
        item.entry.theory === sorted[i - 1].entry.theory;
      if (near) {
        groups[groups.length - 1].push(item.entry);
      } else {
        groups.push([item.entry]);
      }
    });
  }
  return groups;
}

/* Pixels down per pixel right of a line of slope 1 on the log-log paper. */
function slope() {
  return ((frame.bottom - frame.top) / (view.y1 - view.y0)) *
    ((view.x1 - view.x0) / (frame.right - frame.left));
}

const unitOf = (text) => text.slice(text.lastIndexOf(" "));
const withoutUnit = (text) => text.slice(0, text.lastIndexOf(" "));

/* The same roof of several machines: "HBM load 4720 to 4723 GB/s"; of one, with its share of theory. */
function sameText(entries) {
  const [high, low] = [roofValue(entries[0]), roofValue(entries[entries.length - 1])];
  if (high === low) {
    return `${roofName(entries[0])} ${high}`;
  }
  const from = unitOf(low) === unitOf(high) ? withoutUnit(low) : low;
  return `${roofName(entries[0])} ${from} to ${high}`;
}

/* "shared store 33.40, L1 load 33.17 TB/s": a unit stands once; machines where it is not all of them. */
function groupText(group) {
  const names = unique(group.map(roofName));
  const members = names.map((name) => group.filter((entry) => roofName(entry) === name));
  const parts = members.map(sameText);
  const short = parts.map((text, i) =>
    (i + 1 < parts.length && unitOf(parts[i + 1]) === unitOf(text) ? withoutUnit(text) : text) +
    (members[i].length === 1 ? shareText(members[i][0]) : ""));
  const owners = unique(group.map((entry) => entry.machine.short));
  const told = owners.length === state.machines.size || (state.colour === "machine" && owners.length === 1);
  return short.join(", ") + (told ? "" : `, ${owners.join(", ")}`);
}

/* A label of several machines' roofs has no machine's colour. */
function groupColour(group) {
  const several = state.colour === "machine" && group.some((entry) => entry.machine !== group[0].machine);
  return several ? null : roofColour(group[0]);
}

function briefText(group) {
  return unique(group.map((entry) => (entry.kind === "diagonal" ? entry.roof.level : peakName(entry.roof))))
    .join(", ");
}

/* Labels of all roofs; returns the texts that found no place in full. */
function placeRoofLabels(layer, lines, layout) {
  const without = [];
  for (const group of lineGroups(lines.filter((entry) => !entry.theory || !state.measured))) {
    const flat = group[0].kind === "flat";
    const last = group[group.length - 1];
    const full = groupText(group);
    let box = null;
    for (const text of [full, briefText(group)]) {
      const width = textWidth(text, LABEL_SIZE);
      box = layout.place([
        ...besideLine(group[0].line, width, 1, flat),
        ...besideLine(last.line, width, -1, flat),
        ...besideLine(group[0].line, width, 0, flat),
      ], group);
      if (box) {
        drawLabel(layer, box, text, groupColour(group));
        without.push(...(text === full ? [] : [full]));
        break;
      }
    }
    without.push(...(box ? [] : [full]));
  }
  return without;
}

function drawLabel(layer, box, text, colour) {
  const turn = (-box.angle * 180) / Math.PI;
  const transform = `translate(${box.x.toFixed(2)} ${box.y.toFixed(2)}) rotate(${turn.toFixed(3)})`;
  if (box.covers) { /* the line breaks where its own label stands on it */
    layer.append(svg("rect", {class: "paper", transform, x: -box.hw - 2, y: -box.hh + 1,
      width: 2 * box.hw + 4, height: 2 * box.hh - 2}));
  }
  layer.append(svg("text", {class: "label", "text-anchor": "middle", dy: "0.35em", transform,
    style: colour === null ? "" : `fill:var(--t${colour})`}, text));
}

/* Names of points beside their outermost symbol, where there is room. */
function placeNames(layer, named, layout) {
  for (const mark of named) {
    const text = shorten(briefOf(points[mark.point]));
    const hw = textWidth(text, 11, true) / 2;
    const at = (dx, dy) => ({x: mark.px + dx, y: mark.py + dy, hw, hh: 6, angle: 0});
    const box = layout.place([at(hw + 8, 0), at(0, -13), at(-hw - 8, 0), at(0, 13), at(hw + 6, -11),
      at(hw + 6, 11), at(-hw - 6, -11), at(-hw - 6, 11), at(0, -24), at(0, 24)], []);
    if (box) {
      layer.append(svg("text", {class: "point-name", x: box.x.toFixed(2), y: box.y.toFixed(2), dy: "0.35em",
        "text-anchor": "middle", style: markColour(mark, "t")}, text));
    }
  }
}

function shorten(text) {
  return text.length > 28 ? text.slice(0, 27) + "…" : text;
}
