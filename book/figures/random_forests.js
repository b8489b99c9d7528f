/* A forest under the hand: add trees, each on its own bag, and see what they say together. */
litlearn.figure("random_forests", (figure, data) => {
  "use strict";
  const { number, list } = litlearn;
  const { classes, y, bags, lots } = data;
  const [first, second] = data.features;
  const state = figure.state({ X: data.X, query: data.query, trees: data.trees, kind: "stumps" });

  const shares = (ids) => classes.map((_, c) => ids.filter((i) => y[i] === c).length / ids.length);
  const gini = (ids) => 1 - shares(ids).reduce((total, share) => total + share * share, 0);

  /** The best cut of a bag by one feature, or none. A patient drawn twice counts twice. */
  function best(ids, feature) {
    const values = [...new Set(ids.map((i) => state.X[i][feature]))].sort((a, b) => a - b);
    let found = null;
    for (let v = 1; v < values.length; v += 1) {
      const threshold = (values[v - 1] + values[v]) / 2;
      const sides = [ids.filter((i) => state.X[i][feature] <= threshold)];
      sides.push(ids.filter((i) => state.X[i][feature] > threshold));
      const cost = sides.reduce((sum, side) => sum + (side.length / ids.length) * gini(side), 0);
      if (!found || cost < found.cost - 1e-12) found = { feature, threshold, cost, sides };
    }
    return found;
  }

  /** A stump tries both features. In a deep tree each node draws one, and takes the other if the
      drawn one is constant there. */
  function grow(b) {
    let nodes = 0;
    const node = (ids, deep) => {
      const made = { ids };
      if (gini(ids) < 1e-12 || (!deep && nodes > 0)) return made;
      const lot = lots[b][nodes % lots[b].length];
      nodes += 1;
      const cuts = (deep ? [lot, 1 - lot] : [0, 1]).map((feature) => best(ids, feature)).filter(Boolean);
      if (!cuts.length) return made;
      const cut = deep ? cuts[0] : cuts.reduce((a, c) => (c.cost < a.cost - 1e-12 ? c : a));
      Object.assign(made, { lot, feature: cut.feature, threshold: cut.threshold });
      made.children = cut.sides.map((side) => node(side, deep));
      return made;
    };
    return node(bags[b], state.kind === "deep");
  }

  let forest;
  let grown = "";
  function plant() {
    const now = JSON.stringify([state.X, state.kind, state.trees]);
    if (now !== grown) forest = d3.range(state.trees).map(grow);
    grown = now;
  }

  function answer(tree, point) {
    let node = tree;
    while (node.children) node = node.children[point[node.feature] <= node.threshold ? 0 : 1];
    node.share ??= shares(node.ids);
    return node.share;
  }

  function together(trees, point) {
    const share = classes.map(() => 0);
    for (const tree of trees) answer(tree, point).forEach((s, c) => (share[c] += s / trees.length));
    return { share, winner: share[1] > share[0] + 1e-12 ? 1 : 0 };
  }
  const vote = (point) => together(forest, point);

  const plot = figure.plot({ x: first, y: second, equal: true });
  const cuts = plot.marks.append("g");
  const points = plot.patients(state, y, classes);

  figure.slider({
    label: "Number of trees",
    min: 1,
    max: bags.length,
    get: () => state.trees,
    set: (trees) => (state.trees = trees),
  });
  figure.choice({
    label: "Each tree",
    options: [
      { value: "stumps", text: "asks one question" },
      { value: "deep", text: "grows to the end, features by lot" },
    ],
    get: () => state.kind,
    set: (kind) => (state.kind = kind),
  });
  const table = figure.table("Share of the trees for decline", ["patient", "course", "all trees", "out of bag"], 2);

  /** The line that each stump draws, or the first line of a deep tree. */
  const line = ({ feature, threshold: t }) => {
    const [[a, b], [c, d]] = [first.domain, second.domain];
    const [x1, y1, x2, y2] = feature ? [a, t, b, t] : [t, c, t, d];
    return { x1: plot.sx(x1), y1: plot.sy(y1), x2: plot.sx(x2), y2: plot.sy(y2) };
  };

  /** What the trees say of a patient whom they have not drawn. */
  function outOfBag(i) {
    const others = forest.filter((_, b) => !bags[b].includes(i));
    return others.length ? together(others, state.X[i]) : null;
  }

  let mapped = "";
  figure.drawn(() => {
    plant();
    const now = JSON.stringify([state.X, state.kind, state.trees, plot.width]);
    if (now !== mapped) plot.regions(vote, classes, state.X);
    mapped = now;
    cuts.selectAll("line").data(forest.filter((tree) => tree.children).map(line)).join("line")
      .attr("x1", (e) => e.x1).attr("y1", (e) => e.y1).attr("x2", (e) => e.x2).attr("y2", (e) => e.y2)
      .attr("stroke", "#555").attr("stroke-width", 1).attr("stroke-dasharray", "3 4");
    const last = bags[state.trees - 1];
    points.classed("idle", (i) => i >= 0 && !last.includes(i));

    const told = [...y.keys()].map((i) => ({ all: vote(state.X[i]), out: outOfBag(i) }));
    table(told.map(({ all, out }, i) => ({
      kind: all.winner === y[i] ? "out" : "in",
      cells: [i + 1, figure.badge(classes[y[i]]), number(all.share[1]), out ? number(out.share[1]) : "–"],
    })));
    const wrong = told.filter(({ all }, i) => all.winner !== y[i]).length;
    const judged = told.filter(({ out }) => out);
    const missed = told.filter(({ out }, i) => out && out.winner !== y[i]).length;
    const left = [...y.keys()].filter((i) => !last.includes(i)).map((i) => i + 1);
    const { share, winner } = vote(state.query);
    figure.say([
      `${state.trees} ${state.trees === 1 ? "tree gives" : "trees give"} the star, at ${number(state.query[0])} words and ` +
        `${number(state.query[1])} years, a share of ${number(share[1])} for ` +
        `“${classes[1].name}”: “${classes[winner].name}”.`,
      left.length ? `The last tree has not seen ${left.length > 1 ? "patients" : "patient"} ${list(left)}.`
        : "The last tree has seen all patients.",
      `The vote is wrong about ${wrong} of ${y.length}; out of bag, about ${missed} of ${judged.length}.`,
    ].join(" "));
  });

  figure.restart(state);
  const add = (more) => (state.trees = Math.min(bags.length, Math.max(1, state.trees + more)));
  figure.button("Add a tree", () => figure.change(() => add(1)));
  figure.key(["+", "="], () => add(1));
  figure.key(["-"], () => add(-1));
  figure.explain("Add trees with the button, the slider or the keys + and −. Drag the star or any patient, or choose one " +
    "with Tab and move it with the arrow keys (with Shift: two units at once). Pale patients are not in the last bag.");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => {
      plant();
      return { ...structuredClone(state), forest, vote: vote(state.query), outOfBag: [...y.keys()].map(outOfBag) };
    },
    vote,
  };
});
