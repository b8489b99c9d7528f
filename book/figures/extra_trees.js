/* Trees by lot: throw the dice, and see how many such trees blur each other's borders. */
litlearn.figure("extra_trees", (figure, data) => {
  "use strict";
  const { number } = litlearn;
  const { classes, y, most } = data;
  const [first, second] = data.features;
  const state = figure.state({ X: data.X, query: data.query, trees: data.trees, dice: data.dice });

  const shares = (ids) => classes.map((_, c) => ids.filter((i) => y[i] === c).length / ids.length);
  const gini = (ids) => 1 - shares(ids).reduce((total, share) => total + share * share, 0);

  /** Random numbers from 0 to 1, the same for the same seed (mulberry32). */
  function generator(seed) {
    let a = (seed * 2654435761) >>> 0;
    return () => {
      a = (a + 0x6d2b79f5) >>> 0;
      let t = Math.imul(a ^ (a >>> 15), a | 1);
      t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
  }

  /** A tree on all patients: in each node one threshold by lot for each feature, the better one asked. */
  function grow(seed) {
    const random = generator(seed);
    const node = (ids, box) => {
      const made = { ids, box };
      if (gini(ids) < 1e-12) return made;
      const drawn = [];
      for (const feature of [0, 1]) {
        const values = ids.map((i) => state.X[i][feature]);
        const [low, high] = [Math.min(...values), Math.max(...values)];
        if (low === high) continue;
        const threshold = low + random() * (high - low);
        const sides = [ids.filter((i) => state.X[i][feature] <= threshold)];
        sides.push(ids.filter((i) => state.X[i][feature] > threshold));
        const cost = sides.reduce((sum, side) => sum + (side.length / ids.length) * gini(side), 0);
        drawn.push({ feature, threshold, cost, sides });
      }
      if (!drawn.length) return made;
      const cut = drawn.reduce((a, c) => (c.cost < a.cost - 1e-12 ? c : a));
      Object.assign(made, { drawn: drawn.map(({ feature, threshold }) => ({ feature, threshold })) });
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
    const now = JSON.stringify([state.X, state.dice, state.trees]);
    if (now !== grown) forest = d3.range(state.trees).map((b) => grow(state.dice * most + b + 1));
    grown = now;
  }

  function answer(tree, point) {
    let node = tree;
    while (node.children) node = node.children[point[node.feature] <= node.threshold ? 0 : 1];
    node.share ??= shares(node.ids);
    return node.share;
  }

  function vote(point) {
    const share = classes.map(() => 0);
    for (const tree of forest) answer(tree, point).forEach((s, c) => (share[c] += s / forest.length));
    return { share, winner: share[1] > share[0] + 1e-12 ? 1 : 0 };
  }

  const plot = figure.plot({ x: first, y: second, equal: true });
  const cuts = plot.marks.append("g");
  plot.patients(state, y, classes);

  figure.slider({
    label: "Number of trees",
    min: 1,
    max: most,
    get: () => state.trees,
    set: (trees) => (state.trees = trees),
  });
  const table = figure.table("The first tree, as the dice fell", ["drawn", "patients", "asked"], 1);
  const words = ({ feature, threshold }) => `${data.features[feature].label} ≤ ${number(threshold)}?`;
  const inner = (node) => (node.children ? [node, ...node.children.flatMap(inner)] : []);

  let mapped = "";
  figure.drawn(() => {
    plant();
    const now = JSON.stringify([state.X, state.dice, state.trees, plot.width]);
    if (now !== mapped) plot.regions(vote, classes, state.X);
    mapped = now;
    const asked = inner(forest[0]);
    const line = ({ box: [[a, b], [c, d]], feature, threshold: t }) => (feature ? [a, t, b, t] : [t, c, t, d]);
    cuts.selectAll("line").data(asked.map(line)).join("line")
      .attr("x1", (e) => plot.sx(e[0])).attr("y1", (e) => plot.sy(e[1])).attr("x2", (e) => plot.sx(e[2]))
      .attr("y2", (e) => plot.sy(e[3])).attr("stroke", "#222").attr("stroke-width", 1.6)
      .attr("stroke-dasharray", state.trees > 1 ? "3 4" : null);
    table(asked.flatMap((node) => node.drawn.map((cut) => ({
      kind: cut.feature === node.feature ? "in" : "out",
      cells: [words(cut), node.ids.length, cut.feature === node.feature ? "yes" : "no"],
    }))));
    const { share, winner } = vote(state.query);
    figure.say(`${state.trees} ${state.trees === 1 ? "tree gives" : "trees give"} the star, at ` +
      `${number(state.query[0])} words and ${number(state.query[1])} years, a share of ${number(share[1])} for ` +
      `“${classes[1].name}”: “${classes[winner].name}”. The first tree asks ${asked.length} ` +
      `${asked.length === 1 ? "question" : "questions"}, and every limit was drawn by lot.`);
  });

  figure.restart(state);
  figure.button("Throw the dice", () => figure.change(() => (state.dice += 1)));
  const add = (more) => (state.trees = Math.min(most, Math.max(1, state.trees + more)));
  figure.key(["d"], () => (state.dice += 1));
  figure.key(["+", "="], () => add(1));
  figure.key(["-"], () => add(-1));
  figure.explain("Throw the dice (key d) for other limits, and add trees with the slider or the keys + and −. Drag the star " +
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
