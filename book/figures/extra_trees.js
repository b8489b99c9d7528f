/* Trees whose thresholds are drawn at random: throw the dice, and see how many such trees blur each
   other's borders. */
litlearn.figure("extra_trees", (figure, data) => {
  "use strict";
  const { number, count } = litlearn;
  const { classes, y, most } = data;
  const [first, second] = data.features;
  const state = figure.state({ X: data.X, query: data.query, trees: data.trees, dice: data.dice, logarithm: false });

  const shares = (ids) => classes.map((_, c) => ids.filter((i) => y[i] === c).length / ids.length);
  const gini = (ids) => 1 - shares(ids).reduce((total, share) => total + share * share, 0);

  /** Years can be drawn on a logarithmic scale (of half a year more, as complaints may be new). */
  const scales = [[(v) => v, (t) => t], [(v) => Math.log(v + data.shift), (t) => Math.exp(t) - data.shift]];
  const scale = (feature) => scales[Number(state.logarithm && feature === 1)];

  /** A tree on all patients. In each node a threshold is drawn for each feature, between the smallest
      and the largest value, and the better question is asked. */
  function grow(seed) {
    const random = litlearn.random(seed);
    const node = (ids, box) => {
      const made = { ids, box };
      if (gini(ids) < 1e-12) return made;
      const drawn = [];
      for (const feature of [0, 1]) {
        const [to, back] = scale(feature);
        const values = ids.map((i) => to(state.X[i][feature]));
        const [low, high] = [Math.min(...values), Math.max(...values)];
        if (low === high) continue;
        const threshold = back(low + random() * (high - low));
        const sides = [ids.filter((i) => state.X[i][feature] <= threshold)];
        sides.push(ids.filter((i) => state.X[i][feature] > threshold));
        const cost = sides.reduce((sum, side) => sum + (side.length / ids.length) * gini(side), 0);
        drawn.push({ feature, threshold, cost, sides });
      }
      if (!drawn.length) return made;
      const cut = drawn.reduce((a, c) => (c.cost < a.cost - 1e-12 ? c : a));
      made.drawn = drawn.map(({ feature, threshold, cost }) => ({ feature, threshold, cost }));
      Object.assign(made, { feature: cut.feature, threshold: cut.threshold });
      made.children = cut.sides.map((side, s) => node(side, box.map((range, axis) => {
        if (axis !== cut.feature) return range;
        return s ? [cut.threshold, range[1]] : [range[0], cut.threshold];
      })));
      return made;
    };
    return node([...y.keys()], [first.domain, second.domain]);
  }

  let forest;
  let grown = "";
  function plant() {
    const now = JSON.stringify([state.X, state.dice, state.trees, state.logarithm]);
    if (now !== grown) forest = d3.range(state.trees).map((b) => grow(state.dice * most + b + 1));
    grown = now;
  }

  /** The share of the second class in the leaf of a point. */
  function answer(tree, point) {
    let node = tree;
    while (node.children) node = node.children[point[node.feature] <= node.threshold ? 0 : 1];
    node.share ??= shares(node.ids)[1];
    return node.share;
  }

  function vote(point) {
    let share = 0;
    for (const tree of forest) share += answer(tree, point);
    share /= forest.length;
    return { share: [1 - share, share], winner: share > 0.5 + 1e-12 ? 1 : 0 };
  }

  const plot = figure.plot({ x: first, y: second, equal: true, verdict: true });
  const cuts = plot.marks.append("g");
  plot.patients(state, y, classes);

  figure.button({ name: "dice", text: "Throw the dice", keys: ["d", "D"], press: () => (state.dice += 1) });
  figure.restart(state);
  figure.slider({
    name: "trees",
    label: "Number of trees",
    min: 1,
    max: most,
    get: () => state.trees,
    set: (trees) => (state.trees = trees),
  });
  figure.choice({
    name: "scale",
    extra: true,
    label: "Years are measured on",
    options: [{ value: false, text: "a linear scale" }, { value: true, text: "a logarithmic one" }],
    get: () => state.logarithm,
    set: (logarithm) => (state.logarithm = logarithm),
  });
  const table = figure.table("The first question of the first tree (bold: the better one)", ["drawn at random", "impurity afterwards"], 1);
  const words = ({ feature, threshold }) => `${data.features[feature].label} ≤ ${number(threshold)}?`;
  const inner = (node) => (node.children ? [node, ...node.children.flatMap(inner)] : []);

  let mapped = "";
  figure.drawn(() => {
    plant();
    const now = JSON.stringify([grown, plot.width]);
    if (now !== mapped) plot.regions(vote, classes, state.X, true);
    mapped = now;
    const asked = inner(forest[0]);
    const line = ({ box: [[a, b], [c, d]], feature, threshold: t }) => (feature ? [a, t, b, t] : [t, c, t, d]);
    cuts.selectAll("line").data(asked.map(line)).join("line")
      .attr("x1", (e) => plot.sx(e[0])).attr("y1", (e) => plot.sy(e[1])).attr("x2", (e) => plot.sx(e[2]))
      .attr("y2", (e) => plot.sy(e[3])).attr("stroke", "#222").attr("stroke-width", 1.6)
      .attr("stroke-dasharray", state.trees > 1 ? "3 4" : null);
    table(asked.slice(0, 1).flatMap((root) => root.drawn.map((cut) => ({
      kind: cut.feature === root.feature ? "in" : "out",
      cells: [words(cut), number(cut.cost)],
    }))));
    const { share, winner } = vote(state.query);
    figure.say(`${count(state.trees, "tree")} ${state.trees === 1 ? "gives" : "give"} the star, at ` +
      `${count(state.query[0], "word")} and ${count(state.query[1], "year")}, a share of ${number(share[1])} for ` +
      `“${classes[1].name}”: “${classes[winner].name}”. The first tree asks ${count(asked.length, "question")}, each at a ` +
      "threshold that was drawn at random.");
  });

  const add = (more) => (state.trees = Math.min(most, Math.max(1, state.trees + more)));
  figure.key(["+", "="], () => add(1), "trees");
  figure.key(["-"], () => add(-1), "trees");
  figure.explain("Throw the dice (key d) for other thresholds, and add trees with the slider or the keys + and −. Drag the star " +
    "or any patient, or choose one with Tab and move it with the arrow keys (with Shift: two units at once).");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => {
      plant();
      return { ...structuredClone(state), forest, vote: vote(state.query) };
    },
    vote,
  };
});
