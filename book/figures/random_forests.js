/* A forest under the hand: add trees, each on its own bag, and see what they say together, or what the
   last of them says alone. */
litlearn.figure("random_forests", (figure, data) => {
  "use strict";
  const { number, list, count } = litlearn;
  const { classes } = data;
  const [first, second] = data.features;
  // alone: only the last tree is shown. about: which feature a question is about.
  const state = figure.state({
    X: data.X, y: data.y, query: data.query, trees: data.trees, kind: "stumps", about: "both", alone: false,
  });
  const { y } = state;
  const n = y.length;

  /** The bag of each tree, patients drawn with replacement; for the six, the rolls of the chapter. */
  const dice = litlearn.random(data.seed);
  const bags = d3.range(data.most).map((b) => {
    const rolled = d3.range(n).map(() => Math.floor(n * dice()));
    return n === 6 && data.bags[b] ? data.bags[b] : rolled;
  });
  const drawn = bags.map(() => d3.range(n).map(() => Number(dice() < 0.5))); // a feature for each node

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

  /** A tree on bag b, of one question or grown to the end. A question is about the better feature, or
      about one that is drawn at random (the other, if the drawn one is constant there). */
  function grow(b) {
    let nodes = 0;
    const node = (ids) => {
      const made = { ids };
      if (gini(ids) < 1e-12 || (state.kind === "stumps" && nodes > 0)) return made;
      const one = drawn[b][nodes];
      nodes += 1;
      const cuts = [one, 1 - one].map((feature) => best(ids, feature)).filter(Boolean);
      if (!cuts.length) return made;
      const better = (a, c) => (Math.abs(a.cost - c.cost) > 1e-12 ? a.cost - c.cost : a.feature - c.feature);
      if (state.about === "both") cuts.sort(better);
      const [{ feature, threshold, sides }] = cuts;
      return Object.assign(made, { drawn: one, feature, threshold, children: sides.map(node) });
    };
    return node(bags[b]);
  }

  let forest;
  let grown = "";
  function plant() {
    const now = JSON.stringify([state.X, state.kind, state.about, state.trees]);
    if (now !== grown) forest = d3.range(state.trees).map(grow);
    grown = now;
  }

  /** The share of the second class in the leaf of a point. */
  function answer(tree, point) {
    let node = tree;
    while (node.children) node = node.children[point[node.feature] <= node.threshold ? 0 : 1];
    node.share ??= shares(node.ids)[1];
    return node.share;
  }

  function together(trees, point) {
    let share = 0;
    for (const tree of trees) share += answer(tree, point);
    share /= trees.length;
    return { share: [1 - share, share], winner: share > 0.5 + 1e-12 ? 1 : 0 };
  }
  const vote = (point) => together(forest, point);
  const shown = (point) => together(state.alone ? forest.slice(-1) : forest, point);

  /** How often two different trees disagree, on average over a grid of places on the map. */
  const middles = ({ limits: [from, to] }) => d3.range(24).map((i) => from + ((to - from) * (i + 0.5)) / 24);
  const grid = middles(first).flatMap((a) => middles(second).map((b) => [a, b]));
  function differ() {
    const size = forest.length;
    if (size < 2) return null;
    let pairs = 0;
    for (const point of grid) {
      const votes = forest.filter((tree) => answer(tree, point) > 0.5).length;
      pairs += 2 * votes * (size - votes);
    }
    return pairs / (grid.length * size * (size - 1));
  }

  const plot = figure.plot({ x: first, y: second, equal: true, verdict: true });
  const cuts = plot.marks.append("g");
  const points = plot.patients(state, y, classes);

  const add = (more) => (state.trees = Math.min(data.most, Math.max(1, state.trees + more)));
  figure.button({ name: "trees", text: "Add a tree", press: () => add(1), off: () => state.trees === data.most });
  figure.restart(state);
  figure.slider({
    name: "trees",
    label: "Number of trees",
    min: 1,
    max: data.most,
    get: () => state.trees,
    set: (trees) => (state.trees = trees),
  });
  figure.choice({
    name: "alone",
    label: "The map shows",
    options: [{ value: false, text: "all trees together" }, { value: true, text: "the last tree alone" }],
    get: () => state.alone,
    set: (alone) => (state.alone = alone),
  });
  figure.choice({
    name: "kind",
    label: "Each tree",
    options: [{ value: "stumps", text: "asks one question" }, { value: "deep", text: "grows to the end" }],
    get: () => state.kind,
    set: (kind) => (state.kind = kind),
  });
  figure.choice({
    name: "features",
    label: "A question is about",
    options: [{ value: "both", text: "the better feature" }, { value: "drawn", text: "one drawn at random" }],
    get: () => state.about,
    set: (about) => (state.about = about),
  });
  const table = figure.table("Share of “decline” (bold: the forest is wrong)",
    ["patient", "course", "last tree", "all trees"], 2);

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
    const now = JSON.stringify([grown, state.alone, plot.width]);
    if (now !== mapped) plot.regions(shown, classes, state.X, true);
    mapped = now;
    const seen = state.alone ? forest.slice(-1) : forest;
    cuts.selectAll("line").data(n > 6 ? [] : seen.filter((tree) => tree.children).map(line)).join("line")
      .attr("x1", (e) => e.x1).attr("y1", (e) => e.y1).attr("x2", (e) => e.x2).attr("y2", (e) => e.y2)
      .attr("stroke", "#555").attr("stroke-width", 1).attr("stroke-dasharray", "3 4");
    const last = bags[state.trees - 1];
    points.classed("idle", (i) => i >= 0 && !last.includes(i));

    const told = [...y.keys()].map((i) => ({ all: vote(state.X[i]), last: together(forest.slice(-1), state.X[i]), out: outOfBag(i) }));
    table(told.map(({ all, last }, i) => ({
      kind: all.winner === y[i] ? "out" : "in",
      cells: [i + 1, figure.badge(classes[y[i]]), number(last.share[1]), number(all.share[1])],
    })));
    const wrong = told.filter(({ all }, i) => all.winner !== y[i]).length;
    const judged = told.filter(({ out }) => out);
    const missed = told.filter(({ out }, i) => out && out.winner !== y[i]).length;
    const left = [...y.keys()].filter((i) => !last.includes(i)).map((i) => i + 1);
    if (!state.query) {
      figure.say(`The vote of ${count(state.trees, "tree")} is wrong about ${wrong} of the ${n} patients. Out of bag, by the ` +
        `trees that have not seen them, it is wrong about ${missed} of ${judged.length}.`);
      return;
    }
    const { share, winner } = vote(state.query);
    const alone = together(forest.slice(-1), state.query);
    figure.say([
      `${count(state.trees, "tree")} ${state.trees === 1 ? "gives" : "give"} the star, at ${count(state.query[0], "word")} and ` +
        `${count(state.query[1], "year")}, a share of ${number(share[1])} for “${classes[1].name}”: “${classes[winner].name}”.`,
      `The last tree says “${classes[alone.winner].name}”, and has seen ` +
        (left.length ? `all but ${left.length > 1 ? "patients" : "patient"} ${list(left)}.` : "all patients."),
      `The vote is wrong about ${wrong} of ${n}.`,
      state.trees > 1 ? `Two of the trees disagree on ${Math.round(100 * differ())} % of the map.` : "",
    ].filter(Boolean).join(" "));
  });

  figure.key(["+", "="], () => add(1), "trees");
  figure.key(["-"], () => add(-1), "trees");
  figure.explain("Add trees with the button, the slider or the keys + and −. Drag the star or any patient, or choose one " +
    "with Tab and move it with the arrow keys (with Shift: two units at once). Dashed: the first question of each tree. " +
    "Pale: the patients whom the last tree has not seen.");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => {
      plant();
      return { ...structuredClone(state), forest, vote: state.query && vote(state.query), differ: differ(), outOfBag: [...y.keys()].map(outOfBag) };
    },
    vote,
  };
});
