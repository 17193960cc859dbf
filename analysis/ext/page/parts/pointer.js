/* SPDX-License-Identifier: BSD-3-Clause */
/* Mouse, touch and keyboard on the chart. */
const NEAR_MARK = 14, NEAR_ROOF = 7;
const pointers = new Map();
let moved = 0;

function toChart(event) {
  const box = chart.getBoundingClientRect();
  const scale = frame.width / box.width;
  return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
}

function distanceToLine(x, y, {x0, y0, x1, y1}) {
  const length = (x1 - x0) ** 2 + (y1 - y0) ** 2;
  const along = Math.min(1, Math.max(0, ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / (length || 1)));
  return Math.hypot(x - x0 - along * (x1 - x0), y - y0 - along * (y1 - y0));
}

/* The nearest symbol, else the nearest roof; null when nothing is near. Points go before ridges. */
function nearest(x, y) {
  let best = null, least = NEAR_MARK;
  for (const mark of drawn.marks) {
    const away = Math.hypot(mark.px - x, mark.py - y) + (mark.kind === "point" ? 0 : 2);
    if (away < least) {
      best = mark;
      least = away;
    }
  }
  least = NEAR_ROOF;
  for (const entry of best ? [] : drawn.lines) {
    const away = distanceToLine(x, y, entry.line);
    if (away < least) {
      best = entry;
      least = away;
    }
  }
  return best;
}

function hover(event) {
  if (!shown.pinned) {
    const target = nearest(...toChart(event));
    chart.classList.toggle("near", Boolean(target));
    showTooltip(target && target.key, event.clientX, event.clientY);
  }
}

/* One pointer pans, two zoom by their distance. */
function drag(event) {
  const before = [...pointers.values()];
  const [x, y] = toChart(event), old = pointers.get(event.pointerId);
  const spread = (list) => Math.hypot(list[0][0] - list[1][0], list[0][1] - list[1][1]);
  pointers.set(event.pointerId, [x, y]);
  moved += Math.hypot(x - old[0], y - old[1]);
  if (pointers.size === 2) {
    const after = [...pointers.values()];
    const middle = [(after[0][0] + after[1][0]) / 2, (after[0][1] + after[1][1]) / 2];
    zoomView(spread(before) / Math.max(1, spread(after)), fromX(middle[0]), fromY(middle[1]));
  } else if (moved > 4) {
    panView(fromX(old[0]) - fromX(x), fromY(old[1]) - fromY(y));
    showTooltip(null);
  }
  redraw();
}

function release(event) {
  if (pointers.delete(event.pointerId) && event.type === "pointerup" && moved <= 4) {
    const target = nearest(...toChart(event));
    shown.pinned = Boolean(target);
    showTooltip(target && target.key, event.clientX, event.clientY);
    selectPoint(target && target.kind === "point" ? target.point : null);
  }
}

function zoomAt(factor, x, y) {
  zoomView(factor, fromX(x), fromY(y));
  redraw();
}

function zoomMiddle(factor) {
  zoomAt(factor, (frame.left + frame.right) / 2, (frame.top + frame.bottom) / 2);
}

function resetView() {
  fitView();
  redraw();
}

/* From symbol to symbol, left to right or bottom to top; roofs follow after the symbols. */
function step(direction, vertical) {
  const place = (target) => (vertical ? -placeOf(target)[1] : placeOf(target)[0]);
  const targets = [...drawn.marks, ...drawn.lines].sort((a, b) => place(a) - place(b));
  const at = targets.findIndex((target) => target.key === shown.key);
  const next = targets[at < 0 ? 0 : Math.min(targets.length - 1, Math.max(0, at + direction))];
  if (next) {
    chart.querySelector(`[data-key="${CSS.escape(next.key)}"]`).focus({preventScroll: true});
  }
}

const KEYS = {
  ArrowRight: () => step(1, false), ArrowLeft: () => step(-1, false),
  ArrowUp: () => step(1, true), ArrowDown: () => step(-1, true),
  "+": () => zoomMiddle(0.8), "=": () => zoomMiddle(0.8), "-": () => zoomMiddle(1.25), 0: resetView,
  Escape: () => {
    shown.pinned = false;
    showTooltip(null);
  },
  Enter: () => {
    shown.pinned = Boolean(shown.key) && !shown.pinned;
    tooltip.classList.toggle("pinned", shown.pinned);
  },
};

function listen() {
  chart.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, toChart(event));
    moved = pointers.size > 1 ? Infinity : 0;
    if (event.isTrusted) {
      chart.setPointerCapture(event.pointerId);
    }
  });
  chart.addEventListener("pointermove", (event) => (pointers.has(event.pointerId) ? drag : hover)(event));
  chart.addEventListener("pointerup", release);
  chart.addEventListener("pointercancel", release);
  chart.addEventListener("pointerleave", () => shown.pinned || showTooltip(null));
  chart.addEventListener("dblclick", resetView);
  chart.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoomAt(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), ...toChart(event));
  }, {passive: false});
  chart.addEventListener("keydown", (event) => {
    if (KEYS[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      KEYS[event.key]();
    }
  });
  chart.addEventListener("focusin", (event) => {
    const key = event.target.getAttribute("data-key");
    if (key && key !== shown.key) {
      shown.pinned = false;
      showAt(key);
    }
  });
  document.addEventListener("keydown", (event) => event.key === "Escape" && KEYS.Escape());
}
