/* A decision tree under the hand: ask the next question, see what it buys, and try one of your own. */
litlearn.figure("decision_trees", (figure, data) => {
  "use strict";
  const { number } = litlearn;
  const { classes, y } = data;
  const [first, second] = data.features;
  const state = figure.state({ X: data.X, cross: data.cross, asked: data.asked });

  /** The chance that two people of a group, drawn with replacement, are of different classes. */
  function gini(ids) {
    const shares = classes.map((_, c) => ids.filter((i) => y[i] === c).length / ids.length);
    return 1 - shares.reduce((total, share) => total + share * share, 0);
  }

  /** What a question buys: the impurity that it takes away, as a share of all patients. */
  function bought(ids, feature, threshold) {
    const sides = [ids.filter((i) => state.X[i][feature] <= threshold)];
    sides.push(ids.filter((i) => !sides[0].includes(i)));
    const cost = (group) => (group.length ? (group.length / y.length) * gini(group) : 0);
    return cost(ids) - cost(sides[0]) - cost(sides[1]);
  }

  /** The best question of a group, or none. Of equally good ones, the first feature and cut. */
  function best(ids) {
    let found = null;
    if (gini(ids) < 1e-12) return found;
    for (const feature of [0, 1]) {
      const values = [...new Set(ids.map((i) => state.X[i][feature]))].sort((a, b) => a - b);
      for (let v = 1; v < values.length; v += 1) {
        const threshold = (values[v - 1] + values[v]) / 2;
        const gain = bought(ids, feature, threshold);
        if (!found || gain > found.gain + 1e-12) found = { feature, threshold, gain };
      }
    }
    return found;
  }

  /** Grow best first, as with max_leaf_nodes: the leaf whose question buys most is asked first. */
  function grow(asked) {
    const domain = [first.domain, second.domain];
    const root = { ids: [...y.keys()], box: domain, cut: best([...y.keys()]) };
    const leaves = [root];
    const asking = [];
    while (asking.length < asked) {
      const open = leaves.filter((leaf) => leaf.cut);
      if (!open.length) break;
      const node = open.reduce((a, b) => (b.cut.gain > a.cut.gain + 1e-12 ? b : a));
      const { feature, threshold } = node.cut;
      node.children = [0, 1].map((side) => {
        const ids = node.ids.filter((i) => state.X[i][feature] <= threshold === (side === 0));
        const box = node.box.map((range, axis) => {
          if (axis !== feature) return range;
          return side ? [threshold, range[1]] : [range[0], threshold];
        });
        return { ids, box, cut: best(ids) };
      });
      leaves.splice(leaves.indexOf(node), 1, ...node.children);
      asking.push(node);
    }
    return { root, leaves, asking };
  }

  let tree;
  function leafOf(point) {
    let node = tree.root;
    while (node.children) node = node.children[point[node.cut.feature] <= node.cut.threshold ? 0 : 1];
    return node;
  }

  function vote(point) {
    const { ids } = leafOf(point);
    const share = classes.map((_, c) => ids.filter((i) => y[i] === c).length / ids.length);
    return { share, winner: share.indexOf(Math.max(...share)) };
  }

  const plot = figure.plot({ x: first, y: second });
  const trial = plot.marks.append("g");
  const cuts = plot.marks.append("g");
  const items = [-1, ...y.keys()]; // the cross, then the patients
  const place = (i) => (i < 0 ? state.cross : state.X[i]);
  plot.handles(items, {
    at: place,
    moved: (i, to) => place(i).splice(0, 2, ...to),
    label: (i) => (i < 0 ? "cross, for questions of your own" : `patient ${i + 1}, ${classes[y[i]].name}`),
    look: (nodes) => nodes.each(function (i) {
      const node = d3.select(this);
      if (i < 0) node.append("path").attr("class", "cross").attr("d", "M-7,0H7M0,-7V7");
      else node.call(litlearn.mark, classes[y[i]]);
      if (i >= 0) node.append("text").attr("x", 10).attr("y", -7).text(i + 1);
    }),
  });

  const bar = figure.panel.append("div").attr("class", "litlearn-shares whole").attr("aria-hidden", "true");
  figure.slider({
    label: "Questions asked",
    min: 0,
    max: y.length - 1,
    get: () => state.asked,
    set: (asked) => (state.asked = asked),
  });
  const table = figure.table("What a question buys", ["question", "of", "buys"], 1);
  const words = ({ feature, threshold }) => `${data.features[feature].label} ≤ ${number(threshold)}?`;
  const people = (ids) => `${ids.length} ${ids.length === 1 ? "patient" : "patients"}`;

  /** Draw a question within its box. */
  const line = ({ box, cut }) => {
    const [[a, b], [c, d]] = box;
    const t = cut.threshold;
    const [x1, y1, x2, y2] = cut.feature ? [a, t, b, t] : [t, c, t, d];
    return { x1: plot.sx(x1), y1: plot.sy(y1), x2: plot.sx(x2), y2: plot.sy(y2) };
  };
  const draw = (layer, nodes, style) => layer.selectAll("line").data(nodes.map(line)).join("line")
    .each(function (ends) {
      for (const [name, value] of Object.entries({ ...ends, ...style })) d3.select(this).attr(name, value);
    });

  let mapped = "";
  figure.drawn(() => {
    tree = grow(state.asked);
    const total = gini(tree.root.ids);
    const leaf = leafOf(state.cross);
    const own = [0, 1].map((feature) => {
      const threshold = state.cross[feature];
      return { feature, threshold, gain: bought(leaf.ids, feature, threshold) };
    });
    const now = JSON.stringify([state.X, state.asked, plot.width]);
    if (now !== mapped) plot.regions(vote, classes, state.X);
    mapped = now;
    draw(trial, own.map((cut) => ({ box: leaf.box, cut })), { stroke: "#555", "stroke-dasharray": "3 4", "stroke-width": 1.3 });
    draw(cuts, tree.asking, { stroke: "#222", "stroke-width": 2 });
    cuts.selectAll("text").data(tree.asking.map(line)).join("text").text((_, k) => `${k + 1}.`)
      .attr("x", (e) => (e.x1 + e.x2) / 2 + 5).attr("y", (e) => (e.y1 + e.y2) / 2 - 5);

    const left = tree.leaves.reduce((sum, { ids }) => sum + (ids.length / y.length) * gini(ids), 0);
    const parts = tree.asking.map(({ cut }, k) => ({ text: k + 1, width: cut.gain, color: data.bought }));
    parts.push({ text: "left", width: left, color: data.left });
    bar.selectAll("div").data(parts).join("div").style("width", (p) => `${(100 * p.width) / total}%`)
      .style("background", (p) => p.color).text((p) => (p.width > 0.1 * total ? p.text : ""));

    const row = (text, kind, ids, gain) => ({ kind, cells: [text, people(ids), number(gain, 3)] });
    const rows = tree.asking.map(({ ids, cut }, k) => row(`${k + 1}. ${words(cut)}`, "in", ids, cut.gain));
    rows.push(...own.map((cut) => row(`cross: ${words(cut)}`, "out", leaf.ids, cut.gain)));
    if (leaf.cut) rows.push(row(`best there: ${words(leaf.cut)}`, "out", leaf.ids, leaf.cut.gain));
    table(rows);

    const n = tree.asking.length;
    const done = tree.leaves.every((one) => !one.cut);
    const group = `${people(leaf.ids)}, impurity ${number(gini(leaf.ids), 3)}`;
    figure.say([
      n ? `${n} ${n === 1 ? "question" : "questions"} bought ${number(total - left, 3)} of the impurity ${number(total, 3)}.`
        : `No question is asked yet. The impurity of all is ${number(total, 3)}.`,
      done ? "Nothing is left to ask." : "",
      `The cross lies in a box with ${group}. There, “${words(own[0])}” would buy ${number(own[0].gain, 3)} and ` +
        `“${words(own[1])}” ${number(own[1].gain, 3)}.`,
      leaf.cut ? `The best question, “${words(leaf.cut)}”, buys ${number(leaf.cut.gain, 3)}.` : "",
    ].filter(Boolean).join(" "));
  });

  figure.restart(state);
  const ask = (more) => (state.asked = Math.min(y.length - 1, Math.max(0, state.asked + more)));
  figure.button("Ask the next question", () => figure.change(() => ask(1)));
  figure.key(["+", "="], () => ask(1));
  figure.key(["-"], () => ask(-1));
  figure.explain("Ask the next question, or take questions back with the slider (keys + and −). Drag the cross to try " +
    "questions of your own in the box where it lies, and any patient to see the tree change. With Tab and the arrow " +
    "keys the same (with Shift: larger steps).");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => {
      tree = grow(state.asked);
      const nodes = tree.asking.map(({ ids, box, cut }) => ({ ids, box, ...cut }));
      const leaves = tree.leaves.map(({ ids, box, cut }) => ({ ids, box, cut }));
      return { ...structuredClone(state), nodes, leaves };
    },
    vote,
    bought: (feature, threshold) => bought(leafOf(state.cross).ids, feature, threshold),
  };
});
