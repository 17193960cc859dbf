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
  const tileOf = (host) => document.querySelector(`[data-host="${host}"]`);
  const racks = () => all("#map figcaption").map((caption) => caption.textContent);

  check("the page is drawn", () => document.body.dataset.ready === "yes");
  check("nothing hostile ran", () => window.ran === undefined && !all("img, iframe, svg script").length);
  check("each finding is there", () =>
    all("#found li").length === findings.length || all("#found li").length);
  check("the map has the racks of the switches, and the others by their names", () =>
    racks().join() === "leaf0 10,leaf1 10,n* 21" || racks().join());
  check("the slow node is deep and framed, a sound one is not", () => {
    const [slow, sound] = ["n07", "n03"].map(tileOf), share = (node) =>
      Number(/([\d.]+)%/.exec(node.getAttribute("style"))[1]);
    return share(slow) > 50 && share(sound) < 40 && slow.classList.contains("bad") &&
      !sound.classList.contains("bad") || `${share(slow)} ${share(sound)}`;
  });
  check("the node without a record is on the map", () => tileOf("n40").title.endsWith("missing") &&
    tileOf("n40").classList.contains("none") || tileOf("n40").title);
  check("a click on a node opens it", () => {
    tileOf("n07").click();
    return document.querySelector("#chosen h2").textContent === "n07" &&
      all("#chosen tbody tr.slow").length === 6 || document.querySelector("#chosen").textContent;
  });
  check("a click on its finding, too", () => {
    tileOf("n03").click();
    all("#found li").find((item) => item.textContent.includes("n07: ")).click();
    return document.querySelector("#chosen h2").textContent === "n07";
  });
  check("one ceiling can be chosen", () => {
    const choose = document.querySelector("select");
    choose.value = "2";
    choose.dispatchEvent(new Event("change"));
    return tileOf("n07").title.startsWith("n07: cpu ceiling-3 -") || tileOf("n07").title;
  });
  check("no part is wider than the page", () =>
    document.documentElement.scrollWidth <= window.innerWidth || document.documentElement.scrollWidth);
  check("the script made no errors", () => pageErrors.length === 0 || pageErrors.join("; "));
  lines.push("probe ended");
  document.body.append(element("pre", {id: "probe"}, lines.join("\n")));
}
