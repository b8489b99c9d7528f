/* The deviance of six patients against the coefficient of a word: how far it may rise above its lowest
   value says which coefficients the data leave possible, and a standard error says nearly the same. */
litlearn.figure("logistic_inference", (figure, data) => {
  "use strict";
  const { number } = litlearn;
  const { x, y, limit, color } = data;
  const state = figure.state({ copies: data.copies, declines: data.declines, factor: data.factor });
  const patients = [...x.keys()];
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const sigmoid = (z) => 1 / (1 + Math.exp(-z));
  const outcome = (i) => (i === data.changed && state.declines ? 1 : y[i]);
  const FAR = 60; // a coefficient beyond which nothing changes any more

  /** A root of a function that changes its sign once between two places. */
  function root(f, low, high) {
    const up = f(high) > 0;
    for (let step = 0; step < 90; step += 1) {
      const middle = (low + high) / 2;
      if ((f(middle) > 0) === up) high = middle;
      else low = middle;
    }
    return (low + high) / 2;
  }

  /** The intercept that suits a coefficient best: the probabilities add up to the declines. */
  const intercept = (w) => {
    const declines = sum(patients.map(outcome));
    return root((b) => sum(x.map((v) => sigmoid(b + w * v))) - declines, -400, 400);
  };
  /** The deviance of all copies, with the best intercept. */
  const deviance = (w) => {
    const b = intercept(w);
    const cost = (i) => {
      const z = (b + w * x[i]) * (outcome(i) ? -1 : 1);
      return z > 30 ? z : Math.log1p(Math.exp(z));
    };
    return 2 * state.copies * sum(patients.map(cost));
  };

  /** The best coefficient, its standard error, and both intervals; where the words separate the
      courses there is no best one, and the interval of the deviance has no upper end. */
  function all() {
    const separable = state.declines;
    const slope = (w) => sum(patients.map((i) => (sigmoid(intercept(w) + w * x[i]) - outcome(i)) * x[i]));
    const best = separable ? null : root(slope, -FAR, FAR);
    const lowest = deviance(best ?? FAR);
    const above = (w) => deviance(w) - lowest;
    const middle = best ?? FAR;
    const found = {
      best, lowest, above: above(Math.log(state.factor)),
      low: root((w) => above(w) - limit, -FAR, middle),
      high: separable ? null : root((w) => above(w) - limit, middle, FAR), se: null,
    };
    if (!separable) {
      const b = intercept(best);
      const d = x.map((v) => sigmoid(b + best * v) * sigmoid(-b - best * v));
      const centre = sum(x.map((v, i) => d[i] * v)) / sum(d);
      found.se = 1 / Math.sqrt(state.copies * sum(x.map((v, i) => d[i] * (v - centre) ** 2)));
    }
    return { ...found, curve: above };
  }

  const plot = figure.plot({ ...data.axes, height: 340 });
  const level = plot.marks.append("path").attr("class", "ring");
  const parabola = plot.marks.append("path").attr("class", "before");
  const curve = plot.marks.append("path").attr("class", "line").attr("stroke", color.curve);
  const inside = plot.marks.append("path").attr("class", "line verdict").attr("stroke", color.inside).attr("stroke-width", 6);
  const dot = plot.marks.append("circle").attr("class", "case").attr("r", 7);
  figure.slider({
    name: "factor",
    label: "Factor of a word",
    min: 0,
    max: data.factors.length - 1,
    get: () => data.factors.findIndex((f) => f >= state.factor),
    set: (k) => (state.factor = data.factors[k]),
    text: (k) => number(data.factors[k]),
  });
  figure.slider({
    name: "copies",
    label: "Patients like each of the six",
    min: 1,
    max: data.most,
    get: () => Math.round(state.copies),
    set: (copies) => (state.copies = copies),
  });
  figure.choice({
    name: "course",
    label: `Patient ${data.changed + 1}`,
    options: [{ value: false, text: "was stable" }, { value: true, text: "declined" }],
    get: () => state.declines,
    set: (declines) => (state.declines = declines),
  });
  figure.restart(state);
  const table = figure.table("95 % interval of the factor", ["by the", "from", "to"]);

  figure.drawn(() => {
    const found = all();
    const grid = d3.range(plot.x.domain[0], plot.x.domain[1] + 0.01, 0.05);
    const path = (f) => d3.line((w) => plot.sx(w), (w) => plot.sy(Math.min(99, f(w))))(grid);
    curve.attr("d", path(found.curve));
    parabola.attr("d", found.se ? path((w) => ((w - found.best) / found.se) ** 2) : null);
    level.attr("d", `M${plot.sx(plot.x.domain[0])},${plot.sy(limit)}H${plot.sx(plot.x.domain[1])}`);
    const end = Math.min(found.high ?? FAR, plot.x.domain[1]);
    inside.attr("d", `M${plot.sx(found.low)},${plot.sy(0)}H${plot.sx(end)}`);
    const w = Math.log(state.factor);
    dot.attr("cx", plot.sx(w)).attr("cy", plot.sy(Math.min(found.above, plot.y.domain[1])));
    plot.notes.selectAll("text").data([number(limit)]).join("text").text((d) => d)
      .attr("text-anchor", "end").attr("x", plot.sx(plot.x.domain[1]) - 4).attr("y", plot.sy(limit) - 6);

    const z = Math.sqrt(limit);
    const factor = (v) => number(Math.exp(v), Math.exp(v) < 10 ? 2 : 1);
    table([
      { cells: ["deviance", factor(found.low), found.high === null ? "no end" : factor(found.high)] },
      {
        cells: ["standard error", ...(found.se === null ? ["none", "none"]
          : [-1, 1].map((side) => factor(found.best + side * z * found.se)))],
      },
    ]);
    figure.say(`The factor ${number(state.factor)} has a deviance ${number(found.above)} above the lowest, so it is ` +
      `${found.above <= limit ? "inside" : "outside"} the 95 % interval. ` + (found.best === null
      ? "The words separate the courses, so no factor is the best and the interval has no upper end."
      : `The best factor is ${number(Math.exp(found.best))}.`));
  });

  figure.explain("Choose a factor and a number of patients with the sliders. Solid is the deviance, dashed the " +
    "parabola of the standard error, and the bar below is the interval.");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => {
      const { curve: f, ...found } = all();
      return { ...structuredClone(state), fit: found, curve: d3.range(-1, 4.5, 0.5).map(f) };
    },
  };
});
