/* A polynomial under the hand: degree and noise, with the errors at old and at new visits. */
litlearn.figure("overfitting", (figure, data) => {
  "use strict";
  const { number } = litlearn;
  const { colors, course, grid } = data;
  // z: how good each day was, in units of the noise.
  const state = figure.state({ x: data.x, z: data.z, degree: data.degree, sigma: data.sigma });
  const visits = [...data.x.keys()];
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const rms = (values) => Math.sqrt(sum(values.map((v) => v * v)) / values.length);
  const truth = (week) => course[0] - course[1] * Math.exp(-week / course[2]);
  const counts = () => visits.map((i) => truth(state.x[i]) + state.sigma * state.z[i]);

  /** Fit every degree by least squares, with polynomials that are orthogonal on the visits.

      Each is the last one times the week, less its shadows on all before; what is done to its
      values at the visits is done to those on the grid. */
  function fit() {
    const y = counts();
    const most = new Set(state.x).size - 1; // more is not determined
    const middle = (grid[0] + grid[grid.length - 1]) / 2;
    const at = [...state.x, ...grid].map((week) => (week - middle) / middle);
    const product = (a, b) => sum(visits.map((i) => a[i] * b[i]));
    const real = grid.map(truth);
    const basis = [];
    const found = { y, most, curves: [], fitted: [], training: [], fresh: [] };
    let all = at.map(() => 0);
    for (let k = 0; k <= most; k += 1) {
      let v = at.map((t, i) => (k ? t * basis[k - 1][i] : 1));
      for (const b of [...basis, ...basis]) {
        const shadow = product(v, b);
        v = v.map((value, i) => value - shadow * b[i]);
      }
      const length = Math.sqrt(product(v, v));
      v = v.map((value) => value / length);
      basis.push(v);
      const weight = product(y, v);
      all = all.map((value, i) => value + weight * v[i]);
      const [fitted, curve] = [all.slice(0, visits.length), all.slice(visits.length)];
      found.fitted.push(fitted);
      found.curves.push(curve);
      found.training.push(rms(visits.map((i) => y[i] - fitted[i])));
      found.fresh.push(Math.hypot(state.sigma, rms(curve.map((value, i) => value - real[i]))));
    }
    return found;
  }

  const plot = figure.plot({ ...data.axes, abreast: true, width: 380, height: 330 });
  const errors = figure.plot({ ...data.errors, abreast: true, width: 330, height: 330 });
  const gap = plot.marks.append("path").attr("class", "square").attr("fill", colors.fresh);
  const dashed = plot.marks.append("path").attr("class", "before");
  const bars = plot.marks.append("g");
  const line = plot.marks.append("path").attr("class", "line").attr("stroke", colors.curve);
  const [floor, ceiling] = data.axes.y.domain;
  plot.handles(visits, {
    at: (i) => [state.x[i], Math.min(ceiling, Math.max(floor, truth(state.x[i]) + state.sigma * state.z[i]))],
    moved: (i, [week, count]) => {
      state.x[i] = week;
      state.z[i] = (count - truth(week)) / state.sigma;
    },
    label: (i) => `visit ${i + 1}`,
    look: (nodes) => nodes.append("circle").attr("class", "case").attr("r", 5.5),
  });
  const bar = errors.marks.append("path").attr("stroke", "#999").attr("stroke-opacity", 0.4).attr("stroke-width", 9);
  const noise = errors.marks.append("path").attr("class", "before");
  const lines = errors.marks.append("g");
  const dots = errors.marks.append("g");
  const names = errors.marks.append("g");

  figure.restart(state);
  const normal = () => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
  const others = () => (state.z = visits.map(normal));
  figure.button("Other days", () => figure.change(others));
  figure.key(["d", "D"], others);
  const most = visits.length - 1;
  figure.slider({
    label: "Degree",
    min: 0,
    max: most,
    get: () => state.degree,
    set: (degree) => (state.degree = degree),
  });
  figure.slider({
    label: "Noise",
    min: data.noise[0],
    max: data.noise[1],
    step: 0.1,
    get: () => state.sigma,
    set: (sigma) => (state.sigma = sigma),
    text: (sigma) => number(sigma, 1),
  });
  figure.key(["+"], () => (state.degree = Math.min(most, state.degree + 1)));
  figure.key(["-"], () => (state.degree = Math.max(0, state.degree - 1)));

  figure.drawn(() => {
    const found = fit();
    const degree = Math.min(state.degree, found.most);
    const curve = found.curves[degree];
    const [x, y] = [(i) => plot.sx(grid[i]), (value) => plot.sy(Math.max(-999, Math.min(999, value)))];
    line.attr("d", d3.line((v, i) => x(i), y)(curve));
    const real = grid.map((week, i) => [x(i), y(truth(week))]);
    gap.attr("d", `${d3.line()([...curve.map((v, i) => [x(i), y(v)]), ...[...real].reverse()])}Z`);
    dashed.attr("d", d3.line()(real));
    bars.selectAll("line").data(visits).join("line").attr("stroke", colors.training).attr("stroke-width", 2.4)
      .attr("x1", (i) => plot.sx(state.x[i])).attr("x2", (i) => plot.sx(state.x[i]))
      .attr("y1", (i) => y(found.fitted[degree][i])).attr("y2", (i) => y(found.y[i]));

    const [low, high] = errors.y.domain;
    const clipped = (value) => errors.sy(Math.min(99, value));
    const both = ["training", "fresh"].map((name) => ({ name, values: found[name] }));
    bar.attr("d", `M${errors.sx(degree)},${errors.sy(low)}V${errors.sy(high)}`);
    noise.attr("d", `M${errors.sx(-0.5)},${errors.sy(state.sigma)}H${errors.sx(most + 0.5)}`);
    lines.selectAll("path").data(both).join("path").attr("class", "line").attr("stroke", ({ name }) => colors[name])
      .attr("d", ({ values }) => d3.line((v, k) => errors.sx(k), clipped)(values));
    const marks = both.flatMap(({ name, values }) => values.map((value, k) => ({ name, value, k })));
    dots.selectAll("circle").data(marks).join("circle").attr("class", "mark").attr("fill", ({ name }) => colors[name])
      .attr("r", ({ k }) => (k === degree ? 6 : 3.5)).attr("cx", ({ k }) => errors.sx(k))
      .attr("cy", ({ value }) => clipped(value));
    // Each name stands where its line is in the picture, away from the other line.
    const seen = Math.max(0, ...d3.range(found.most + 1).filter((k) => found.fresh[k] < high - 1.2));
    const left = Math.max(0, Math.min(found.most, 8));
    names.selectAll("text").data([
      { text: "new visits", k: seen, value: found.fresh[seen], up: 12 },
      { text: "training", k: left, value: found.training[left], up: -20 },
      { text: "noise", k: most + 0.4, value: state.sigma, up: 5 },
    ]).join("text").text((d) => d.text).attr("text-anchor", "end")
      .attr("x", (d) => errors.sx(d.k)).attr("y", (d) => Math.min(errors.sy(low) - 4, errors.sy(d.value) - d.up));

    const best = found.fresh.indexOf(Math.min(...found.fresh));
    const less = found.most < state.degree ? ` (no more is determined by ${found.most + 1} different weeks)` : "";
    figure.say(`Degree ${degree}${less} misses the visits by ${number(found.training[degree])} times and new ` +
      `ones by ${number(found.fresh[degree])}, of which ${number(state.sigma, 1)} is noise. ` +
      `${best === degree ? "On these days no other degree is better at new visits." :
        `Degree ${best} would miss new ones by ${number(found.fresh[best])}.`}`);
  });

  figure.explain("Drag a visit, or choose one with Tab and move it with the arrow keys (with Shift: farther); + and − " +
    "change the degree, d draws other days. Dashed: the true course, and in the second plot the noise. Shaded: what " +
    "the curve gets wrong. Bars: what it misses at the visits. Errors are roots of mean squares.");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => ({ ...structuredClone(state), fit: fit() }),
  };
});
