/* Kernel ridge under the hand: move a patient, the width or the price, and the curve follows, a sum with
   one term for each patient. */
litlearn.figure("kernel_methods", (figure, data) => {
  "use strict";
  const { number, count } = litlearn;
  const { colors } = data;
  const state = figure.state({
    x: data.x, y: data.y, query: data.query, kernel: data.kernel, width: data.width, price: data.price,
    until: data.until, numbers: data.numbers,
  });
  const patients = [...state.x.keys()];
  const sum = (values) => values.reduce((a, b) => a + b, 0);

  /** How alike two doses are. */
  function alike(a, b) {
    const far = Math.abs(a - b) / state.width;
    return state.kernel === "hat" ? Math.max(0, 1 - far) : Math.exp(-0.5 * far * far);
  }

  /** Solve A w = b by Cholesky's factors, or return null where A is not positive definite. */
  function solve(A, b) {
    const n = b.length;
    const L = A.map((row) => [...row]);
    for (let j = 0; j < n; j += 1) {
      for (let k = 0; k < j; k += 1) for (let i = j; i < n; i += 1) L[i][j] -= L[i][k] * L[j][k];
      if (!(L[j][j] > 1e-12 * A[j][j])) return null;
      const root = Math.sqrt(L[j][j]);
      for (let i = j; i < n; i += 1) L[i][j] /= root;
    }
    const w = [...b];
    for (let i = 0; i < n; i += 1) {
      for (let k = 0; k < i; k += 1) w[i] -= L[i][k] * w[k];
      w[i] /= L[i][i];
    }
    for (let i = n - 1; i >= 0; i -= 1) {
      for (let k = i + 1; k < n; k += 1) w[i] -= L[k][i] * w[k];
      w[i] /= L[i][i];
    }
    return w;
  }

  function fit() {
    const K = patients.map((i) => patients.map((j) => alike(state.x[i], state.x[j]) + (i === j ? state.price : 0)));
    const alpha = solve(K, state.y);
    if (!alpha) return { alpha, f: () => NaN, fitted: patients.map(() => NaN) };
    const f = (x) => sum(patients.map((i) => alpha[i] * alike(x, state.x[i])));
    // The residual is the price times the weight.
    return { alpha, f, fitted: patients.map((i) => state.y[i] - state.price * alpha[i]) };
  }

  const { y } = data.axes;
  /** Where the star stands: on the curve, but at the bottom as long as the answer is to be guessed. */
  function height(dose) {
    const value = figure.root.classed("asked") ? y.domain[0] : fit().f(dose) || 0;
    return Math.min(y.domain[1] - 0.4, Math.max(y.domain[0] + 0.4, value));
  }

  const x = { ...data.axes.x, domain: [data.axes.x.domain[0], state.until + 0.3], limits: [0, state.until] };
  const plot = figure.plot({ x, y, height: 380 });
  const zero = plot.marks.append("path").attr("class", "before");
  const shares = plot.marks.append("g").attr("class", "verdict");
  const bars = plot.marks.append("g").attr("class", "verdict");
  const curve = plot.marks.append("path").attr("class", "line verdict").attr("stroke", colors.curve);
  plot.handles([...patients, -1], {
    at: (i) => (i < 0 ? [state.query, height(state.query)] : [state.x[i], state.y[i]]),
    name: (i) => (i < 0 ? "new patient" : `patient ${state.numbers[i]}`),
    moved: (i, to) => {
      if (i < 0) state.query = to[0];
      else [state.x[i], state.y[i]] = to;
    },
    label: (i) => (i < 0 ? "new patient" : `patient ${state.numbers[i]}`),
    look: (nodes) => nodes.each(function (i) {
      const node = d3.select(this);
      if (i < 0) node.append("path").attr("class", "query verdict").attr("d", d3.symbol(d3.symbolStar, 190));
      else {
        node.append("circle").attr("class", "case").attr("r", 9);
        node.append("text").attr("text-anchor", "middle").attr("dy", "0.35em").text(state.numbers[i]);
      }
    }),
  });
  figure.restart(state);
  // Both move by factors: the sliders hold logarithms. The lowest price of all is none.
  for (const [label, name] of [["Width of the similarity", "width"], ["Price <i>λ</i>", "price"]]) {
    const [low, high] = data.powers[name];
    const value = (power) => (name === "price" && power <= low ? 0 : 10 ** power);
    figure.slider({
      name,
      label,
      min: low,
      max: high,
      step: 0.1,
      get: () => Math.max(low, Math.log10(state[name])),
      set: (power) => (state[name] = Number(value(power).toPrecision(3))),
      text: (power) => String(Number(value(power).toPrecision(2))),
    });
  }
  figure.choice({
    name: "kernel",
    label: "Similarity",
    options: [{ value: "hat", text: "hat" }, { value: "rbf", text: "Gaussian" }],
    get: () => state.kernel,
    set: (name) => (state.kernel = name),
  });
  const table = figure.table("What each patient contributes", ["patient", "gain", "curve", "weight"]);

  figure.drawn(() => {
    const { alpha, f, fitted } = fit();
    const [low, high] = x.domain;
    const steps = d3.range(0, 301).map((i) => low + ((high - low) * i) / 300);
    // The hat has corners at the patients and a width from them.
    const corners = patients.flatMap((i) => [state.x[i] - state.width, state.x[i], state.x[i] + state.width]);
    const at = [...steps, ...corners.filter((c) => c > low && c < high)].sort((a, b) => a - b);
    const path = (value) => d3.line()(at.map((u) => [plot.sx(u), plot.sy(value(u))]));
    zero.attr("d", d3.line()([[plot.sx(low), plot.sy(0)], [plot.sx(high), plot.sy(0)]]));
    shares.selectAll("path").data(patients).join("path").attr("fill", "none")
      .attr("stroke", (i) => colors.shares[i]).attr("stroke-width", 1.6)
      .attr("d", (i) => (alpha ? path((u) => alpha[i] * alike(u, state.x[i])) : null));
    // Names stand near the tops.
    const near = (i) => at.filter((_, k) => k % 5 === 0).sort((a, b) => Math.abs(a - state.x[i]) - Math.abs(b - state.x[i]));
    plot.beside((alpha ? patients : []).map((i) => ({
      text: `patient ${state.numbers[i]}`,
      color: colors.shares[i],
      points: near(i).map((u) => [plot.sx(u), plot.sy(alpha[i] * alike(u, state.x[i]))]),
    })), [...patients.map((i) => [state.x[i], state.y[i]]), [state.query, f(state.query)]].map(([u, v]) => [plot.sx(u), plot.sy(v)]));
    plot.notes.selectAll(".beside").classed("verdict", true);
    plot.front.selectAll(".case").filter((i) => i >= 0).style("stroke", (i) => colors.shares[i]).style("stroke-width", "2.4px");
    bars.selectAll("line").data(alpha ? patients : []).join("line").attr("stroke", colors.residual).attr("stroke-width", 2.4)
      .attr("x1", (i) => plot.sx(state.x[i])).attr("x2", (i) => plot.sx(state.x[i]))
      .attr("y1", (i) => plot.sy(fitted[i])).attr("y2", (i) => plot.sy(state.y[i]));
    curve.attr("d", alpha ? path(f) : null);
    table(patients.map((i) => ({
      cells: [state.numbers[i], number(state.y[i]), ...(alpha ? [number(fitted[i]), number(alpha[i])] : ["–", "–"])],
    })));
    if (!alpha) {
      figure.say("Two patients have taken the same dose, or are alike in all but the last digits, so that without a price " +
        "no curve is determined.");
      return;
    }
    const closest = Math.max(...patients.map((i) => alike(state.query, state.x[i])));
    const gained = Number(f(state.query).toFixed(2));
    figure.say(`With ${count(state.query, "tablet")} the curve promises a ${gained < 0 ? "loss" : "gain"} of ` +
      `${count(Math.abs(gained), "word")}. The similarity to the nearest patient is ${number(closest)}.`);
  });

  figure.explain("Drag the star or any patient, or choose one with Tab and move it with the arrow keys: half a " +
    "tablet or one word at once, with Shift two tablets or four words. Dashed: no gain. " +
    "Thin: what each patient adds to the curve, in the colour of the patient.");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => {
      const { alpha, f, fitted } = fit();
      return { ...structuredClone(state), alpha, fitted, f: f(state.query) };
    },
  };
});
