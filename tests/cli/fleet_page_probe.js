/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tries a fleet's page in a browser: test_fleet_page.sh puts it into a copy, behind the page's own script and
 * page_errors.js. Results are lines of <pre id="probe">.
 */
{
  const lines = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const check = (name, test) => {
    let result;
    try {
      result = test();
    } catch (error) {
      result = String(error.stack || error);
    }
    lines.push(result === true ? `ok ${name}` : `FAIL ${name}: ${result}`);
  };
  const point = (canvas, x, y) => new MouseEvent("click", {bubbles: true,
    clientX: canvas.getBoundingClientRect().x + x, clientY: canvas.getBoundingClientRect().y + y});
  const pixel = (canvas, x, y) => {
    const ratio = canvas.width / canvas.clientWidth;
    return [...canvas.getContext("2d").getImageData(x * ratio, y * ratio, 1, 1).data].slice(0, 3);
  };

  check("the page is drawn", () => document.body.dataset.ready === "yes");
  check("nothing hostile ran", () => window.ran === undefined && !all("img, iframe, svg script").length);
  check("the worst is first", () => all("#findings li")[0].textContent.includes("n07") ||
    all("#findings li")[0].textContent);
  const canvas = mapCanvas;
  const {left, top, cell, row} = mapView;
  check("the slow node is the map's first", () => hosts[mapView.nodes[0]] === "n07");
  check("and is deep where sound nodes are pale", () => {
    const slow = pixel(canvas, left + cell / 4, top + row / 2);
    const sound = pixel(canvas, left + 20.5 * cell, top + row / 2);
    return slow[0] - slow[2] > 100 && Math.abs(sound[0] - sound[2]) < 60 || `${slow} ${sound}`;
  });
  check("a click on the map opens the node", () => {
    canvas.dispatchEvent(point(canvas, left + cell / 2, top + row / 2));
    return document.querySelector("#node h3").textContent.startsWith("n07") &&
      !tooltip.hidden && tooltip.textContent.includes("verdict: slow") || tooltip.textContent;
  });
  check("its values are the record's", () =>
    Math.abs(valueOf(0, nodeOf.get("n07")) / groups[0].median[0] - 0.9) < 0.02);
  check("the search finds one node", () => {
    search.value = "n07";
    search.dispatchEvent(new Event("input"));
    return nodeRows.children.length === 1 || nodeRows.children.length;
  });
  check("a histogram for each ceiling", () => all("#histograms figure").length === columns.length);
  check("the slow pair is deep in the matrix", () => {
    const {left: x, top: y, cell: size} = pairView;
    const at = (a, b) => [x + (b + 0.5) * size, y + (a + 0.5) * size];
    const place = (name) => pairView.place[pairHosts.indexOf(name)];
    const slow = pixel(pairCanvas, ...at(place("m1"), place("m2")));
    const sound = pixel(pairCanvas, ...at(place("m0"), place("m3")));
    return slow[0] - slow[2] > 40 && Math.abs(sound[0] - sound[2]) < 40 || `${slow} ${sound}`;
  });
  check("the other kernel is in the configuration", () =>
    document.querySelector("#drift").textContent.includes("n11") || "no n11");
  check("no part is wider than the page", () =>
    document.documentElement.scrollWidth <= window.innerWidth || document.documentElement.scrollWidth);
  check("the script made no errors", () => pageErrors.length === 0 || pageErrors.join("; "));
  lines.push("probe ended");
  document.body.append(element("pre", {id: "probe"}, lines.join("\n")));
}
