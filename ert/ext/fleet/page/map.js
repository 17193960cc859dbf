/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes and ceilings as a map: a row is a ceiling, a column a node, or as many as fit into a pixel. */
const mapView = {order: "worst", most: 0, nodes: [], left: 0, top: 0, cell: 0, row: 0, width: 0};
const mapCanvas = element("canvas", {role: "img", "aria-label": "Changes of all nodes in all ceilings"});

function layOutMap(width) {
  const names = columns.map((unused, i) => textWidth(columnName(i), 11.5));
  const all = nodesBy(mapView.order);
  mapView.nodes = mapView.most ? all.slice(0, mapView.most) : all;
  mapView.left = Math.min(Math.max(...names, 0) + 10, width < 600 ? 118 : 230);
  mapView.width = width - mapView.left;
  mapView.cell = Math.min(mapView.width / Math.max(mapView.nodes.length, 1), 72);
  mapView.row = columns.length > 40 ? 13 : columns.length > 20 ? 16 : 22;
  const longest = Math.max(...mapView.nodes.slice(0, 200).map((node) => textWidth(hosts[node], 11.5)), 0);
  mapView.top = mapView.cell >= 13 ? Math.min(longest, 110) + 10 : 6;
}

/* The worst of a range of nodes; NaN where none was measured. */
function worstOf(column, from, to) {
  let value = NaN;
  for (let i = from; i < to; i++) {
    const own = distance(column, mapView.nodes[i]);
    if (!(value >= own) && own === own) {
      value = own;
    }
  }
  return value;
}

/* Pixels of the screen, one row of them per ceiling. */
function paintCells(context) {
  const ratio = window.devicePixelRatio || 1, {nodes, cell, left, top, row} = mapView;
  const width = Math.max(1, Math.round(nodes.length * cell * ratio)), step = nodes.length / width;
  paintDistances(context, width, columns.length, (x, column) => {
    const from = Math.floor(x * step);
    return worstOf(column, from, Math.max(from + 1, Math.floor((x + 1) * step)));
  }, left, top, width / ratio, columns.length * row);
}

function paintLines(context) {
  const {left, top, row, cell, nodes} = mapView, width = nodes.length * cell, height = columns.length * row;
  context.fillStyle = css(ink("--paper"));
  if (row > 12) {
    for (let i = 0; i <= columns.length; i++) {
      context.fillRect(left, top + i * row - 0.5, width, 1);
    }
  }
  if (cell >= 6) {
    for (let i = 0; i <= nodes.length; i++) {
      context.fillRect(left + i * cell - 0.5, top, 1, height);
    }
  }
  if (mapView.order === "group") {
    context.fillStyle = css(ink("--ink"));
    nodes.forEach((node, i) => {
      if (i > 0 && groupOf[node] !== groupOf[nodes[i - 1]]) {
        context.fillRect(left + i * cell - 0.5, top, 1, height);
      }
    });
  }
}

function paintNames(context) {
  const {left, top, row, cell, nodes} = mapView;
  context.fillStyle = css(ink("--ink"));
  columns.forEach((unused, i) =>
    paintName(context, columnName(i), left - 6, top + (i + 0.5) * row, left - 8));
  nodes.slice(0, cell < 13 ? 0 : nodes.length).forEach((node, i) => {
    context.fillStyle = css(ink(badness[node] === 2 ? "--t1" : "--ink"));
    paintName(context, hosts[node], left + (i + 0.5) * cell, top - 4, 110, true);
  });
}

/* Cells that have a verdict, where one can be seen. */
function paintVerdicts(context) {
  const {left, top, row, cell, nodes} = mapView;
  if (cell < 9) {
    return;
  }
  context.fillStyle = css(ink("--paper"));
  const place = new Map(nodes.map((node, i) => [node, i]));
  verdicts.forEach((verdict, key) => {
    const i = place.get(key % nNodes), column = Math.floor(key / nNodes);
    if (i === undefined || verdict !== "slow") {
      return;
    }
    context.beginPath();
    context.arc(left + (i + 0.5) * cell, top + (column + 0.5) * row, Math.min(cell, row) / 6, 0, 7);
    context.fill();
  });
}

function drawMap() {
  layOutMap(mapCanvas.parentNode.clientWidth);
  const context = canvasOf(mapCanvas, mapView.left + mapView.width,
    mapView.top + columns.length * mapView.row + 2);
  paintCells(context);
  paintLines(context);
  paintVerdicts(context);
  paintNames(context);
}

/* What was not measured: thin diagonals. */
function hatchOf() {
  const canvas = element("canvas", {width: 6, height: 6}), context = canvas.getContext("2d");
  context.strokeStyle = css(ink("--line"));
  context.beginPath();
  [[0, 6, 6, 0], [-1, 1, 1, -1], [5, 7, 7, 5]].forEach(([x, y, toX, toY]) => {
    context.moveTo(x, y);
    context.lineTo(toX, toY);
  });
  context.stroke();
  return canvas;
}

function cellAt(x, y) {
  const i = Math.floor((x - mapView.left) / mapView.cell);
  const column = Math.floor((y - mapView.top) / mapView.row);
  if (i < 0 || i >= mapView.nodes.length || column < 0 || column >= columns.length) {
    return null;
  }
  let node = mapView.nodes[i];
  const within = Math.ceil(1 / mapView.cell);
  for (let j = i; j < Math.min(i + within, mapView.nodes.length); j++) {
    if (distance(column, mapView.nodes[j]) > distance(column, node)) {
      node = mapView.nodes[j];
    }
  }
  return {node, column};
}

function cellLines(column, node) {
  const steps = change[column * nNodes + node], limit = limitOf(column, node);
  const verdict = verdicts.get(column * nNodes + node);
  return [`${hosts[node]}: ${columnName(column)}`,
    steps === ABSENT ? "not measured" : `${measure(valueOf(column, node), columns[column].unit)}, ${
      changeText(steps)} of the speed`,
    steps === ABSENT ? "" : limit < 1 ? `limit ${changeOf(-limit)}` : "too few nodes for a limit",
    verdict ? `verdict: ${verdict}` : ""];
}

function legend() {
  const canvas = element("canvas"), node = element("span", {class: "legend"}, canvas,
    element("span", {}, "not measured"));
  node.draw = () => {
    const width = 300, context = canvasOf(canvas, width, 30);
    for (let x = 0; x < width; x++) {
      context.fillStyle = css(shade((x / width - 0.5) * 8));
      context.fillRect(x, 0, 1, 12);
    }
    context.fillStyle = css(ink("--faint"));
    [[-4, "faster", "left"], [-1, "limit", "center"], [0, "0", "center"], [1, "limit", "center"],
      [4, "slower", "right"]].forEach(([at, text, align]) => {
      context.textAlign = align;
      context.fillText(text, (at / 8 + 0.5) * width, 25);
    });
  };
  return node;
}

const mapLegend = legend();
function mapSection() {
  const redraw = (key) => (value) => {
    mapView[key] = key === "most" ? Number(value) : value;
    drawMap();
  };
  const orders = [["worst", "the worst first"], ["host", "by host"]];
  if (groups.length > 1) {
    orders.push(["group", "by hardware"]);
  }
  const some = [50, 200, 1000].filter((n) => n < nNodes);
  ask(mapCanvas, (x, y) => {
    const cell = cellAt(x, y);
    return cell && cellLines(cell.column, cell.node);
  }, (x, y) => {
    const cell = cellAt(x, y);
    if (cell) {
      chooseNode(cell.node, false);
    }
  });
  return section("map", "Nodes and ceilings", "Rows are ceilings, columns nodes" +
    " (the worst of several where there are many): the speed relative to the median of the same hardware.",
  element("div", {class: "tools"}, choice("Order", orders, mapView.order, redraw("order")),
    some.length ? choice("Nodes", [[0, `all ${count(nNodes)}`], ...some.map((n) => [n, `first ${count(n)}`])],
      0, redraw("most")) : null, mapLegend),
  element("div", {class: "canvas"}, mapCanvas));
}
