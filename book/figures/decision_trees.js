/* A decision tree under the hand: ask the next question, see by how much it lowers the impurity, and try
   one of your own; on other patients of the same kind, or on features that are turned. */
litlearn.figure("decision_trees", (figure, data) => {
  "use strict";
  const { number, count } = litlearn;
  const { classes } = data;
  const [first, second] = data.features;
  const state = figure.state({ X: data.X, y: data.y, cross: data.cross, asked: data.asked, turned: false, past: [] });
  const { y } = state;

  /** The chance that two people of a group, drawn with replacement, are of different classes. */
  function gini(ids) {
    const shares = classes.map((_, c) => ids.filter((i) => y[i] === c).length / ids.length);
    return 1 - shares.reduce((total, share) => total + share * share, 0);
  }

  /** By how much a question lowers the impurity of all patients. */
  function lowered(ids, feature, threshold) {
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
        const gain = lowered(ids, feature, threshold);
        if (!found || gain > found.gain + 1e-12) found = { feature, threshold, gain };
      }
    }
    return found;
  }

  /** Grow best first, as with max_leaf_nodes: the leaf whose question lowers most is asked first. */
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
  figure.drawn(() => (tree = grow(state.asked)));
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

  /** How many questions can be asked, until every box holds one class. */
  const possible = () => grow(y.length).asking.length;

  /** The patients turned about the middle of the picture, where both axes have the same length. */
  function turn(degrees) {
    const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
    const middle = data.features.map(({ limits: [low, high] }) => [(low + high) / 2, (high - low) / 2]);
    state.X = state.X.map((x) => {
      const [u, v] = middle.map(([at, half], j) => (x[j] - at) / half);
      return [c * u - s * v, s * u + c * v].map((value, j) => Number((middle[j][0] + middle[j][1] * value).toFixed(6)));
    });
  }

  const plot = figure.plot({ x: first, y: second, verdict: true });
  const ghosts = plot.marks.append("g");
  const trial = plot.marks.append("g");
  const cuts = plot.marks.append("g");
  const items = [-1, ...y.keys()]; // the cross, then the patients
  const place = (i) => (i < 0 ? state.cross : state.X[i]);
  plot.handles(items, {
    at: place,
    moved: (i, to) => place(i).splice(0, 2, ...to),
    name: (i) => (i < 0 ? "cross" : `patient ${i + 1}`),
    label: (i) => (i < 0 ? "cross, for questions of your own" : `patient ${i + 1}, ${classes[y[i]].name}`),
    look: (nodes) => nodes.each(function (i) {
      const node = d3.select(this);
      if (i < 0) node.append("path").attr("class", "cross").attr("d", "M-7,0H7M0,-7V7");
      else node.call(litlearn.mark, classes[y[i]]);
      if (i >= 0) node.append("text").attr("x", 10).attr("y", -7).text(i + 1);
    }),
  });

  const usual = structuredClone(state.X);
  const ask = (more) => (state.asked = Math.max(0, grow(state.asked).asking.length + more));
  figure.button({
    name: "ask",
    text: "Ask the next question",
    press: () => ask(1),
    off: () => tree.asking.length === possible(),
  });
  figure.button({
    name: "year",
    extra: true,
    text: "Another year",
    press: () => {
      state.past = [...state.past, tree.root.cut].filter(Boolean).slice(-12);
      const other = ({ limits, step, leap }, value) =>
        Math.min(limits[1], Math.max(limits[0], step * Math.round((value + 0.7 * leap * litlearn.normal()) / step)));
      state.X = usual.map((x) => x.map((value, j) => other(data.features[j], value)));
    },
  });
  figure.restart(state);
  figure.slider({
    name: "asked",
    label: "Questions asked",
    min: 0,
    max: possible,
    get: () => tree.asking.length,
    set: (asked) => (state.asked = asked),
  });
  figure.choice({
    name: "turn",
    extra: true,
    label: "The patients are",
    options: [{ value: false, text: "as measured" }, { value: true, text: "turned by 45°" }],
    get: () => state.turned,
    set: (turned) => {
      turn(turned ? 45 : -45);
      state.turned = turned;
    },
  });
  const bar = figure.answers.append("div").attr("class", "litlearn-shares whole verdict").attr("aria-hidden", "true");
  const table = figure.table("By how much a question lowers the impurity (bold: asked)", ["question", "of", "lowers by"], 1);
  const words = ({ feature, threshold }) => `${data.features[feature].label} ≤ ${number(threshold)}?`;
  const people = (ids) => count(ids.length, "patient");

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
    const total = gini(tree.root.ids);
    const leaf = leafOf(state.cross);
    const own = [0, 1].map((feature) => {
      const threshold = state.cross[feature];
      return { feature, threshold, gain: lowered(leaf.ids, feature, threshold) };
    });
    ghosts.selectAll("line").data(state.past.map((cut) => line({ box: tree.root.box, cut }))).join("line").attr("class", "ghost")
      .attr("x1", (e) => e.x1).attr("y1", (e) => e.y1).attr("x2", (e) => e.x2).attr("y2", (e) => e.y2);
    const now = JSON.stringify([state.X, tree.asking.length, plot.width]);
    if (now !== mapped) plot.regions(vote, classes, state.X, true);
    mapped = now;
    draw(trial, own.map((cut) => ({ box: leaf.box, cut })), { stroke: "#555", "stroke-dasharray": "3 4", "stroke-width": 1.3 });
    draw(cuts, tree.asking, { stroke: "#222", "stroke-width": 2 });
    cuts.selectAll("text").data(tree.asking.map(line)).join("text").text((_, k) => `${k + 1}.`)
      .attr("x", (e) => (e.x1 + e.x2) / 2 + 5).attr("y", (e) => (e.y1 + e.y2) / 2 - 5);

    const left = tree.leaves.reduce((sum, { ids }) => sum + (ids.length / y.length) * gini(ids), 0);
    const parts = tree.asking.map(({ cut }, k) => ({ text: k + 1, width: cut.gain, color: data.lowered }));
    parts.push({ text: "left", width: left, color: data.left });
    bar.selectAll("div").data(parts).join("div").style("width", (p) => `${total && (100 * p.width) / total}%`)
      .style("background", (p) => p.color).text((p) => (p.width > 0.1 * total ? p.text : ""));

    const row = (text, kind, ids, gain) => ({ kind, cells: [text, people(ids), number(gain, 3)] });
    const rows = tree.asking.map(({ ids, cut }, k) => row(`${k + 1}. ${words(cut)}`, "in", ids, cut.gain));
    rows.push(...own.map((cut) => row(`cross: ${words(cut)}`, "out", leaf.ids, cut.gain)));
    table(rows);

    const n = tree.asking.length;
    const done = tree.leaves.every((one) => !one.cut);
    figure.say([
      n ? `${count(n, "question")} ${n === 1 ? "has" : "have"} lowered the impurity from ${number(total, 3)} to ${number(left, 3)}.`
        : `No question has been asked. The impurity of all patients is ${number(total, 3)}.`,
      done ? "Every box holds one class, and nothing is left to ask." :
        `In the box of the cross, with ${people(leaf.ids)}, “${words(own[0])}” would lower it by ${number(own[0].gain, 3)} ` +
        `and “${words(own[1])}” by ${number(own[1].gain, 3)}.`,
    ].join(" "));
  });

  figure.key(["+", "="], () => ask(1), "asked");
  figure.key(["-"], () => ask(-1), "asked");
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
    lowered: (feature, threshold) => lowered(leafOf(state.cross).ids, feature, threshold),
  };
});
