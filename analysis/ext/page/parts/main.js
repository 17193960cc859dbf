/* SPDX-License-Identifier: BSD-3-Clause */
/* The page itself: title, tools, chart, switches, tables. */
const THEMES = ["auto", "light", "dark"];
const statusNode = element("div", {id: "status"});

function subtitle(machine) {
  return [`${machine.id}${machine.host ? ` of ${machine.host}` : ""}`,
    machine.created ? `${machine.source === "published" ? "published" : "measured"} ` +
      machine.created.slice(0, 10) : "",
    machine.held ? `clock held ${si(machine.held, "Hz")}` : ""].filter(Boolean).join(", ");
}

function titleLines() {
  const names = unique(machines.map((machine) => machine.name || machine.id));
  const shown = names.length > 3 ? [...names.slice(0, 2), `${names.length - 2} more`] : names;
  const title = `Roofline of ${shown.join(" and ")}`;
  return [title, machines.length === 1 ? subtitle(machines[0]) : machines.slice(0, 4).map((machine) =>
    `${machine.short}: ${subtitle(machine)}`).join(" · ")];
}

function button(text, label, action) {
  const node = element("button", {type: "button", title: label, "aria-label": label}, text);
  node.addEventListener("click", action);
  return node;
}

function nextTheme(event) {
  const root = document.documentElement;
  const next = THEMES[(THEMES.indexOf(root.dataset.theme || "auto") + 1) % THEMES.length];
  root.dataset.theme = next;
  event.currentTarget.textContent = `Colours: ${next}`;
}

/* The view as a file of its own: styles that the page's sheet gives are written into the elements. */
function chartFile() {
  const properties = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap",
    "stroke-linejoin", "paint-order", "opacity", "font-size", "font-weight", "font-family", "display"];
  const copy = chart.cloneNode(true);
  const from = [...chart.querySelectorAll("*")], to = [...copy.querySelectorAll("*")];
  from.forEach((node, i) => {
    const computed = getComputedStyle(node);
    to[i].setAttribute("style",
      properties.map((name) => `${name}:${computed.getPropertyValue(name)}`).join(";"));
    to[i].removeAttribute("tabindex");
  });
  copy.querySelector(".hover").remove();
  const ink = getComputedStyle(chart.querySelector(".tick")).fill;
  const paper = getComputedStyle(chart.querySelector(".paper")).fill;
  const [title, sub] = titleLines();
  const text = (y, size, weight, words) => svg("text", {x: 20, y, style:
    `fill:${ink};font:${weight} ${size}px ${FONT}`}, words);
  const head = 58;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", `0 ${-head} ${frame.width} ${frame.height + head}`);
  copy.setAttribute("width", frame.width);
  copy.setAttribute("height", frame.height + head);
  copy.removeAttribute("tabindex");
  copy.prepend(svg("rect", {x: 0, y: -head, width: frame.width, height: head, style: `fill:${paper}`}),
    text(-30, 20, 600, title), text(-10, 12, 400, sub));
  return new XMLSerializer().serializeToString(copy);
}

function download() {
  const link = element("a", {download: "roofline-view.svg"});
  link.href = URL.createObjectURL(new Blob([chartFile()], {type: "image/svg+xml"}));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function tools() {
  return element("nav", {id: "tools", "aria-label": "View"},
    button("+", "Zoom in", () => zoomMiddle(0.8)), button("−", "Zoom out", () => zoomMiddle(1.25)),
    button("←", "Move left", () => pan(-1, 0)), button("→", "Move right", () => pan(1, 0)),
    button("↑", "Move up", () => pan(0, 1)), button("↓", "Move down", () => pan(0, -1)),
    button("Reset", "Fit everything that is switched on", resetView),
    button("SVG", "Download this view as SVG", download),
    button("Print", "Print", () => window.print()),
    button("Colours: auto", "As the system, light or dark", nextTheme));
}

function pan(dx, dy) {
  panView(dx * 0.15 * (view.x1 - view.x0), dy * 0.15 * (view.y1 - view.y0));
  redraw();
}

/* chart.js calls this when a picture is complete. */
function afterDraw() {
  statusNode.replaceChildren(...statusLines().map((line) => element("p", {}, line)));
  if (shown.key && shown.pinned) {
    showAt(shown.key);
  }
  if (points.length) {
    refreshTable();
  }
}

function build() {
  const [title, sub] = titleLines();
  const figure = element("figure", {id: "figure"}, chart);
  document.body.append(
    element("header", {}, element("div", {}, element("h1", {}, title), element("p", {}, sub),
      data.origin ? element("p", {}, data.origin) : null), tools()),
    element("main", {}, element("div", {id: "left"}, figure, statusNode), buildSwitches()),
    buildTables(), tooltip);
  listen();
  sizeFrame();
  fitView();
  draw();
  new ResizeObserver(() => frame.width === Math.floor(figure.clientWidth) || redraw()).observe(figure);
}

build();
