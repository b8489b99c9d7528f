/* Support vector machines under the hand: move a patient, change C, the kernel and its γ, and see the
   band, the support vectors and their weights; or the weights as forces, at whose balance the border
   rests; or words counted in tenths. */
litlearn.figure("support_vector_machines", (figure, data) => {
  "use strict";
  const { number, list } = litlearn;
  const { classes } = data;
  const [first, second] = data.features;
  const state = figure.state({
    X: data.X, y: data.y, query: data.query, kernel: data.kernel, C: data.C, gamma: data.gamma,
    tenths: false, forces: false,
  });
  const { y } = state;
  const patients = [...y.keys()];
  const sign = y.map((c) => 2 * c - 1);

  function kernel([a, b], [c, d]) {
    const unit = state.tenths ? 100 : 1; // of the first feature, squared
    if (state.kernel === "linear") return unit * a * c + b * d;
    return Math.exp(-state.gamma * (unit * (a - c) ** 2 + (b - d) ** 2));
  }

  /** The dual solution, as SVC finds it: sequential minimal optimisation, two patients a step, until
      the optimality conditions hold to rounding. */
  function fit() {
    const { X, C } = state;
    const K = X.map((a) => X.map((b) => kernel(a, b)));
    const alpha = patients.map(() => 0);
    const up = (i) => (sign[i] > 0 ? alpha[i] < C : alpha[i] > 0);
    const low = (i) => (sign[i] > 0 ? alpha[i] > 0 : alpha[i] < C);
    let F = [];
    let [highest, lowest] = [0, 0];
    for (let step = 0; step < 50000; step += 1) {
      F = patients.map((i) => sign[i] - patients.reduce((sum, k) => sum + alpha[k] * sign[k] * K[i][k], 0));
      let i = -1;
      for (const k of patients) if (up(k) && (i < 0 || F[k] > F[i])) i = k;
      let [j, best] = [-1, 0];
      highest = F[i];
      lowest = Infinity;
      for (const k of patients.filter(low)) {
        lowest = Math.min(lowest, F[k]);
        const curve = Math.max(K[i][i] + K[k][k] - 2 * K[i][k], 1e-12);
        const gain = (F[i] - F[k]) ** 2 / curve;
        if (F[k] < F[i] && gain > best) [j, best] = [k, gain];
      }
      if (j < 0 || highest - lowest < 1e-10) break;
      const curve = Math.max(K[i][i] + K[j][j] - 2 * K[i][j], 1e-12);
      const room = [sign[i] > 0 ? C - alpha[i] : alpha[i], sign[j] > 0 ? alpha[j] : C - alpha[j]];
      const t = Math.min((F[i] - F[j]) / curve, ...room);
      // What meets its bound is put there exactly.
      alpha[i] = t === room[0] ? (sign[i] > 0 ? C : 0) : alpha[i] + sign[i] * t;
      alpha[j] = t === room[1] ? (sign[j] > 0 ? 0 : C) : alpha[j] - sign[j] * t;
    }
    const free = patients.filter((k) => alpha[k] > 0 && alpha[k] < C);
    const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
    const intercept = free.length ? mean(free.map((k) => F[k])) : (highest + lowest) / 2;
    const score = patients.map((k) => sign[k] * (sign[k] - F[k] + intercept)); // y f
    const norm = Math.sqrt(Math.max(0, alpha.reduce((s, a, k) => s + a * sign[k] * (sign[k] - F[k]), 0)));
    return { alpha, support: alpha.map((a) => a > 1e-9 * C), intercept, score, norm };
  }

  const decision = (model) => {
    const terms = patients.filter((k) => model.support[k]).map((k) => [model.alpha[k] * sign[k], state.X[k]]);
    return (point) => terms.reduce((sum, [a, x]) => sum + a * kernel(x, point), model.intercept);
  };

  // In another unit the border itself is the answer.
  const plot = figure.plot({ x: first, y: second, equal: true, verdict: state.tenths });
  const edges = plot.marks.append("path").attr("class", "before").classed("verdict", state.tenths);
  const rings = plot.marks.append("g").attr("class", "verdict");
  const forces = plot.marks.append("g").attr("class", "verdict");
  plot.patients(state, y, classes);

  // Both move by factors: the sliders hold logarithms.
  for (const [label, name] of [["Price <i>C</i>", "C"], ["Kernel <i>γ</i>", "gamma"]]) {
    figure.slider({
      name,
      label,
      min: data.powers[name][0],
      max: data.powers[name][1],
      step: 0.1,
      get: () => Math.log10(state[name]),
      set: (power) => (state[name] = Number((10 ** power).toPrecision(3))),
      text: (power) => String(Number((10 ** power).toPrecision(2))),
      off: () => name === "gamma" && state.kernel === "linear",
    });
  }
  figure.choice({
    name: "kernel",
    label: "Kernel",
    options: [{ value: "linear", text: "linear" }, { value: "rbf", text: "Gaussian, with γ" }],
    get: () => state.kernel,
    set: (name) => (state.kernel = name),
  });
  figure.choice({
    name: "units",
    extra: true,
    label: "Forgotten words are counted in",
    options: [{ value: false, text: "words" }, { value: true, text: "tenths of a word" }],
    get: () => state.tenths,
    set: (tenths) => (state.tenths = tenths),
  });
  const table = figure.table("What each patient contributes (bold: support vectors)", ["patient", "group", "y f", "α", "place"], 2);

  /** Where a patient stands: outside the band, on its edge, inside it, or on the wrong side. */
  function where(score) {
    if (score > 1 + 1e-6) return "outside";
    if (score > 1 - 1e-6) return "edge";
    return score > 0 ? "inside" : "wrong side";
  }

  /** The forces on the border: each support vector pushes it, at a right angle, towards the other
      group, with its weight. The longest arrow has 52 pixels. */
  function drawForces(model) {
    const shown = state.forces && state.kernel === "linear" && model.norm > 1e-9;
    const pushing = shown ? patients.filter((i) => model.support[i]) : [];
    const w = [0, 1].map((j) => pushing.reduce((sum, i) => sum + model.alpha[i] * sign[i] * state.X[i][j], 0));
    const [px, py] = [(plot.sx(1) - plot.sx(0)) * w[0], (plot.sy(1) - plot.sy(0)) * w[1]];
    const most = Math.max(...pushing.map((i) => model.alpha[i]));
    const arrows = forces.selectAll("path").data(pushing).join("path").attr("class", "force");
    arrows.attr("stroke", (i) => classes[y[i]].color).attr("d", (i) => {
      const long = (-52 * sign[i] * model.alpha[i]) / most / Math.hypot(px, py);
      const [x, top] = [plot.sx(state.X[i][0]), plot.sy(state.X[i][1])];
      const [u, v] = [x + long * px, top + long * py];
      const way = Math.atan2(v - top, u - x);
      const barb = (turn) => `${u - 8 * Math.cos(way + turn)},${v - 8 * Math.sin(way + turn)}`;
      return `M${x},${top}L${u},${v}M${barb(0.5)}L${u},${v}L${barb(-0.5)}`;
    });
  }

  /** What the forces add up to, group by group. */
  function balance(model) {
    const sums = [0, 1].map((c) => patients.filter((i) => y[i] === c).map((i) => model.alpha[i]));
    const [well, ill] = sums.map((each) => each.filter((a) => a > 0).map((a) => number(a, 4)));
    const total = number(sums[0].reduce((a, b) => a + b, 0), 4);
    if (!well.length) return "";
    return ` The ${classes[0].name} push with ${well.join(" + ")} and the ${classes[1].name} with ` +
      `${ill.join(" + ")}: ${total} on either side, up to rounding.`;
  }

  let mapped = "";
  figure.drawn(() => {
    const model = fit();
    const f = decision(model);
    const chosen = patients.filter((i) => model.support[i]);
    rings.selectAll("circle").data(chosen).join("circle").attr("class", "case").attr("r", 11)
      .attr("cx", (i) => plot.sx(state.X[i][0])).attr("cy", (i) => plot.sy(state.X[i][1]));
    table(patients.map((i) => ({
      kind: model.support[i] ? "in" : "out",
      cells: [i + 1, figure.badge(classes[y[i]]), number(model.score[i]), number(model.alpha[i], 3), where(model.score[i])],
    })));
    const value = f(state.query);
    const wide = state.kernel === "linear" && !state.tenths && model.norm > 1e-9
      ? ` The band is ${number(2 / model.norm)} wide.` : "";
    drawForces(model);
    const verdict = number(value) === "0" ? "on the border" :
      `“${classes[value > 0 ? 1 : 0].name}”${Math.abs(value) < 1 ? ", inside the band" : ""}`;
    figure.say(`The border rests on ${chosen.length === 1 ? "patient" : "patients"} ` +
      `${list(chosen.map((i) => i + 1))}.${wide} For the new patient f is ${number(value)}: ${verdict}.` +
      (state.forces ? balance(model) : ""));

    // The map does not depend on the new patient.
    const now = JSON.stringify([state.X, state.kernel, state.C, state.gamma, state.tenths, plot.width]);
    if (now === mapped) return;
    mapped = now;
    const share = (point) => {
      const sure = Math.max(-1, Math.min(1, f(point)));
      return { share: [(1 - sure) / 2, (1 + sure) / 2], winner: sure > 0 ? 1 : 0 };
    };
    plot.regions(share, classes, state.X);
    edges.attr("d", level(f, [-1, 1]));
  });

  /** The places where f has one of the values, as a path. */
  function level(f, values) {
    const [[left, right], [bottom, top]] = [plot.sx.range(), plot.sy.range()];
    const [nx, ny] = [Math.ceil((right - left) / 4) + 2, Math.ceil((bottom - top) / 4) + 2];
    const grid = Float64Array.from({ length: nx * ny }, (_, k) =>
      f([plot.sx.invert(left + 4 * ((k % nx) - 0.5)), plot.sy.invert(top + 4 * (Math.floor(k / nx) - 0.5))]));
    const point = ([i, j]) => `${(left + 4 * (i - 1)).toFixed(1)},${(top + 4 * (j - 1)).toFixed(1)}`;
    const rings = values.flatMap((v) => d3.contours().size([nx, ny]).contour(grid, v).coordinates.flat());
    return rings.map((ring) => `M${ring.map(point).join("L")}Z`).join("");
  }

  figure.restart(state);
  figure.key(["k"], () => (state.kernel = state.kernel === "linear" ? "rbf" : "linear"), "kernel");
  figure.explain("Drag the star or any patient, or choose one with Tab and move it with the arrow keys " +
    "(with Shift: two at once). The key k changes the kernel.");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => ({ ...structuredClone(state), model: fit(), f: decision(fit())(state.query) }),
    f: (point) => decision(fit())(point),
  };
});
