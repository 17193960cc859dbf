/* SPDX-License-Identifier: BSD-3-Clause */
/* Values, changes and colours as the page writes and draws them. */
const UNITS = {"flop/s": "FLOP/s", "byte/s": "B/s", "op/s": "OP/s"};

function measure(value, unit) {
  return unit === "s" ? seconds(value) : si(value, UNITS[unit] || unit);
}

function changeText(steps) {
  if (steps === ABSENT) {
    return "not measured";
  }
  const number = steps / 100, sign = number > 0 ? "+" : number < 0 ? "−" : "";
  const most = steps >= MOST ? " or more" : "";
  return `${sign}${Math.abs(number).toFixed(Math.abs(number) < 9.95 ? 1 : 0)} %${most}`;
}

const changeOf = (ratio) => changeText(Math.max(LEAST, Math.min(MOST, Math.round(ratio * 1e4))));

const plural = (n, one, many) => `${count(n)} ${n === 1 ? one : many || `${one}s`}`;

/* The style's colours as [r, g, b]; they change with the theme. */
function ink(name) {
  const text = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const hex = text.length === 4 ? text.replace(/[0-9a-f]/gi, "$&$&") : text;
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

const mix = (from, to, share) => from.map((c, i) => Math.round(c + (to[i] - c) * share));

/* Colours for distances of -4 to 4 limits in steps of 1/32: pale within the limits, a step at them, deeper
   beyond. Okabe and Ito's vermilion and blue, which the colour-blind tell apart. */
let shades;
function makeShades() {
  const rest = ink("--minor"), deep = ink("--deep");
  shades = Array.from({length: 257}, (unused, i) => {
    const value = (i - 128) / 32, size = Math.abs(value);
    const colour = ink(value > 0 ? "--c1" : "--c0");
    return size < 1 ? mix(rest, colour, 0.38 * size * size) : mix(colour, deep, 0.6 * (size - 1) / 3);
  });
}

function shade(value) {
  return shades[Math.round(Math.max(-4, Math.min(4, value)) * 32) + 128];
}

const css = (rgb) => `rgb(${rgb.join(",")})`;

/* A canvas of so many CSS pixels, sharp on any screen; its context draws in CSS pixels. */
function canvasOf(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  context.font = `11.5px ${FONT}`;
  return context;
}

function fitted(text, width, size) {
  let cut = text;
  while (cut.length > 1 && textWidth(cut, size) > width) {
    cut = `${cut.slice(0, -2)}…`;
  }
  return cut;
}

/* Distances as colours: value(x, y) of width x height cells, over a rectangle; hatched where NaN. */
function paintDistances(context, width, height, value, left, top, toWidth, toHeight) {
  const image = new ImageData(width, height), small = element("canvas", {width, height});
  for (let i = 0; i < width * height; i++) {
    const own = value(i % width, Math.floor(i / width));
    if (own === own) {
      image.data.set([...shade(own), 255], 4 * i);
    }
  }
  small.getContext("2d").putImageData(image, 0, 0);
  context.fillStyle = context.createPattern(hatchOf(), "repeat");
  context.fillRect(left, top, toWidth, toHeight);
  context.imageSmoothingEnabled = false;
  context.drawImage(small, left, top, toWidth, toHeight);
}

/* A name that ends at a place, or upright, begins there. */
function paintName(context, text, x, y, room, isUpright) {
  context.save();
  context.translate(x, y);
  context.rotate(isUpright ? -Math.PI / 2 : 0);
  context.textAlign = isUpright ? "left" : "right";
  context.textBaseline = "middle";
  context.fillText(fitted(text, room, 11.5), 0, 0);
  context.restore();
}

/* The one tooltip: lines of text, the first one bold. */
const tooltip = element("div", {id: "tooltip", hidden: true});
function showTooltip(event, lines) {
  tooltip.hidden = !lines;
  if (!lines) {
    return;
  }
  tooltip.replaceChildren(...lines.filter(Boolean).map((line, i) =>
    element(i ? "p" : "h3", {class: i === 1 ? "number-line" : null}, line)));
  const box = tooltip.getBoundingClientRect(), gap = 14;
  const x = event.clientX + gap + box.width > window.innerWidth ? event.clientX - gap - box.width
    : event.clientX + gap;
  const y = event.clientY + gap + box.height > window.innerHeight ? event.clientY - gap - box.height
    : event.clientY + gap;
  tooltip.style.left = `${Math.max(4, x)}px`;
  tooltip.style.top = `${Math.max(4, y)}px`;
}

/* Lets the pointer ask a canvas: lines(x, y) gives the tooltip's, click(x, y) is for choosing. */
function ask(canvas, lines, click) {
  const at = (event) => [event.offsetX, event.offsetY];
  canvas.addEventListener("pointermove", (event) => showTooltip(event, lines(...at(event))));
  canvas.addEventListener("pointerleave", () => showTooltip(null, null));
  canvas.addEventListener("click", (event) => {
    showTooltip(event, lines(...at(event)));
    click(...at(event));
  });
}

function choice(label, options, value, action) {
  const select = element("select", {"aria-label": label}, ...options.map(([key, text]) =>
    element("option", {value: key, selected: String(key) === String(value)}, text)));
  select.addEventListener("change", () => action(select.value));
  return element("label", {class: "choose"}, `${label} `, select);
}

function section(id, title, hint, ...children) {
  return element("section", {id}, element("h2", {}, title), hint ? element("p", {class: "hint"}, hint) : null,
    ...children);
}
