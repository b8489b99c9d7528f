/* Two normal distributions under the hand: move their centres and rims, and share their covariances; or
   estimate them from other people. */
litlearn.figure("normal_distributions", (figure, data) => {
  "use strict";
  const { number } = litlearn;
  const { classes } = data;
  const { means, rims, query, own, prior, correlated } = data;
  // people: where those of each class stand, in the frame that the centre and the rims span.
  const state = figure.state({ means, rims, query, own, prior, correlated, people: data.people, past: [] });
  const both = [0, 1];
  const priors = () => [1 - state.prior, state.prior];

  /** Covariances are [xx, xy, yy]. Two vectors from the centre lead to the ellipse of two deviations. */
  const drawnBy = ([a, b]) => [[0, 0], [0, 1], [1, 1]].map(([i, j]) => (a[i] * a[j] + b[i] * b[j]) / 4);
  const average = (list, of) => list.reduce((sum, one) => sum + of(one), 0) / list.length;

  /** The people of a class, their mean and their covariance. Those of the first state have exactly the
      centre and the ellipse that are drawn; they move with them. */
  function group(c, people = state.people[c]) {
    const at = people.map(([s, t]) => [0, 1].map((j) =>
      state.means[c][j] + (s * state.rims[c][0][j] + t * state.rims[c][1][j]) / 2));
    const mean = [0, 1].map((j) => average(at, (x) => x[j]));
    const product = (i, j) => average(at, (x) => (x[i] - mean[i]) * (x[j] - mean[j]));
    return { at, mean, covariance: [product(0, 0), product(0, 1), product(1, 1)] };
  }
  const mix = (a, b, share) => a.map((value, i) => value + share * (b[i] - value));
  const determinant = ([xx, xy, yy]) => xx * yy - xy * xy;

  /** What the model believes of each class: its own covariance, moved towards that of all. */
  function believed() {
    const owned = both.map((c) => group(c).covariance);
    const shared = mix(owned[0], owned[1], state.prior);
    return owned.map((own) => {
      const [xx, xy, yy] = mix(shared, own, state.own);
      return [xx, state.correlated ? xy : 0, yy];
    });
  }

  /** Squared distances, logarithms of determinants, scores and probabilities at a point. */
  function judge([x, y], covariances, means = both.map((c) => group(c).mean)) {
    const squares = both.map((c) => {
      const [xx, xy, yy] = covariances[c];
      const [u, v] = [x - means[c][0], y - means[c][1]];
      return (yy * u * u - 2 * xy * u * v + xx * v * v) / determinant(covariances[c]);
    });
    const logs = covariances.map((one) => Math.log(determinant(one)));
    const scores = both.map((c) => Math.log(priors()[c]) - (squares[c] + logs[c]) / 2);
    const ill = 1 / (1 + Math.exp(scores[0] - scores[1]));
    return { squares, logs, scores, share: [1 - ill, ill], winner: ill > 0.5 ? 1 : 0 };
  }

  const plot = figure.plot({ ...data.axes, equal: true, verdict: true });
  /** The place nearest to one at which the ellipse of a class stays in the picture, axis by axis. */
  const kept = (c, to) => [plot.x, plot.y].map(({ limits: [low, high] }, axis) => {
    const reach = [0, ...state.rims[c].map((rim) => rim[axis])];
    return Math.min(high - Math.max(...reach), Math.max(low - Math.min(...reach), to[axis]));
  });
  const add = (a, b) => [a[0] + b[0], a[1] + b[1]];
  /** Points on an ellipse of two deviations: a Cholesky factor takes a circle there. */
  const edge = ([mean, [xx, xy, yy]], step = 0.05) => d3.range(0, 2 * Math.PI, step).map((t) => add(mean, [
    2 * Math.sqrt(xx) * Math.cos(t),
    2 * ((xy / Math.sqrt(xx)) * Math.cos(t) + Math.sqrt(yy - (xy * xy) / xx) * Math.sin(t)),
  ]));
  const oval = d3.line(([x]) => plot.sx(x), ([, y]) => plot.sy(y));
  const ghosts = plot.marks.append("g");
  const dots = plot.marks.append("g");
  const dashed = plot.marks.append("g");
  const solid = plot.marks.append("g").attr("class", "verdict");

  const handles = [{ kind: "query" }, ...both.map((c) => ({ kind: "mean", c })),
    ...both.flatMap((c) => both.map((r) => ({ kind: "rim", c, r })))];
  const items = plot.handles(handles, {
    at: ({ kind, c, r }) => {
      if (kind === "query") return state.query;
      return kind === "mean" ? state.means[c] : add(state.means[c], state.rims[c][r]);
    },
    moved: ({ kind, c, r }, to) => {
      if (kind === "query") state.query = to;
      if (kind === "mean") state.means[c] = kept(c, to);
      if (kind !== "rim") return;
      // An ellipse does not become a line.
      const next = [to[0] - state.means[c][0], to[1] - state.means[c][1]];
      const other = state.rims[c][1 - r];
      if (Math.abs(next[0] * other[1] - next[1] * other[0]) >= data.least) state.rims[c][r] = next;
    },
    name: ({ kind, c, r }) => (kind === "query" ? "new patient" : kind === "mean" ? `centre ${c + 1}` : `rim ${2 * c + r + 1}`),
    label: ({ kind, c, r }) =>
      kind === "query" ? "the new patient" : kind === "mean" ? `centre of “${classes[c].name}”` :
        `rim ${r + 1} of “${classes[c].name}”`,
    look: (nodes) => nodes.append("path")
      .attr("class", ({ kind }) => (kind === "query" ? "query" : "mark"))
      .attr("fill", ({ kind, c }) => (kind === "mean" ? classes[c].color : "#fff"))
      .attr("d", ({ kind, c }) => (kind === "query" ? d3.symbol(d3.symbolStar, 170)() :
        litlearn.symbol(classes[c], kind === "mean" ? 130 : 60))),
  });
  items.selectAll(".mark").style("stroke", ({ kind, c }) => (kind === "rim" ? classes[c].color : null))
    .style("stroke-width", ({ kind }) => (kind === "rim" ? "2px" : null));

  figure.button({
    name: "people",
    extra: true,
    text: "Other people",
    press: () => {
      state.past = [...state.past, state.people].slice(-12);
      state.people = state.people.map((some) => some.map(() => [litlearn.normal(), litlearn.normal()]));
    },
  });
  figure.restart(state);
  figure.slider({
    name: "own",
    label: "Own covariances",
    min: 0,
    max: 1,
    step: 0.05,
    get: () => state.own,
    set: (value) => (state.own = value),
    text: (value) => `${Math.round(100 * value)} %`,
  });
  figure.slider({
    name: "prior",
    label: `Share of “${classes[1].name}”`,
    min: 0.05,
    max: 0.95,
    step: 0.05,
    get: () => state.prior,
    set: (value) => (state.prior = value),
    text: (value) => `${Math.round(100 * value)} %`,
  });
  figure.choice({
    name: "correlated",
    label: "Correlations within a class",
    options: [{ value: true, text: "kept" }, { value: false, text: "ignored" }],
    get: () => state.correlated,
    set: (value) => (state.correlated = value),
  });
  const table = figure.table("The new patient", ["class", "distance²", "log det", "score", "probability"]);

  const names = () => {
    if (state.correlated && state.own === 1) return "Quadratic discriminant analysis";
    if (state.correlated && state.own === 0) return "Linear discriminant analysis";
    if (state.correlated) return "Between linear and quadratic discriminant analysis";
    return "Naive Bayes";
  };

  figure.drawn(() => {
    const covariances = believed();
    const found = judge(state.query, covariances);
    const draw = (layer, list, kind) => layer.selectAll("path").data(list).join("path").attr("class", kind)
      .attr("stroke", (d, c) => classes[c].color).attr("d", (d) => `${oval(edge(d))}Z`);
    const groups = both.map((c) => group(c));
    const people = groups.flatMap(({ at }, c) => at.map((x) => ({ x, c })));
    dots.selectAll("path").data(people).join("path").attr("class", "mark").attr("fill", ({ c }) => classes[c].color)
      .attr("d", ({ c }) => litlearn.symbol(classes[c], 40)).attr("fill-opacity", 0.55)
      .attr("transform", ({ x }) => `translate(${plot.sx(x[0])},${plot.sy(x[1])})`);
    const before = state.past.flatMap((people) => both.map((c) => group(c, people[c])));
    ghosts.selectAll("path").data(before).join("path").attr("class", "ghost")
      .attr("d", ({ mean, covariance }) => `${oval(edge([mean, covariance]))}Z`);
    draw(dashed, both.map((c) => [state.means[c], drawnBy(state.rims[c])]), "before");
    draw(solid, both.map((c) => [groups[c].mean, covariances[c]]), "line");
    table(both.map((c) => ({
      cells: [figure.badge(classes[c]),
        ...[found.squares[c], found.logs[c], found.scores[c], found.share[c]].map((v) => number(v))],
    })));
    const gap = Math.max(...covariances[0].map((value, i) => Math.abs(value - covariances[1][i])));
    figure.say(`${names()}: the probability that the new patient is ${classes[1].name} is ` +
      `${number(found.share[1])}. The border is ${gap < 1e-9 ? "straight" : "curved"}.`);
  });

  // The map does not depend on the new patient.
  let mapped = "";
  figure.drawn(() => {
    const { query, past, ...rest } = state;
    const now = JSON.stringify([rest, plot.width]);
    const covariances = believed();
    const means = both.map((c) => group(c).mean);
    const taken = both.flatMap((c) => [means[c], ...edge([means[c], covariances[c]], 0.4)]);
    if (now !== mapped) plot.regions((point) => judge(point, covariances, means), classes, taken);
    mapped = now;
  });

  figure.explain("Drag the star, a centre or a point on a rim, or choose one with Tab and move it with the " +
    "arrow keys (with Shift: four times as far). Dashed: the class as it is. Solid: as the model takes it. Small: its people, who move with it.");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => ({ ...structuredClone(state), covariances: believed(), found: judge(state.query, believed()) }),
  };
});
