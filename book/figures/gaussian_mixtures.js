/* Expectation and maximisation under the hand: move two bells, take the steps, and see the bound climb. */
litlearn.figure("gaussian_mixtures", (figure, data) => {
  "use strict";
  const { number } = litlearn;
  const { classes, X, reg_covar: floor } = data;
  const both = [0, 1];
  const kept = 25; // values of the bound that the second plot shows
  const state = figure.state({
    means: data.means, rims: data.rims, weight: data.weight, shares: X.map(() => [0.5, 0.5]), path: [],
  });

  /** Covariances are [xx, xy, yy]. Two vectors from the centre lead to the ellipse of one deviation. */
  const drawnBy = ([a, b]) => [[0, 0], [0, 1], [1, 1]].map(([i, j]) => a[i] * a[j] + b[i] * b[j]);
  const weights = () => [1 - state.weight, state.weight];

  /** Logarithms of weight times density, for each patient and bell. */
  function joint() {
    const bells = both.map((c) => {
      const [xx, xy, yy] = drawnBy(state.rims[c]);
      const determinant = xx * yy - xy * xy;
      const constant = Math.log(weights()[c]) - Math.log(2 * Math.PI) - Math.log(determinant) / 2;
      return ([x, y]) => {
        const [u, v] = [x - state.means[c][0], y - state.means[c][1]];
        return constant - (yy * u * u - 2 * xy * u * v + xx * v * v) / determinant / 2;
      };
    });
    return X.map((x) => bells.map((bell) => bell(x)));
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
      const xx = average(([x]) => (x - a) ** 2) + floor;
      const xy = average(([x, y]) => (x - a) * (y - b));
      const yy = average(([, y]) => (y - b) ** 2) + floor;
      state.means[c] = [a, b];
      // A Cholesky factor; its columns are the way to the rims.
      state.rims[c] = [[Math.sqrt(xx), xy / Math.sqrt(xx)], [0, Math.sqrt(yy - (xy * xy) / xx)]];
    });
    state.weight = counts[1] / (counts[0] + counts[1]);
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

  const plot = figure.plot({ ...data.axes, abreast: true, width: 390, height: 330 });
  const climb = figure.plot({ ...data.climb, abreast: true, width: 310, height: 330 });
  const add = (a, b) => [a[0] + b[0], a[1] + b[1]];
  const edge = (c, size) => d3.range(0, 2 * Math.PI, 0.05).map((t) => {
    const [a, b] = state.rims[c];
    return [0, 1].map((axis) => state.means[c][axis] + size * (a[axis] * Math.cos(t) + b[axis] * Math.sin(t)));
  });
  const oval = d3.line(([x]) => plot.sx(x), ([, y]) => plot.sy(y));
  const people = plot.marks.append("g");
  const ovals = plot.marks.append("g");

  const handles = [...both.map((c) => ({ kind: "mean", c })),
    ...both.flatMap((c) => both.map((r) => ({ kind: "rim", c, r })))];
  const items = plot.handles(handles, {
    at: ({ kind, c, r }) => (kind === "mean" ? state.means[c] : add(state.means[c], state.rims[c][r])),
    moved: ({ kind, c, r }, to) => moved(() => {
      if (kind === "mean") {
        state.means[c] = to;
        return;
      }
      const next = [to[0] - state.means[c][0], to[1] - state.means[c][1]];
      const other = state.rims[c][1 - r];
      if (Math.abs(next[0] * other[1] - next[1] * other[0]) >= data.least) state.rims[c][r] = next;
    }),
    label: ({ kind, c, r }) => (kind === "mean" ? `centre of the ${classes[c].name}` :
      `rim ${r + 1} of the ${classes[c].name}`),
    look: (nodes) => nodes.append("path").attr("class", "mark")
      .attr("fill", ({ kind, c }) => (kind === "mean" ? classes[c].color : "#fff"))
      .attr("d", ({ kind, c }) => litlearn.symbol(classes[c], kind === "mean" ? 130 : 60)),
  });
  items.selectAll(".mark").style("stroke", ({ kind, c }) => (kind === "rim" ? classes[c].color : null))
    .style("stroke-width", ({ kind }) => (kind === "rim" ? "2px" : null));

  figure.restart(state);
  const steps = { "E step": [expectation], "M step": [maximisation] };
  for (const [name, list] of Object.entries(steps)) figure.button(name, () => figure.change(() => take(...list)));
  figure.button("Ten rounds", () => figure.change(rounds));
  figure.key(["e", "E"], () => take(expectation));
  figure.key(["m", "M"], () => take(maximisation));
  figure.slider({
    label: "Weight of the second bell",
    min: 0.05,
    max: 0.95,
    step: 0.01,
    get: () => state.weight,
    set: (value) => moved(() => (state.weight = value)),
    text: (value) => `${Math.round(100 * value)} %`,
  });
  const table = figure.table("The bells", ["bell", "weight", "patients in shares", "age", "volume"]);

  /** The colour of a patient: that of both bells, mixed by the shares. */
  const full = classes.map(({ color }) => [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16)));
  const mixed = (share) => `rgb(${[0, 1, 2].map((i) => Math.round(share[0] * full[0][i] + share[1] * full[1][i]))})`;

  figure.drawn(() => {
    people.selectAll("circle").data(X).join("circle").attr("r", 4.5).attr("class", "mark")
      .attr("cx", ([x]) => plot.sx(x)).attr("cy", ([, y]) => plot.sy(y))
      .attr("fill", (x, i) => mixed(state.shares[i]));
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
    const high = (value) => climb.sy(value + data.lift);
    const line = (which) => d3.line((d, i) => climb.sx(i), (d) => high(d[which]))(path);
    climb.marks.selectAll("path").data([1, 0]).join("path").attr("d", line)
      .attr("class", (which) => (which ? "before" : "line")).attr("stroke", "#333333").attr("fill", "none");
    const dots = path.flatMap((both, i) => both.map((value, which) => ({ i, value, which })));
    climb.marks.selectAll("circle").data(dots).join("circle").attr("r", 3.5).attr("class", "mark")
      .attr("cx", ({ i }) => climb.sx(i)).attr("cy", ({ value }) => high(value))
      .attr("fill", ({ which }) => (which ? "#fff" : "#333333"));
    const gap = likelihood - bound;
    figure.say(`Per patient, the log-likelihood is ${number(likelihood, 3)} and the bound ` +
      `${number(bound, 3)}. ${gap > 5e-4 ? "An E step lifts the bound to the likelihood." :
        "They touch. An M step lifts both, or all is at rest."}`);
  });

  figure.explain("Drag a centre or a rim, or choose one with Tab and move it with the arrow keys (with Shift: " +
    "farther). E and M take the steps. Solid: ellipses of one standard deviation; dashed: of two. In the " +
    "second plot, full dots are the bound, empty ones the log-likelihood.");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => ({ ...structuredClone(state), measured: measure(),
      covariances: both.map((c) => drawnBy(state.rims[c])) }),
    take: (name) => figure.change(() => take(...steps[name])),
    rounds: () => figure.change(rounds),
  };
});
