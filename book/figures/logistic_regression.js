/* Logistic regression under the hand: move a patient or change the course, and the curve follows; or
   choose the factor of the odds yourself. */
litlearn.figure("logistic_regression", (figure, data) => {
  "use strict";
  const { number, list, count } = litlearn;
  const { classes, color } = data;
  const state = figure.state({
    x: data.x, y: data.y, own: false, factor: data.factor, threshold: data.threshold, query: data.query,
  });
  const patients = [...data.x.keys()];
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const sigmoid = (z) => 1 / (1 + Math.exp(-z));
  const logLoss = (z, y) => Math.log1p(Math.exp(y ? -z : z));

  /** Whether some number of words separates the courses, so that no curve is steep enough. */
  function separable() {
    const words = [0, 1].map((c) => patients.filter((i) => state.y[i] === c).map((i) => state.x[i]));
    if (words.some((w) => w.length === 0)) return "same";
    const [stable, decline] = words.map((w) => [Math.min(...w), Math.max(...w)]);
    if (stable[0] === stable[1] && decline[0] === decline[1] && stable[0] === decline[0]) return "flat";
    if (stable[1] <= decline[0] || decline[1] <= stable[0]) return "separable";
    return "";
  }

  /** The curve with the largest likelihood, as LogisticRegression without a penalty fits it: Newton's
      method for intercept and slope, each step halved until the log-loss falls. */
  function fit() {
    const middle = sum(state.x) / patients.length;
    const z = ([b, w], i) => b + w * (state.x[i] - middle);
    const loss = (at) => sum(patients.map((i) => logLoss(z(at, i), state.y[i])));
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

  /** The curve with the largest likelihood among those with the reader's factor. It rises or falls as
      the courses do; where the intercept is right, the probabilities add up to the declines. */
  function mine() {
    const mean = (values) => sum(values) / values.length;
    const words = mean(state.x);
    const rises = sum(patients.map((i) => (state.x[i] - words) * state.y[i])) >= 0;
    const slope = Math.log(state.factor) * (rises ? 1 : -1);
    let [low, high] = [-200, 200];
    for (let step = 0; step < 80; step += 1) {
      const intercept = (low + high) / 2;
      const declines = sum(state.x.map((x) => sigmoid(intercept + slope * x)));
      [low, high] = declines < sum(state.y) ? [intercept, high] : [low, intercept];
    }
    return { intercept: (low + high) / 2, slope };
  }

  function all() {
    const why = separable();
    if (why === "same") return { why };
    const curve = state.own || why === "separable" ? mine() : fit();
    const probability = patients.map((i) => sigmoid(curve.intercept + curve.slope * state.x[i]));
    const happened = probability.map((p, i) => (state.y[i] ? p : 1 - p));
    return { why, ...curve, probability, happened, likelihood: happened.reduce((a, b) => a * b) };
  }

  const { x, y } = data.axes;
  const plot = figure.plot({ x, y, height: 340 });
  const even = plot.marks.append("path").attr("class", "before");
  const level = plot.marks.append("path").attr("class", "ring");
  const bars = plot.marks.append("g");
  const curve = plot.marks.append("path").attr("class", "line").attr("stroke", color);
  const rings = plot.marks.append("g").attr("class", "verdict");
  // Patients with the same words and the same course stand beside each other.
  const place = (i) => {
    const before = patients.filter((j) => j < i && state.x[j] === state.x[i] && state.y[j] === state.y[i]);
    return [state.x[i] + 0.15 * before.length, state.y[i]];
  };
  /** The new patient, on the curve. */
  const star = () => {
    const { intercept = 0, slope = 0 } = all();
    return [state.query, sigmoid(intercept + slope * state.query)];
  };
  plot.handles([...patients, -1], {
    at: (i) => (i < 0 ? star() : place(i)),
    moved: (i, to) => {
      if (i < 0) state.query = to[0];
      else [state.x[i], state.y[i]] = to;
    },
    name: (i) => (i < 0 ? "new patient" : `patient ${i + 1}`),
    label: (i) => (i < 0 ? "new patient" : `patient ${i + 1}`),
    text: (i) => `${count(i < 0 ? state.query : state.x[i], "word")} forgotten` +
      (i < 0 ? "" : `, ${classes[Math.round(state.y[i])].name}`),
    shown: (i) => i >= 0 || state.query !== null,
    look: (nodes) => {
      nodes.filter((i) => i >= 0).append("path").attr("class", "mark");
      nodes.filter((i) => i >= 0).append("text").attr("text-anchor", "middle").text((i) => i + 1);
      nodes.filter((i) => i < 0).append("path").attr("class", "query").attr("d", d3.symbol(d3.symbolStar, 190));
    },
  });
  figure.choice({
    name: "curve",
    label: "One word more multiplies the odds by",
    options: [{ value: false, text: "the best factor" }, { value: true, text: "a factor of your own" }],
    get: () => state.own,
    set: (own) => (state.own = own),
  });
  // Small factors lie close together.
  figure.slider({
    name: "factor",
    label: "Your factor",
    min: 0,
    max: data.factors.length - 1,
    get: () => data.factors.findIndex((f) => f >= state.factor),
    set: (k) => (state.factor = data.factors[k]),
    text: (k) => number(data.factors[k]),
    off: () => !state.own && separable() !== "separable",
  });
  figure.slider({
    name: "threshold",
    extra: true,
    label: "“Decline” is predicted from",
    min: 0.05,
    max: 0.95,
    step: 0.05,
    get: () => state.threshold,
    set: (threshold) => (state.threshold = threshold),
    text: (threshold) => number(threshold),
  });
  figure.restart(state);
  const table = figure.table("How probable is what happened?",
    ["patient", "course", "probability of decline", "of what happened"], 2);

  /** Who is misjudged at the threshold. */
  function misjudged({ probability }) {
    const wrong = (c) => patients.filter((i) => state.y[i] === c && (probability[i] >= state.threshold) === (c === 0));
    const who = (some) => (some.length ? `${some.length > 1 ? "patients" : "patient"} ${list(some.map((i) => i + 1))}` : "no patient");
    return { ids: [...wrong(0), ...wrong(1)], words: ` The threshold misses ${who(wrong(1))}, and gives a false alarm for ${who(wrong(0))}.` };
  }

  figure.drawn(() => {
    const found = all();
    const { why, intercept, slope, probability, happened, likelihood } = found;
    const known = why !== "same";
    const of = (i) => classes[Math.round(state.y[i])]; // between the courses while the figure glides
    const people = plot.front.selectAll("g").filter((i) => i >= 0);
    people.selectAll(".mark").attr("fill", (i) => of(i).color).attr("d", (i) => litlearn.symbol(of(i)));
    people.selectAll("text").attr("y", (i) => (state.y[i] > 0.5 ? -11 : 21));

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
    plot.notes.selectAll("text").data(inside ? ["even odds"] : []).join("text").text((d) => d).attr("text-anchor", "middle")
      .attr("transform", `translate(${plot.sx(middle) - 5},${plot.sy(0.77)})rotate(-90)`);
    const aside = state.threshold === null || !known ? null : misjudged(found);
    level.attr("d", aside ? `M${plot.sx(x.domain[0])},${plot.sy(state.threshold)}H${plot.sx(x.domain[1])}` : null);
    rings.selectAll("circle").data(aside ? aside.ids : []).join("circle").attr("class", "case").attr("r", 12)
      .attr("cx", (i) => plot.sx(place(i)[0])).attr("cy", (i) => plot.sy(state.y[i]));

    table(patients.map((i) => ({
      cells: [i + 1, figure.badge(of(i)), known ? number(probability[i]) : "–", known ? number(happened[i]) : "–"],
    })));
    const fits = () => `The likelihood of what happened is ${number(likelihood, 4)}, and the deviance ` +
      `${number(-2 * Math.log(likelihood))}.`;
    figure.say({
      same: () => "All courses are the same, so the best probability is the same for everyone, and no curve reaches it.",
      separable: () => `A number of words separates the two courses, so a larger factor always has a larger ` +
        `likelihood, and none is the best. ${fits()}`,
      flat: () => "All patients forgot the same number of words, so nothing can be said about a word.",
      "": () => `Each further word multiplies the odds of decline by ${number(Math.exp(slope))}. ${fits()}` +
        (state.query === null ? "" : ` After ${count(state.query, "word")} the odds are ` +
          `${number(Math.exp(intercept + slope * state.query))}, a probability of ${number(star()[1])}.`) +
        (aside ? aside.words : ""),
    }[why]());
  });

  figure.explain("Drag a patient sideways to change the words, up or down to change the course. Or choose one " +
    "with Tab and use the arrow keys (with Shift: two words at once).");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => ({ ...structuredClone(state), fit: all() }),
  };
});
