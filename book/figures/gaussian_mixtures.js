/* Expectation and maximisation under the hand: move two components, take the steps, and see the bound
   climb; with components that keep one common spread, as in k-means, or on few patients. */
litlearn.figure("gaussian_mixtures", (figure, data) => {
  "use strict";
  const { number } = litlearn;
  const { classes, reg_covar: floor } = data;
  const both = [0, 1];
  const kept = 400; // values of the bound
  const half = (X) => X.map(() => [0.5, 0.5]);
  // common: null, or the spread that both components keep, in units of the first rims.
  const state = figure.state({
    X: data.X, means: data.means, rims: data.rims, weight: data.weight, shares: [], path: [], common: null,
  });
  const { X } = state;
  if (!state.shares.length) state.shares = half(X);

  /** Covariances are [xx, xy, yy]. Two vectors from the centre lead to the ellipse of one deviation. */
  const drawnBy = ([a, b]) => [[0, 0], [0, 1], [1, 1]].map(([i, j]) => a[i] * a[j] + b[i] * b[j]);
  const rims = (c) => (state.common === null ? state.rims[c]
    : data.rims[0].map((rim) => rim.map((value) => state.common * value)));
  const weights = () => (state.common === null ? [1 - state.weight, state.weight] : [0.5, 0.5]);

  /** Logarithms of weight times density, for each patient and component. */
  function joint() {
    const components = both.map((c) => {
      const [xx, xy, yy] = drawnBy(rims(c));
      const determinant = xx * yy - xy * xy;
      const constant = Math.log(weights()[c]) - Math.log(2 * Math.PI) - Math.log(determinant) / 2;
      return ([x, y]) => {
        const [u, v] = [x - state.means[c][0], y - state.means[c][1]];
        return constant - (yy * u * u - 2 * xy * u * v + xx * v * v) / determinant / 2;
      };
    });
    return X.map((x) => components.map((component) => component(x)));
  }

  const logSum = ([a, b]) => Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)));
  const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;

  /** The bound for the present shares, and the log-likelihood, per patient. */
  function measure() {
    const logs = joint();
    const term = (share, log) => (share > 0 ? share * (log - Math.log(share)) : 0);
    const bounds = logs.map((one, i) => both.reduce((sum, c) => sum + term(state.shares[i][c], one[c]), 0));
    return [mean(bounds), mean(logs.map(logSum))];
  }

  const expectation = () => {
    state.shares = joint().map((one) => one.map((log) => Math.exp(log - logSum(one))));
  };

  function maximisation() {
    const counts = both.map((c) => state.shares.reduce((sum, share) => sum + share[c], 10 * Number.EPSILON));
    both.forEach((c) => {
      const average = (of) => X.reduce((sum, x, i) => sum + state.shares[i][c] * of(x), 0) / counts[c];
      const [a, b] = [0, 1].map((axis) => average((x) => x[axis]));
      state.means[c] = [a, b];
      if (state.common !== null) return;
      const xx = average(([x]) => (x - a) ** 2) + floor;
      const xy = average(([x, y]) => (x - a) * (y - b));
      const yy = average(([, y]) => (y - b) ** 2) + floor;
      // A Cholesky factor; its columns are the way to the rims.
      state.rims[c] = [[Math.sqrt(xx), xy / Math.sqrt(xx)], [0, Math.sqrt(yy - (xy * xy) / xx)]];
    });
    if (state.common === null) state.weight = counts[1] / (counts[0] + counts[1]);
  }

  /** Take a step, and note where the bound is. */
  function take(...steps) {
    if (!state.path.length) state.path = [measure()];
    for (const step of steps) {
      step();
      state.path = [...state.path, measure()].slice(-kept);
    }
  }
  const rounds = () => take(...d3.range(10).flatMap(() => [expectation, maximisation]));
  const moved = (how) => {
    how();
    state.path = [];
  };
  /** Whether both components have become the same, which no step undoes. */
  const merged = () => [...state.means[0], ...rims(0).flat()].every((value, i) =>
    Math.abs(value - [...state.means[1], ...rims(1).flat()][i]) < 1e-9);

  const plot = figure.plot({ ...data.axes, title: "patients", width: 390, height: 340 });
  const climb = figure.plot({ ...data.climb, name: "climb", title: "log-likelihood", left: 58, width: 340, height: 340 });
  const add = (a, b) => [a[0] + b[0], a[1] + b[1]];
  const edge = (c, size) => d3.range(0, 2 * Math.PI, 0.05).map((t) => {
    const [a, b] = rims(c);
    return [0, 1].map((axis) => state.means[c][axis] + size * (a[axis] * Math.cos(t) + b[axis] * Math.sin(t)));
  });
  const oval = d3.line(([x]) => plot.sx(x), ([, y]) => plot.sy(y));
  const people = plot.marks.append("g");
  const filled = plot.marks.append("g").attr("class", "verdict");
  const ovals = plot.marks.append("g");

  const handles = [...both.map((c) => ({ kind: "mean", c })),
    ...both.flatMap((c) => both.map((r) => ({ kind: "rim", c, r })))];
  const items = plot.handles(handles, {
    at: ({ kind, c, r }) => (kind === "mean" ? state.means[c] : add(state.means[c], rims(c)[r])),
    moved: ({ kind, c, r }, to) => moved(() => {
      if (kind === "mean") {
        state.means[c] = to;
        return;
      }
      const next = [to[0] - state.means[c][0], to[1] - state.means[c][1]];
      const other = state.rims[c][1 - r];
      if (Math.abs(next[0] * other[1] - next[1] * other[0]) >= data.least) state.rims[c][r] = next;
    }),
    name: ({ kind, c, r }) => (kind === "mean" ? `centre ${c + 1}` : `rim ${2 * c + r + 1}`),
    shown: ({ kind }) => kind === "mean" || state.common === null,
    label: ({ kind, c, r }) => (kind === "mean" ? `centre of the ${classes[c].name}` :
      `rim ${r + 1} of the ${classes[c].name}`),
    look: (nodes) => nodes.append("path").attr("class", "mark")
      .attr("fill", ({ kind, c }) => (kind === "mean" ? classes[c].color : "#fff"))
      .attr("d", ({ kind, c }) => litlearn.symbol(classes[c], kind === "mean" ? 130 : 60)),
  });
  items.selectAll(".mark").style("stroke", ({ kind, c }) => (kind === "rim" ? classes[c].color : null))
    .style("stroke-width", ({ kind }) => (kind === "rim" ? "2px" : null));

  const steps = { "E step": [expectation], "M step": [maximisation] };
  figure.button({ name: "E", text: "E step", keys: ["e", "E"], press: () => take(expectation) });
  figure.button({ name: "M", text: "M step", keys: ["m", "M"], press: () => take(maximisation) });
  figure.button({ name: "rounds", text: "Ten rounds", press: rounds });
  figure.restart(state);
  figure.slider({
    name: "weight",
    label: "Weight of the second component",
    min: 0.05,
    max: 0.95,
    step: 0.01,
    get: () => state.weight,
    set: (value) => moved(() => (state.weight = value)),
    text: (value) => `${Math.round(100 * value)} %`,
  });
  figure.slider({
    name: "spread",
    extra: true,
    label: "Spread of both components",
    min: 0.05,
    max: 1,
    step: 0.05,
    get: () => state.common,
    set: (value) => moved(() => (state.common = value)),
    text: (value) => number(value),
  });
  const table = figure.table("The components", ["component", "weight", "patients in shares", "age", "volume"]);

  /** The colour of a patient: that of the more probable component, paler the less certain it is. */
  const full = classes.map(({ color }) => [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16)));
  const pale = 245;
  const mixed = (share) => {
    const [own, sure] = [full[share[1] > share[0] ? 1 : 0], Math.abs(share[0] - share[1])];
    return `rgb(${own.map((value) => Math.round(pale + sure * (value - pale)))})`;
  };

  figure.drawn(() => {
    // Grey below, and the shares above, which may have to wait.
    for (const layer of [people, filled]) layer.selectAll("circle").data(X).join("circle").attr("r", 4.5).attr("class", "mark")
      .attr("cx", ([x]) => plot.sx(x)).attr("cy", ([, y]) => plot.sy(y))
      .attr("fill", (x, i) => (layer === filled ? mixed(state.shares[i]) : "#ddd"));
    const list = both.flatMap((c) => [1, 2].map((size) => ({ c, size })));
    ovals.selectAll("path").data(list).join("path")
      .attr("class", ({ size }) => (size === 1 ? "line" : "before"))
      .attr("stroke", ({ c }) => classes[c].color).attr("d", ({ c, size }) => `${oval(edge(c, size))}Z`);
    const counts = both.map((c) => state.shares.reduce((sum, share) => sum + share[c], 0));
    table(both.map((c) => ({
      cells: [figure.badge(classes[c]), number(weights()[c]), number(counts[c], 1),
        number(state.means[c][0], 1), number(state.means[c][1])],
    })));
  });

  figure.drawn(() => {
    const path = state.path.length ? state.path : [measure()];
    const [bound, likelihood] = path[path.length - 1];
    // The climb stays in the picture, but for a start from far below.
    const { x, y } = data.climb;
    const [low, high] = [Math.min(...path.flat()), Math.max(...path.flat())];
    climb.x = { ...x, domain: [x.domain[0], Math.max(x.domain[1], path.length)] };
    climb.y = { ...y, domain: [Math.min(y.domain[0], Math.max(low - 0.1, high - 4)), Math.max(y.domain[1], high + 0.2)] };
    climb.scale();
    const line = (which) => d3.line((d, i) => climb.sx(i), (d) => climb.sy(d[which]))(path);
    climb.marks.selectAll("path").data([1, 0]).join("path").attr("d", line)
      .attr("class", (which) => (which ? "before" : "line")).attr("stroke", "#333333").attr("fill", "none");
    const dots = path.flatMap((both, i) => both.map((value, which) => ({ i, value, which })));
    climb.marks.selectAll("circle").data(dots).join("circle").attr("r", path.length > 60 ? 1.5 : 3.5).attr("class", "mark")
      .attr("cx", ({ i }) => climb.sx(i)).attr("cy", ({ value }) => climb.sy(value))
      .attr("fill", ({ which }) => (which ? "#fff" : "#333333"));
    const gap = likelihood - bound;
    figure.say(`Per patient, the log-likelihood is ${number(likelihood, 3)} and the bound ${number(bound, 3)}. ` +
      (merged() ? "Both components are the same, and no step tells them apart again: move a centre." :
        gap > 5e-4 ? "An E step lifts the bound to the likelihood." : "They touch. An M step lifts both, or all is at rest."));
  });

  figure.explain("Drag a centre or a rim, or choose one with Tab and move it with the arrow keys (with Shift: " +
    "farther). The keys e and m take the steps. Solid: ellipses of one standard deviation; dashed: of two. In the " +
    "second plot, full dots are the bound, empty ones the log-likelihood.");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => ({ ...structuredClone(state), measured: measure(),
      covariances: both.map((c) => drawnBy(rims(c))) }),
    take: (name) => figure.change(() => take(...steps[name])),
    rounds: () => figure.change(rounds),
  };
});
