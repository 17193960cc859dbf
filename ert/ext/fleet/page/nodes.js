/* SPDX-License-Identifier: BSD-3-Clause */
/* All nodes to search in, and one of them in full. */
const nodeView = {most: 25, words: "", order: "worst", chosen: -1};
const nodeRows = element("tbody"), nodeMore = element("div", {class: "more"});
const nodeCard = element("div", {id: "node"});
const search = element("input", {type: "search", placeholder: "Host, kind of finding or hardware",
  "aria-label": "Search nodes"});

function matches(node) {
  const found = (findingsOf.get(hosts[node]) || []).map((finding) => kinds[finding.kind].name);
  const hardware = groups.length > 1 ? groups[groupOf[node]].name : "";
  const text = [hosts[node], hardware, ...found].join(" ").toLowerCase();
  return nodeView.words.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

function nodeRow(node) {
  const column = worstColumn[node], found = findingsOf.get(hosts[node]) || [];
  const words = [...new Set(found.map((finding) => kinds[finding.kind].name))].join(", ");
  const name = element("button", {class: "host", type: "button"}, hosts[node]);
  name.addEventListener("click", () => chooseNode(node, true));
  return element("tr", {class: ["", "open", "bad"][Math.max(0, badness[node])]}, element("td", {}, name),
    element("td", {class: "words"}, words || "–"),
    element("td", {}, column < 0 ? "not measured" : columnName(column)),
    element("td", {class: "number"}, column < 0 ? "" : changeText(change[column * nNodes + node])),
    element("td", {class: "number wide"}, count(records[node])),
    groups.length > 1 ? element("td", {class: "wide"}, groups[groupOf[node]].name) : null);
}

function drawNodes() {
  const all = nodesBy(nodeView.order), some = nodeView.words ? all.filter(matches) : all;
  nodeRows.replaceChildren(...some.slice(0, nodeView.most).map(nodeRow));
  const more = element("button", {type: "button"},
    `Show ${count(Math.min(200, some.length - nodeView.most))} more`);
  more.addEventListener("click", () => {
    nodeView.most += 200;
    drawNodes();
  });
  const shown = `${count(Math.min(nodeView.most, some.length))} of ${plural(some.length, "node")} `;
  nodeMore.replaceChildren(shown, ...some.length > nodeView.most ? [more] : []);
}

function bar(node, column) {
  const value = Math.max(-2, Math.min(2, -distance(column, node))), size = Math.abs(value) * 25;
  const box = element("span", {class: "bar"}), fill = element("i");
  fill.style.width = `${size}%`;
  fill.style.left = value < 0 ? `${50 - size}%` : "50%";
  fill.style.background = `var(${value <= -1 ? "--c1" : "--c0"})`;
  box.append(fill);
  return box;
}

/* A node's ceilings, the slowest first; marks at the limits. */
function chooseNode(node, scroll) {
  nodeView.chosen = node;
  const order = columns.map((unused, i) => i).sort((a, b) => {
    const x = distance(a, node), y = distance(b, node);
    return (y === y ? y : -9e9) - (x === x ? x : -9e9);
  });
  const close = element("button", {type: "button", "aria-label": "Close"}, "×");
  close.addEventListener("click", () => nodeCard.replaceChildren());
  nodeCard.replaceChildren(element("div", {class: "card"}, element("h3", {}, hosts[node], close),
    element("p", {class: "hint"}, `${groups[groupOf[node]].name}, ${plural(records[node], "record")}`),
    element("ol", {class: "findings"}, ...(findingsOf.get(hosts[node]) || []).map(findingRow)),
    element("div", {class: "scroll"}, element("table", {}, element("tbody", {}, ...order.map((column) => {
      const steps = change[column * nNodes + node];
      return element("tr", {}, element("td", {}, columnName(column)), element("td", {class: "number"},
        steps === ABSENT ? "" : measure(valueOf(column, node), columns[column].unit)),
      element("td", {class: "number"}, changeText(steps)),
      element("td", {}, steps === ABSENT ? "" : bar(node, column)),
      element("td", {class: "words"}, verdicts.get(column * nNodes + node) || ""));
    }))))));
  if (scroll) {
    nodeCard.scrollIntoView({block: "nearest", behavior: "smooth"});
  }
}

function nodeSection() {
  search.addEventListener("input", () => {
    Object.assign(nodeView, {words: search.value.trim(), most: 25});
    drawNodes();
  });
  const heads = ["Host", "Found", "Worst ceiling", "Change"].map((text, i) =>
    element("th", {class: i === 3 ? "number" : null}, text));
  heads.push(element("th", {class: "number wide"}, "Records"));
  if (groups.length > 1) {
    heads.push(element("th", {class: "wide"}, "Hardware"));
  }
  drawNodes();
  return section("nodes", "Nodes", "", nodeCard, element("div", {class: "tools"}, search,
    choice("Order", [["worst", "the worst first"], ["host", "by host"]], "worst", (value) => {
      nodeView.order = value;
      drawNodes();
    })), element("div", {class: "scroll"}, element("table", {},
    element("thead", {}, element("tr", {}, ...heads)), nodeRows)), nodeMore);
}
