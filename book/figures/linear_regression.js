/* Least squares under the hand: move a patient, and the line, its squares and the leverage follow; or
   lay a line of your own, and compare its squares with the least. */
litlearn.figure("linear_regression", (figure, data) => {
  "use strict";
  const { number } = litlearn;
  const { colors } = data;
  const state = figure.state({
    x: data.x, y: data.y, own: false, through: data.through, until: data.until, query: data.query,
  });
  const patients = [...state.x.keys()];
  const sum = (values) => values.reduce((a, b) => a + b, 0);

  /** The line through some patients with the smallest sum of squares, as LinearRegression fits it. */
  function fit(some) {
    const mean = (values) => sum(some.map((i) => values[i])) / some.length;
    const [x, y] = [mean(state.x), mean(state.y)];
    const spread = sum(some.map((i) => (state.x[i] - x) ** 2));
    const product = sum(some.map((i) => (state.x[i] - x) * (state.y[i] - y)));
    // Where all patients have the same x, every slope fits as well; the module takes the flat line.
    const slope = spread === 0 ? 0 : product / spread;
    return { slope, intercept: y - slope * x, spread, x, y };
  }

  /** What patient i lies above a line. */
  const above = ({ slope, intercept }, i) => state.y[i] - intercept - slope * state.x[i];

  function all() {
    const line = fit(patients);
    const residual = patients.map((i) => above(line, i));
    const far = (i) => (line.spread === 0 ? 0 : (state.x[i] - line.x) ** 2 / line.spread);
    const without = patients.map((i) => fit(patients.filter((j) => j !== i)));
    // The residual from the line of the others; where those all have the same x, it is known only there.
    const deleted = without.map((other, i) => (other.spread === 0 && line.spread > 0 ? null : above(other, i)));
    return {
      ...line,
      residual,
      deleted,
      cost: sum(residual.map((e) => e ** 2)),
      leverage: patients.map((i) => 1 / patients.length + far(i)),
      without,
    };
  }

  /** The reader's line, through two points. */
  function mine() {
    const [[a, b], [c, d]] = state.through;
    const slope = (d - b) / (c - a);
    const line = { slope, intercept: b - slope * a };
    return { ...line, cost: sum(patients.map((i) => above(line, i) ** 2)) };
  }

  // Where the years go on, the line falls below zero.
  const x = { ...data.axes.x, domain: [data.axes.x.domain[0], state.until + 0.4], limits: [0, state.until] };
  const y = state.until > data.until ? { ...data.axes.y, domain: data.axes.y.below } : data.axes.y;
  const plot = figure.plot({ x, y, height: 400, title: " " });
  const first = fit(patients);
  const ends = ({ slope, intercept }) =>
    d3.line()(x.domain.map((at) => [plot.sx(at), plot.sy(intercept + slope * at)]));
  const squares = plot.marks.append("g");
  const before = plot.marks.append("path").attr("class", "before");
  const least = plot.marks.append("path").attr("class", "before verdict").attr("stroke", colors.line);
  const line = plot.marks.append("path").attr("class", "line").attr("stroke", colors.line);
  const bars = plot.marks.append("g");
  const cross = plot.marks.append("path").attr("class", "cross").attr("d", "M-5,-5L5,5M-5,5L5,-5");
  const names = plot.marks.append("g");
  /** The new patient, on the line. */
  const star = () => {
    const { slope, intercept } = fit(patients);
    return [state.query, intercept + slope * state.query];
  };
  plot.handles([...patients, ...["first", "second"].map((which, end) => ({ which, end })), "star"], {
    at: (i) => (i === "star" ? star() : state.through[i.end] ?? [state.x[i], state.y[i]]),
    moved: (i, to) => {
      if (i === "star") state.query = to[0];
      else if (!i.which) [state.x[i], state.y[i]] = to;
      else {
        // One over the other would be an upright line, which predicts nothing: the point goes a step further.
        const [[own], [other]] = [state.through[i.end], state.through[1 - i.end]];
        const at = to[0] === other ? to[0] + Math.sign(to[0] - own) * x.step : to[0];
        if (at !== other && at >= x.limits[0] && at <= x.limits[1]) state.through[i.end] = [at, to[1]];
      }
    },
    name: (i) => (i === "star" ? "new patient" : i.which ? `line ${i.end + 1}` : `patient ${i + 1}`),
    label: (i) => (i === "star" ? "new patient" : i.which ? `${i.which} point of your line` : `patient ${i + 1}`),
    shown: (i) => (i === "star" ? state.query !== null : !i.which || state.own),
    look: (nodes) => nodes.each(function (i) {
      const node = d3.select(this);
      if (i === "star") node.append("path").attr("class", "query").attr("d", d3.symbol(d3.symbolStar, 190));
      else node.append("circle").attr("class", "case").attr("r", i.which ? 6 : 9).style("fill", i.which ? colors.own : null);
      if (Number.isInteger(i)) node.append("text").attr("text-anchor", "middle").attr("dy", "0.35em").text(i + 1);
    }),
  });
  figure.choice({
    name: "line",
    label: "Squares from",
    options: [{ value: false, text: "the line of least squares" }, { value: true, text: "a line of your own" }],
    get: () => state.own,
    set: (own) => (state.own = own),
  });
  figure.restart(state);
  const table = figure.table("Each patient and the line of least squares",
    ["patient", "leverage", "residual", "deleted residual", "slope without"]);

  const formula = ({ slope, intercept }) =>
    `${number(intercept)} ${slope < 0 ? "−" : "+"} ${number(Math.abs(slope))} × years`;
  const told = ({ slope, intercept }) => `starts at ${litlearn.count(intercept, "point")} and ` +
    `${slope < 0 ? "falls" : "rises"} by ${litlearn.count(Math.abs(slope), "point")} a year`;

  figure.drawn(() => {
    const found = all();
    const own = mine();
    const shown = state.own ? own : found;
    const height = (i) => shown.intercept + shown.slope * state.x[i];
    // A square's side is its residual, so in pixels it is a square; it lies away from the line.
    const side = (i) => Math.abs(plot.sy(state.y[i]) - plot.sy(height(i)));
    const leans = (i) => (above(shown, i) * shown.slope > 0 ? -side(i) : 0);
    squares.selectAll("rect").data(patients).join("rect").attr("class", "square").attr("fill", colors.residual)
      .attr("x", (i) => plot.sx(state.x[i]) + leans(i)).attr("width", side).attr("height", side)
      .attr("y", (i) => plot.sy(Math.max(state.y[i], height(i))));
    bars.selectAll("line").data(patients).join("line").attr("stroke", colors.residual).attr("stroke-width", 2.4)
      .attr("x1", (i) => plot.sx(state.x[i])).attr("x2", (i) => plot.sx(state.x[i]))
      .attr("y1", (i) => plot.sy(height(i))).attr("y2", (i) => plot.sy(state.y[i]));
    line.attr("d", ends(shown)).attr("stroke", state.own ? colors.own : colors.line);
    least.attr("d", state.own ? ends(found) : null);
    before.attr("d", state.own || ends(first) === ends(found) ? null : ends(first));
    cross.attr("transform", `translate(${plot.sx(found.x)},${plot.sy(found.y)})`);
    // On the side from which the line comes, below, neither line nor square can touch the word.
    const left = found.slope < 0;
    names.selectAll("text").data(["means"]).join("text").text((d) => d).attr("text-anchor", left ? "end" : "start")
      .attr("x", plot.sx(found.x) + (left ? -8 : 8)).attr("y", plot.sy(found.y) + 20);
    plot.name("title", formula(shown));

    table(patients.map((i) => ({
      cells: [i + 1, number(found.leverage[i]), number(found.residual[i]),
        found.deleted[i] === null ? "none" : number(found.deleted[i]),
        found.without[i].spread === 0 ? "none" : number(found.without[i].slope)],
    })));
    const far = state.query === null ? "" : ` After ${litlearn.count(state.query, "year")} it predicts ` +
      `${litlearn.count(star()[1], "point")}, and no patient has complained for more than ` +
      `${litlearn.count(Math.max(...state.x), "year")}.`;
    figure.say(state.own ? `Your line ${told(own)}. Its squares add up to ${number(own.cost)}, those of the line of ` +
      `least squares to ${number(found.cost)}.` : found.spread === 0
      ? `All patients have the same number of years, so nothing can be said about the slope. The squares add up to ${number(found.cost)}.`
      : `The line ${told(found)}. The squares add up to ${number(found.cost)}.${far}`);
  });
  figure.explain("Drag any patient, or choose one with Tab and move it with the arrow keys: half a year or one " +
    "point at once, with Shift two years or five points. Dashed: the line of the first five, or the least squares.");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => ({ ...structuredClone(state), fit: all(), mine: mine() }),
  };
});
