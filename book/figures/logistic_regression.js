/* Logistic regression under the hand: move a patient or change the course, and the curve follows. */
litlearn.figure("logistic_regression", (figure, data) => {
  "use strict";
  const { number } = litlearn;
  const { classes, color } = data;
  const state = figure.state({ x: data.x, y: data.y });
  const patients = [...data.x.keys()];
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const sigmoid = (z) => 1 / (1 + Math.exp(-z));

  /** Whether some number of words parts the courses, so that no curve is steep enough. */
  function parted() {
    const words = [0, 1].map((c) => patients.filter((i) => state.y[i] === c).map((i) => state.x[i]));
    if (words.some((w) => w.length === 0)) return "same";
    const [stable, decline] = words.map((w) => [Math.min(...w), Math.max(...w)]);
    if (stable[0] === stable[1] && decline[0] === decline[1] && stable[0] === decline[0]) return "flat";
    if (stable[1] <= decline[0] || decline[1] <= stable[0]) return "parted";
    return "";
  }

  /** The curve with the largest likelihood, as LogisticRegression without a penalty fits it: Newton's
      method for intercept and slope, each step halved until the log-loss falls. */
  function fit() {
    const middle = sum(state.x) / patients.length;
    const z = ([b, w], i) => b + w * (state.x[i] - middle);
    const loss = (at) => sum(patients.map((i) => Math.log1p(Math.exp(state.y[i] ? -z(at, i) : z(at, i)))));
    let at = [0, 0];
    for (let step = 0; step < 50; step += 1) {
      let [g0, g1, h00, h01, h11] = [0, 0, 0, 0, 0];
      for (const i of patients) {
        const p = sigmoid(z(at, i));
        const [u, q] = [state.x[i] - middle, p * (1 - p)];
        g0 += p - state.y[i];
        g1 += (p - state.y[i]) * u;
        h00 += q;
        h01 += q * u;
        h11 += q * u * u;
      }
      if (Math.hypot(g0, g1) < 1e-13) break;
      const det = h00 * h11 - h01 * h01;
      // Where all patients forgot the same number, only the intercept can be found.
      const way = det > 0 ? [(h11 * g0 - h01 * g1) / det, (h00 * g1 - h01 * g0) / det] : [g0 / h00, 0];
      let length = 1;
      const next = () => at.map((value, j) => value - length * way[j]);
      while (length > 1e-9 && !(loss(next()) <= loss(at))) length /= 2;
      at = next();
    }
    return { intercept: at[0] - at[1] * middle, slope: at[1] };
  }

  function all() {
    const why = parted();
    if (why === "same" || why === "parted") return { why };
    const curve = fit();
    const probability = patients.map((i) => sigmoid(curve.intercept + curve.slope * state.x[i]));
    const happened = probability.map((p, i) => (state.y[i] ? p : 1 - p));
    return { why, ...curve, probability, happened, likelihood: happened.reduce((a, b) => a * b) };
  }

  const { x, y } = data.axes;
  const plot = figure.plot({ x, y, height: 340 });
  const even = plot.marks.append("path").attr("class", "before");
  const bars = plot.marks.append("g");
  const curve = plot.marks.append("path").attr("class", "line").attr("stroke", color);
  const names = plot.marks.append("g");
  // Patients with the same words and the same course stand beside each other.
  const place = (i) => {
    const before = patients.filter((j) => j < i && state.x[j] === state.x[i] && state.y[j] === state.y[i]);
    return [state.x[i] + 0.15 * before.length, state.y[i]];
  };
  plot.handles(patients, {
    at: place,
    moved: (i, to) => ([state.x[i], state.y[i]] = to),
    label: (i) => `patient ${i + 1}`,
    text: (i) => `${number(state.x[i])} words forgotten, ${classes[Math.round(state.y[i])].name}`,
    look: (nodes) => {
      nodes.append("path").attr("class", "mark");
      nodes.append("text").attr("text-anchor", "middle").text((i) => i + 1);
    },
  });
  const table = figure.table("How probable is what happened?",
    ["patient", "course", "probability of decline", "of what happened"], 2);

  figure.drawn(() => {
    const found = all();
    const { why, intercept, slope, probability, happened, likelihood } = found;
    const known = !["same", "parted"].includes(why);
    const of = (i) => classes[Math.round(state.y[i])]; // between the courses while the figure glides
    plot.front.selectAll(".mark").attr("fill", (i) => of(i).color).attr("d", (i) => litlearn.symbol(of(i)));
    plot.front.selectAll(".handle text").attr("y", (i) => (state.y[i] > 0.5 ? -11 : 21));

    const grid = d3.range(x.domain[0], x.domain[1] + 0.01, 0.05);
    const shape = d3.line((v) => plot.sx(v), (v) => plot.sy(sigmoid(intercept + slope * v)));
    curve.attr("d", known ? shape(grid) : null);
    bars.selectAll("line").data(known ? patients : []).join("line").attr("stroke-width", 2.4)
      .attr("stroke", (i) => of(i).color)
      .attr("x1", (i) => plot.sx(place(i)[0])).attr("x2", (i) => plot.sx(place(i)[0]))
      .attr("y1", (i) => plot.sy(state.y[i])).attr("y2", (i) => plot.sy(sigmoid(intercept + slope * place(i)[0])));
    const middle = -intercept / slope;
    const inside = known && slope !== 0 && middle > x.domain[0] && middle < x.domain[1];
    even.attr("d", inside ? `M${plot.sx(middle)},${plot.sy(0)}V${plot.sy(1)}` : null);
    names.selectAll("text").data(inside ? [middle] : []).join("text").text("even odds")
      .attr("text-anchor", "middle").attr("y", plot.sy(0)).attr("dy", "1.3em").attr("x", (at) => plot.sx(at));

    table(patients.map((i) => ({
      cells: [i + 1, figure.badge(of(i)), known ? number(probability[i]) : "–", known ? number(happened[i]) : "–"],
    })));
    figure.say({
      same: "All courses are the same, so the best probability is the same for everyone, and no curve reaches it.",
      parted: "A number of words parts the two courses: the steeper the curve, the larger the likelihood, and none is steep enough.",
      flat: "All patients forgot the same number of words, so nothing can be said about a word.",
    }[why] ?? `Each further word multiplies the odds of decline by ${number(Math.exp(slope))}. ` +
      `The likelihood of what happened is ${number(likelihood, 4)}, and the deviance ${number(-2 * Math.log(likelihood))}.`);
  });

  figure.restart(state);
  figure.explain("Drag a patient sideways to change the words, up or down to change the course. Or choose one " +
    "with Tab and use the arrow keys (with Shift: two words at once).");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => ({ ...structuredClone(state), fit: all() }),
  };
});
