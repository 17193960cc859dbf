/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tries a page in a browser. test_page.sh puts this script into a copy of the page, behind the page's
 * own; page_errors.js stands before it. Results are lines of <pre id="probe">.
 */
(async () => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const chart = document.getElementById("chart");
  const lines = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const settle = () => new Promise((resolve) => setTimeout(resolve, 400));
  const near = (a, b, slack) => Math.abs(a - b) <= slack;

  async function check(name, test) {
    let result;
    try {
      result = await test();
    } catch (error) {
      result = String(error.stack || error);
    }
    lines.push(result === true ? `ok ${name}` : `FAIL ${name}: ${result}`);
  }

  const axis = () => Object.fromEntries(
    Object.entries(chart.dataset).map(([key, text]) => [key, Number(text)]));
  const toX = (x, a) => a.left + ((Math.log10(x) - a.x0) / (a.x1 - a.x0)) * (a.right - a.left);
  const toY = (y, a) => a.bottom - ((Math.log10(y) - a.y0) / (a.y1 - a.y0)) * (a.bottom - a.top);

  function misplaced() {
    const a = axis();
    return all(".mark").filter((mark) => {
      const [px, py] = mark.getAttribute("transform").match(/-?[\d.]+/g).map(Number);
      return !near(px, toX(mark.dataset.x, a), 0.02) || !near(py, toY(mark.dataset.y, a), 0.02);
    }).length;
  }

  function middle(node) {
    const box = node.getBoundingClientRect();
    return {clientX: box.x + box.width / 2, clientY: box.y + box.height / 2, bubbles: true, pointerId: 1};
  }

  /* The checkbox of a text in a group. */
  const box = (group, text) => all(`[data-group^="${group}"] label`)
    .find((label) => label.textContent === text).querySelector("input");

  async function flip(group, text) {
    box(group, text).click();
    await settle();
  }

  /* Of each point that has a rate: its rows at levels, as the first machine that it suits has them. */
  const kernelOf = (i) => data.machines.map((machine) => machine.kernels[i]).find(Boolean) || {rows: []};
  const drawable = data.points.map((point, i) => kernelOf(i)).filter((kernel) => kernel.flop_per_s > 0);
  const levelRows = (kernel) => kernel.rows.filter((row) => row.level);
  const symbols = drawable.reduce((sum, kernel) => sum + levelRows(kernel).length, 0);
  const value = (number) => Number(number);

  await check("every symbol is drawn", () => symbols > 3000 ||
    all(".mark.point").length === symbols || `${all(".mark.point").length} of ${symbols}`);
  await check("at most 3000 symbols", () => all(".mark.point").length <= 3000);
  await check("symbols have the values of the data", () => {
    const wanted = new Set(drawable.flatMap((kernel) =>
      levelRows(kernel).map((row) => `${row.intensity} ${kernel.flop_per_s}`)));
    const wrong = all(".mark.point")
      .filter((m) => !wanted.has(`${value(m.dataset.x)} ${value(m.dataset.y)}`));
    return wrong.length === 0 || `${wrong.length} wrong`;
  });
  await check("symbols stand where their values say", () => misplaced() === 0 || `${misplaced()} do not`);
  await check("roofs stand where their values say", () => {
    const a = axis();
    const wrong = all(".roof").filter((roof) => {
      const line = roof.querySelector("line");
      const at = (name) => Number(line.getAttribute(name));
      const lx = a.x0 + ((at("x1") - a.left) / (a.right - a.left)) * (a.x1 - a.x0);
      const ly = a.y0 + ((a.bottom - at("y1")) / (a.bottom - a.top)) * (a.y1 - a.y0);
      const flat = near(at("y1"), at("y2"), 0.01);
      return !near(Math.log10(roof.dataset.value), flat ? ly : ly - lx, 0.002);
    });
    const number = all(".roof").length;
    return (number > 2 && wrong.length === 0) || `${wrong.length} of ${number} do not`;
  });
  await check("a diagonal ends at the highest flat", () => {
    const ends = (kind) => all(".roof").filter((roof) => roof.dataset.key.includes(`:${kind}:`))
      .map((roof) => roof.querySelector("line"));
    const top = Math.min(...ends("flat").map((line) => Number(line.getAttribute("y1"))));
    return ends("diagonal").every((line) => Number(line.getAttribute("y2")) >= top - 0.05) || "it does not";
  });
  await check("labels do not overlap", () => {
    const boxes = all(".labels .label")
      .filter((label) => / rotate\(-?0\.000\)/.test(label.getAttribute("transform")))
      .map((label) => label.getBoundingClientRect());
    const pairs = boxes.flatMap((a, i) => boxes.slice(i + 1).map((b) => [a, b]));
    const over = pairs.filter(([a, b]) => a.left < b.right - 2 && b.left < a.right - 2 &&
      a.top < b.bottom - 4 && b.top < a.bottom - 4);
    return over.length === 0 || `${over.length} pairs`;
  });
  await check("text of files is text", () => all("img, b, i, iframe, object, link").length === 0);
  await check("hover shows the values", async () => {
    const mark = all(".mark")[all(".mark").length - 1];
    chart.dispatchEvent(new PointerEvent("pointermove", middle(mark)));
    const tip = document.getElementById("tooltip");
    const text = tip.textContent;
    const told = /FLOP\/byte/.test(text) && /FLOP\/s/.test(text);
    return (!tip.hidden && told) || `hidden ${tip.hidden}: ${text}`;
  });
  await check("leaving hides them", () => {
    chart.dispatchEvent(new PointerEvent("pointerleave", {}));
    return document.getElementById("tooltip").hidden || "still there";
  });
  await check("a roof shows its values", () => {
    const line = document.querySelector(".roof line");
    const at = (name) => Number(line.getAttribute(name));
    const frame = chart.getBoundingClientRect();
    const scale = frame.width / chart.viewBox.baseVal.width;
    const along = [0.07, 0.2, 0.4, 0.6, 0.93].map((t) => ({bubbles: true, pointerId: 1,
      clientX: frame.left + scale * (at("x1") + t * (at("x2") - at("x1"))),
      clientY: frame.top + scale * (at("y1") + t * (at("y2") - at("y1")))}));
    return along.some((place) => {
      chart.dispatchEvent(new PointerEvent("pointermove", place));
      return /measured/.test(document.getElementById("tooltip").textContent);
    }) || document.getElementById("tooltip").textContent;
  });
  await check("the keyboard goes from symbol to symbol", () => {
    chart.focus();
    chart.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
    const first = document.activeElement.getAttribute("data-key");
    chart.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
    const second = document.activeElement.getAttribute("data-key");
    const told = !document.getElementById("tooltip").hidden;
    return (first && second && first !== second && told) || `${first} ${second} ${told}`;
  });
  await check("the wheel zooms, a double click resets", async () => {
    const before = axis();
    chart.dispatchEvent(new WheelEvent("wheel", {...middle(chart), deltaY: -300, cancelable: true}));
    await settle();
    const zoomed = axis();
    const placed = misplaced();
    chart.dispatchEvent(new MouseEvent("dblclick", {bubbles: true}));
    await settle();
    const after = axis();
    const closer = zoomed.x1 - zoomed.x0 < 0.5 * (before.x1 - before.x0);
    return (closer && placed === 0 && near(after.x0, before.x0, 1e-9)) ||
      JSON.stringify([before, zoomed, after, placed]);
  });
  await check("dragging moves the view", async () => {
    const before = axis();
    const from = middle(chart);
    chart.dispatchEvent(new PointerEvent("pointerdown", from));
    chart.dispatchEvent(new PointerEvent("pointermove", {...from, clientX: from.clientX + 60}));
    chart.dispatchEvent(new PointerEvent("pointerup", {...from, clientX: from.clientX + 60}));
    await settle();
    const moved = axis().x0 < before.x0;
    chart.dispatchEvent(new MouseEvent("dblclick", {bubbles: true}));
    await settle();
    return moved || "it does not";
  });
  await check("theory can be switched on", async () => {
    const before = all(".roof.theory").length;
    await flip("roofs", "theory");
    const after = all(".roof.theory").length;
    await flip("roofs", "theory");
    return (before === 0 && after > 0) || `${before}, then ${after}`;
  });
  await check("a level can be switched off", async () => {
    const level = data.machines[0].bandwidths[data.machines[0].bandwidths.length - 1].level;
    const count = () => all(".roof").filter((roof) => roof.dataset.name.startsWith(level)).length;
    const before = count();
    await flip("levels", level);
    const after = count();
    await flip("levels", level);
    return (before > 0 && after === 0) || `${before}, then ${after}`;
  });
  await check("patterns and types can be switched", async () => {
    const before = all(".roof").length;
    await flip("patterns", "load");
    const more = all(".roof").length;
    await flip("patterns", "load");
    await flip("types", "FP64");
    const less = all(".roof").length;
    await flip("types", "FP64");
    return (more >= before && less < before && all(".roof").length === before) || `${before} ${more} ${less}`;
  });
  if (data.points.length) {
    await check("a search leaves the kernels that it names", async () => {
      const search = document.querySelector("input[type=search]");
      search.value = "v3";
      search.dispatchEvent(new Event("input"));
      await settle();
      const named = all(".mark.point").every((mark) => mark.getAttribute("aria-label").startsWith("v3"));
      const few = all(".mark.point").length;
      search.value = "";
      search.dispatchEvent(new Event("input"));
      await settle();
      return (named && few > 0 && few < symbols) || `${few} left`;
    });
    await check("the table has every point, and why some are not drawn", () => {
      const rows = all("#points tbody tr");
      const wanted = Math.min(50, data.points.length);
      const missing = rows.filter((row) => row.dataset.status === "1");
      const told = missing.every((row) => /time: no time was given/.test(row.textContent));
      return (rows.length === wanted && told && missing.length === data.points.length - drawable.length) ||
        `${rows.length} rows, ${missing.length} missing`;
    });
    await check("the table is by time", () => {
      const times = all("#points tbody tr").map((row) => data.points[row.dataset.point].time_s || 0);
      return times.every((time, i) => i === 0 || time <= times[i - 1]) || times.join(" ");
    });
    await check("the last row is the sum of one run", () => {
      const cells = [...document.querySelectorAll("#points tfoot td")].map((cell) => cell.textContent);
      const launches = data.points.reduce((sum, point) => sum + (point.launches || 0), 0);
      const told = cells.some((text) => launches && text.replace(/\s/g, "") === String(launches));
      const several = data.points.length > 1 && new Set(data.points.map((point) => point.run)).size <= 1;
      return (several ? cells[0] === "Total" && (told || !launches) : cells.length === 0) || cells.join("|");
    });
    await check("names in the table are one line", () => {
      const high = all("#points .name").filter((name) => name.getBoundingClientRect().height > 24);
      return high.length === 0 || high[0].textContent;
    });
    await check("the status counts the points", () => {
      const text = document.getElementById("status").textContent.replace(/(\d)\s(\d)/g, "$1$2");
      return text.includes(`of ${data.points.length} points drawn`) || text;
    });
  }
  if (drawable.length && drawable.length < 50) {
    await check("a row marks its point, a point its row", async () => {
      const mark = all(".mark.point")[0];
      const index = mark.dataset.key.match(/\d+/)[0];
      const row = () => document.querySelector(`#points tr[data-point="${index}"]`);
      const selected = () => row().classList.contains("selected");
      row().click();
      const pinned = document.getElementById("tooltip").classList.contains("pinned");
      const marked = selected() && pinned && all(".hover .halo").length === 1;
      all("#points tbody tr").find((other) => other !== row()).click();
      const left = !selected();
      chart.dispatchEvent(new PointerEvent("pointerdown", middle(mark)));
      chart.dispatchEvent(new PointerEvent("pointerup", middle(mark)));
      const back = all("#points tr.selected").length === 1;
      document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}));
      return (marked && left && back) || `${marked} ${left} ${back}`;
    });
    await check("arrows join versions", () => all(".arrow").length > 0 || "none");
    await check("a run can be switched off", async () => {
      const label = document.querySelector('[data-group="runs"] input');
      label.click();
      await settle();
      const after = all(".mark.point").length;
      label.click();
      await settle();
      return (after > 0 && after < symbols) || `${after} of ${symbols}`;
    });
  }
  await check("the colours can be switched", () => {
    const paper = () => getComputedStyle(document.body).backgroundColor;
    const themes = all("#tools button").find((button) => /Colours/.test(button.textContent));
    const seen = new Set([paper()]);
    for (let i = 0; i < 3; i++) {
      themes.click();
      seen.add(paper());
    }
    return seen.size === 2 || [...seen].join(", ");
  });
  await check("the view can be saved as SVG", async () => {
    let blob = null;
    URL.createObjectURL = (object) => {
      blob = object;
      return "#";
    };
    const number = all(".roof").length;
    all("#tools button").find((button) => button.textContent === "SVG").click();
    const text = await blob.text();
    const xml = new DOMParser().parseFromString(text, "image/svg+xml");
    const whole = !xml.querySelector("parsererror") && xml.querySelectorAll(".roof").length === number;
    return (whole && !/fill:var|stroke:var/.test(text)) || text.slice(0, 300);
  });
  await check("no error, nothing forbidden was tried",
    () => pageErrors.length === 0 || pageErrors.join("; "));

  const pre = document.createElement("pre");
  pre.id = "probe";
  pre.textContent = `\n${lines.join("\n")}\nprobe ended\n`;
  document.body.replaceChildren(pre);
})();
