/* SPDX-License-Identifier: BSD-3-Clause */
/* What the nodes of one hardware differ in: each setting's values, the most frequent first. */
function driftRows() {
  const rows = [];
  data.drift.filter((key) => key.texts).forEach((key) => {
    const of = decode(key.of, Uint32Array);
    groups.forEach((group, g) => {
      const nodes = new Map();
      nodesOfGroup(g).forEach((node) => nodes.set(of[node], [...nodes.get(of[node]) || [], node]));
      const values = [...nodes].sort((a, b) => b[1].length - a[1].length);
      values.forEach(([text, some], i) => {
        if (values.length < 2) {
          return;
        }
        const names = some.slice(0, 12).map((node) => hosts[node]).join(", ");
        const more = some.length > 12 ? `, ${count(some.length - 12)} more` : "";
        rows.push(element("tr", {class: i ? "" : "first"}, element("td", {}, i ? "" : key.name),
          element("td", {}, key.texts[text] || "unknown"),
          element("td", {class: "number"}, count(some.length)),
          element("td", {class: "words"}, i ? names + more : "most nodes"),
          groups.length > 1 ? element("td", {class: "wide"}, i ? "" : group.name) : null));
      });
    });
  });
  return rows;
}

function driftSection() {
  const rows = driftRows();
  if (!rows.length) {
    return null;
  }
  const heads = ["Setting", "Value", "Nodes", "Which"].map((text, i) =>
    element("th", {class: i === 2 ? "number" : null}, text));
  return section("drift", "Configuration", "Settings in which nodes of the same hardware differ.",
    element("div", {class: "scroll"}, element("table", {},
      element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows))));
}
