/* A polynomial under the hand: degree and noise, with the errors at old and at new visits; other days,
   more visits, visits that are held out, or one that lies in an envelope. */
litlearn.figure("overfitting", (figure, data) => {
  "use strict";
  const { number } = litlearn;
  const { colors, course } = data;
  // z: how good each day was, in units of the noise; past: other days, of which ghosts remain;
  // fold: which of the folds is held out, from 1, or 0.
  const state = figure.state({
    x: data.x, z: data.z, visits: data.x.length, degree: data.degree, sigma: data.sigma,
    ghosts: false, past: [], folds: 0, fold: 0, envelope: null,
  });
  const grid = data.grid.filter((week) => !state.envelope || week <= Math.max(...state.x));
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const rms = (values) => Math.sqrt(sum(values.map((v) => v * v)) / values.length);
  const truth = (week) => course[0] - course[1] * Math.exp(-week / course[2]);
  const seen = () => d3.range(state.visits);
  const heldOut = (i, fold = state.fold) => fold > 0 && i % state.folds === fold - 1;

  /** Fit every degree by least squares to some visits, with polynomials that are orthogonal on them.

      Each is the last one times the week, less its projections on all before; what is done to its
      values at the visits is done to those at all visits and on the grid. */
  function fit(some, z = state.z) {
    const all = seen();
    const y = all.map((i) => truth(state.x[i]) + state.sigma * z[i]);
    const most = Math.min(data.x.length, new Set(some.map((i) => state.x[i])).size) - 1; // more is not determined
    const middle = (data.grid[0] + data.grid[data.grid.length - 1]) / 2;
    const at = [...all.map((i) => state.x[i]), ...grid].map((week) => (week - middle) / middle);
    const product = (a, b) => sum(some.map((i) => a[i] * b[i]));
    const real = grid.map(truth);
    const basis = [];
    const found = { y, most, curves: [], fitted: [], training: [], fresh: [] };
    let values = at.map(() => 0);
    for (let k = 0; k <= most; k += 1) {
      let v = at.map((t, i) => (k ? t * basis[k - 1][i] : 1));
      for (const b of [...basis, ...basis]) {
        const projection = product(v, b);
        v = v.map((value, i) => value - projection * b[i]);
      }
      const length = Math.sqrt(product(v, v));
      v = v.map((value) => value / length);
      basis.push(v);
      const weight = product(y, v);
      values = values.map((value, i) => value + weight * v[i]);
      const [fitted, curve] = [values.slice(0, all.length), values.slice(all.length)];
      found.fitted.push(fitted);
      found.curves.push(curve);
      found.training.push(rms(some.map((i) => y[i] - fitted[i])));
      found.fresh.push(Math.hypot(state.sigma, rms(curve.map((value, i) => value - real[i]))));
    }
    return found;
  }

  /** Errors at visits that were held out, each fold in its turn, for every degree. */
  function validated() {
    const folds = d3.range(1, state.folds + 1).map((fold) =>
      ({ out: seen().filter((i) => heldOut(i, fold)), ...fit(seen().filter((i) => !heldOut(i, fold))) }));
    const most = Math.min(...folds.map((one) => one.most));
    return d3.range(most + 1).map((k) =>
      rms(folds.flatMap(({ out, y, fitted }) => out.map((i) => y[i] - fitted[k][i]))));
  }

  function all() {
    const found = fit(seen().filter((i) => !heldOut(i)));
    return state.folds ? { ...found, fresh: validated() } : found;
  }

  const x = state.envelope ? { ...data.axes.x, ...data.axes.few } : data.axes.x;
  const plot = figure.plot({ x, y: data.axes.y, title: "visits", width: 380, height: 340 });
  const errors = figure.plot({ ...data.errors, name: "errors", title: "errors", width: 330, height: 340 });
  const gap = plot.marks.append("path").attr("class", "square").attr("fill", colors.fresh);
  const dashed = plot.marks.append("path").attr("class", "before");
  const ghosts = plot.marks.append("g");
  const bars = plot.marks.append("g");
  const line = plot.marks.append("path").attr("class", "line").attr("stroke", colors.curve);
  const sealed = plot.marks.append("path").attr("class", "query verdict").attr("d", d3.symbol(d3.symbolStar, 190));
  const [floor, ceiling] = data.axes.y.domain;
  let circles = null;
  const handles = plot.handles([...state.x.keys()], {
    at: (i) => [state.x[i], Math.min(ceiling, Math.max(floor, truth(state.x[i]) + state.sigma * state.z[i]))],
    moved: (i, [week, times]) => {
      state.x[i] = week;
      state.z[i] = (times - truth(week)) / state.sigma;
    },
    name: (i) => `visit ${i + 1}`,
    label: (i) => `visit ${i + 1}`,
    shown: (i) => i < state.visits,
    many: true,
    look: (nodes) => {
      circles = nodes.append("circle").attr("class", "case").attr("r", state.x.length > 20 ? 4 : 5.5);
    },
  });
  const bar = errors.marks.append("path").attr("stroke", "#999").attr("stroke-opacity", 0.4).attr("stroke-width", 9);
  const noise = errors.marks.append("path").attr("class", "before");
  const lines = errors.marks.append("g");
  const dots = errors.marks.append("g");

  figure.button({
    name: "days",
    text: "Other days",
    keys: ["d", "D"],
    press: () => {
      if (state.ghosts) state.past = [...state.past, state.z].slice(-12);
      state.z = state.z.map(litlearn.normal);
    },
  });
  figure.restart(state);
  const most = Math.min(data.x.length, state.x.length) - 1;
  figure.slider({
    name: "degree",
    label: "Degree",
    min: 0,
    max: most,
    get: () => state.degree,
    set: (degree) => (state.degree = degree),
  });
  figure.slider({
    name: "noise",
    label: "Noise",
    min: data.noise[0],
    max: data.noise[1],
    step: 0.1,
    get: () => state.sigma,
    set: (sigma) => (state.sigma = sigma),
    text: (sigma) => number(sigma, 1),
  });
  figure.slider({
    name: "number",
    extra: true,
    label: "Number of visits",
    min: 4,
    max: state.x.length,
    get: () => state.visits,
    set: (visits) => (state.visits = visits),
  });
  figure.slider({
    name: "fold",
    extra: true,
    label: "Fold that is held out",
    min: 0,
    max: state.folds,
    get: () => state.fold,
    set: (fold) => (state.fold = fold),
    text: (fold) => (fold ? String(fold) : "none"),
  });
  figure.key(["+", "="], () => (state.degree = Math.min(most, state.degree + 1)), "degree");
  figure.key(["-"], () => (state.degree = Math.max(0, state.degree - 1)), "degree");

  const series = () => [
    { name: "training", text: "training" },
    { name: "fresh", text: state.folds ? "held-out visits" : "new visits" },
  ];

  figure.drawn(() => {
    const found = all();
    const degree = Math.min(state.degree, found.most);
    const curve = found.curves[degree];
    const [at, y] = [(i) => plot.sx(grid[i]), (value) => plot.sy(Math.max(-999, Math.min(999, value)))];
    const path = d3.line((v, i) => at(i), y);
    line.attr("d", path(curve));
    ghosts.selectAll("path").data(state.past).join("path").attr("class", "ghost")
      .attr("d", (z) => path(fit(seen(), z).curves[degree]));
    const real = grid.map((week, i) => [at(i), y(truth(week))]);
    gap.attr("d", state.envelope || state.ghosts ? null :
      `${d3.line()([...curve.map((v, i) => [at(i), y(v)]), ...[...real].reverse()])}Z`);
    dashed.attr("d", state.envelope ? null : d3.line()(real));
    handles.classed("idle", (i) => heldOut(i));
    circles.attr("stroke-opacity", (i) => (heldOut(i) ? 0.35 : null)); // pale
    bars.selectAll("line").data(seen()).join("line").attr("stroke", (i) => (heldOut(i) ? colors.fresh : colors.training))
      .attr("stroke-width", 2.4).attr("x1", (i) => plot.sx(state.x[i])).attr("x2", (i) => plot.sx(state.x[i]))
      .attr("y1", (i) => y(found.fitted[degree][i])).attr("y2", (i) => y(found.y[i]));
    if (state.envelope) sealed.attr("transform", `translate(${plot.sx(state.envelope[0])},${plot.sy(state.envelope[1])})`);
    sealed.attr("display", state.envelope ? null : "none");

    const [low, high] = errors.y.domain;
    const clipped = (value) => errors.sy(Math.min(99, value));
    const both = series().map((one) => ({ ...one, values: found[one.name] }));
    bar.attr("d", `M${errors.sx(degree)},${errors.sy(low)}V${errors.sy(high)}`);
    noise.attr("d", `M${errors.sx(-0.5)},${errors.sy(state.sigma)}H${errors.sx(data.x.length - 0.5)}`);
    lines.selectAll("path").data(both).join("path").attr("class", ({ name }) => (name === "fresh" ? "line verdict" : "line"))
      .attr("stroke", ({ name }) => colors[name])
      .attr("d", ({ values }) => d3.line((v, k) => errors.sx(k), clipped)(values));
    const marks = both.flatMap(({ name, values }) => values.map((value, k) => ({ name, value, k })));
    dots.selectAll("circle").data(marks).join("circle").attr("fill", ({ name }) => colors[name])
      .attr("class", ({ name }) => (name === "fresh" ? "mark verdict" : "mark"))
      .attr("r", ({ k }) => (k === degree ? 6 : 3.5)).attr("cx", ({ k }) => errors.sx(k))
      .attr("cy", ({ value }) => clipped(value));
    const ends = d3.range(data.x.length - 0.5, -0.5, -0.5);
    errors.beside([
      ...both.map(({ text, values }) => ({ text, points: values.map((v, k) => [errors.sx(k), clipped(v)]).reverse() })),
      { text: "noise", points: ends.map((k) => [errors.sx(k), errors.sy(state.sigma)]) },
    ]);

    const less = found.most < state.degree ? ` (no more is determined by ${found.most + 1} different weeks)` : "";
    const misses = `The curve of degree ${degree}${less} misses these visits by ${number(found.training[degree])} on ` +
      `average (root mean square)`;
    if (state.envelope)
      figure.say(`${misses}. In week ${state.envelope[0]} it predicts ${number(curve[grid.indexOf(state.envelope[0])], 1)}, and the envelope says ` +
        `${state.envelope[1]}.`);
    else if (state.folds)
      figure.say(`${misses}, and those that are held out, each fold in its turn, by ` +
        `${degree < found.fresh.length ? number(found.fresh[degree]) : "a number that is not determined"}.`);
    else figure.say(`${misses}, and new ones by ${number(found.fresh[degree])}; the noise alone is ${number(state.sigma, 1)}.`);
  });

  figure.explain("Drag a visit, or go to it with Tab and move it with the arrow keys (with Shift: farther); Page Up and " +
    "Page Down go to the other visits, + and − change the degree, d draws other days. Dashed: the true course, and " +
    "in the second plot the noise. Shaded: what the curve gets wrong. Bars: what it misses at the visits.");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => ({ ...structuredClone(state), fit: all() }),
  };
});
