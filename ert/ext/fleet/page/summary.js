/* SPDX-License-Identifier: BSD-3-Clause */
/* The head: what the fleet is, and what was found, the worst first. */
const shownFindings = {kind: -1, most: 12};

function headline() {
  const n = (severity) => new Set(findings.filter((f) => f.severity === severity && f.host)
    .map((f) => f.host)).size;
  const bad = findings.some((f) => f.severity === "bad"), open = findings.some((f) => f.severity === "open");
  if (!nNodes && !findings.length) {
    return "No records";
  }
  if (bad) {
    return n("bad") ? `${plural(n("bad"), "node")} with faults` : "Faults were found";
  }
  return open ? "No certain fault; some things should be measured again" : "Nothing was found";
}

function tile(number, text, tone) {
  return element("div", {class: `tile ${tone}`}, element("b", {}, count(number)), element("span", {}, text));
}

function tiles() {
  const tones = {};
  findings.forEach((finding) => {
    tones[finding.kind] = tones[finding.kind] || finding.severity;
  });
  const found = kinds.map((kind, i) => [kind.count, kind.name, tones[i] || "note"]).filter((row) => row[0]);
  found.sort((a, b) => BADNESS[b[2]] - BADNESS[a[2]]);
  return element("div", {id: "tiles"}, tile(nNodes, nNodes === 1 ? "node" : "nodes", "plain"),
    tile(columns.length, columns.length === 1 ? "ceiling" : "ceilings", "plain"),
    ...found.map((row) => tile(...row)));
}

function subtitleText() {
  return [data.created ? `newest record ${data.created.replace("T", " ")}` : "",
    plural(data.records, "record"),
    groups.length === 1 ? groups[0].name : plural(groups.length, "kind of hardware", "kinds of hardware"),
    data.comparisons ? `${count(data.comparisons)} comparisons with ${data.falseAlarms} false alarms expected`
      : ""].filter(Boolean).join(" · ");
}

function findingRow(finding) {
  const node = nodeOf.get(finding.host);
  const name = element(node === undefined ? "span" : "button", {class: "host", title: finding.host},
    finding.peer ? `${finding.host} – ${finding.peer}` : finding.host || "fleet");
  if (node !== undefined) {
    name.addEventListener("click", () => chooseNode(node, true));
  }
  return element("li", {class: finding.severity}, element("span", {class: "kind"}, kinds[finding.kind].name),
    name, element("span", {class: "why"}, finding.sentence.replace(`${finding.host}: `, "")));
}

function drawFindings(list) {
  const some = findings.filter((f) => shownFindings.kind < 0 || f.kind === shownFindings.kind);
  const rows = some.slice(0, shownFindings.most).map(findingRow);
  if (!findings.length) {
    rows.push(element("li", {class: "note"}, element("span", {class: "why"},
      "Every node is within the limits of its hardware, and none is missing.")));
  }
  if (some.length > rows.length) {
    const more = element("button", {type: "button"}, `Show ${count(Math.min(200, some.length - rows.length))
      } more of ${count(some.length - rows.length)}`);
    more.addEventListener("click", () => {
      shownFindings.most += 200;
      drawFindings(list);
    });
    rows.push(element("li", {class: "more"}, more));
  }
  if (data.findingsAll > findings.length) {
    rows.push(element("li", {class: "more"},
      `${count(data.findingsAll - findings.length)} more are left out of this page; fleet.json has them.`));
  }
  list.replaceChildren(...rows);
}

function findingsSection() {
  const list = element("ol", {id: "findings"});
  const filter = choice("Show", [[-1, `all (${count(findings.length)})`],
    ...kinds.map((kind, i) => [i, `${kind.name} (${count(kind.count)})`]).filter((row) =>
      kinds[row[0]].count)], -1, (value) => {
    Object.assign(shownFindings, {kind: Number(value), most: 12});
    drawFindings(list);
  });
  drawFindings(list);
  return section("found", "What was found", "", findings.length > 12 ? filter : null, list);
}
