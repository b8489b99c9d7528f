/* Least squares under the hand: move a patient, and the line, its squares and the leverage follow. */
litlearn.figure("linear_regression", (figure, data) => {
  "use strict";
  const { number } = litlearn;
  const { colors } = data;
  const state = figure.state({ x: data.x, y: data.y });
  const patients = [...data.x.keys()];
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

  function all() {
    const line = fit(patients);
    const residual = patients.map((i) => state.y[i] - line.intercept - line.slope * state.x[i]);
    const far = (i) => (line.spread === 0 ? 0 : (state.x[i] - line.x) ** 2 / line.spread);
    const without = patients.map((i) => fit(patients.filter((j) => j !== i)));
    // The residual from the line of the others; where those all have the same x, it is known only there.
    const deleted = without.map((other, i) =>
      other.spread === 0 && line.spread > 0 ? null : state.y[i] - other.intercept - other.slope * state.x[i]);
    return {
      ...line,
      residual,
      deleted,
      cost: sum(residual.map((e) => e ** 2)),
      leverage: patients.map((i) => 1 / patients.length + far(i)),
      without,
    };
  }

  const { x, y } = data.axes;
  const plot = figure.plot({ x, y, height: 400 });
  const first = fit(patients);
  const ends = ({ slope, intercept }) =>
    d3.line()(x.domain.map((at) => [plot.sx(at), plot.sy(intercept + slope * at)]));
  const squares = plot.marks.append("g");
  const before = plot.marks.append("path").attr("class", "before");
  const line = plot.marks.append("path").attr("class", "line").attr("stroke", colors.line);
  const bars = plot.marks.append("g");
  const cross = plot.marks.append("path").attr("class", "cross").attr("d", "M-5,-5L5,5M-5,5L5,-5");
  const names = plot.marks.append("g");
  plot.handles(patients, {
    at: (i) => [state.x[i], state.y[i]],
    moved: (i, to) => ([state.x[i], state.y[i]] = to),
    label: (i) => `patient ${i + 1}`,
    look: (nodes) => {
      nodes.append("circle").attr("class", "case").attr("r", 9);
      nodes.append("text").attr("text-anchor", "middle").attr("dy", "0.35em").text((i) => i + 1);
    },
  });
  const table = figure.table("What each patient adds", ["patient", "leverage", "residual", "deleted residual", "slope without"]);

  figure.drawn(() => {
    const found = all();
    const { slope, intercept, residual, deleted, cost, leverage, without, spread } = found;
    const height = (i) => intercept + slope * state.x[i];
    // A square's side is its residual, so in pixels it is a square; it lies away from the line.
    const side = (i) => Math.abs(plot.sy(state.y[i]) - plot.sy(height(i)));
    const leans = (i) => (residual[i] * slope > 0 ? -side(i) : 0);
    squares.selectAll("rect").data(patients).join("rect").attr("class", "square").attr("fill", colors.residual)
      .attr("x", (i) => plot.sx(state.x[i]) + leans(i)).attr("width", side).attr("height", side)
      .attr("y", (i) => plot.sy(Math.max(state.y[i], height(i))));
    bars.selectAll("line").data(patients).join("line").attr("stroke", colors.residual).attr("stroke-width", 2.4)
      .attr("x1", (i) => plot.sx(state.x[i])).attr("x2", (i) => plot.sx(state.x[i]))
      .attr("y1", (i) => plot.sy(height(i))).attr("y2", (i) => plot.sy(state.y[i]));
    line.attr("d", ends(found));
    before.attr("d", ends(first)).attr("display", ends(first) === ends(found) ? "none" : null);
    cross.attr("transform", `translate(${plot.sx(found.x)},${plot.sy(found.y)})`);

    const sign = slope < 0 ? "−" : "+";
    const formula = `${number(intercept)} ${sign} ${number(Math.abs(slope))} × years`;
    const right = x.domain[1] - 0.15;
    const end = Math.min(y.domain[1] - 4, Math.max(5, intercept + slope * right));
    // On the side from which the line comes neither label can touch it.
    const down = slope < 0 ? 1 : -1;
    names.selectAll("text").data([
      { text: formula, x: plot.sx(right), y: plot.sy(end) + 5 + 14 * down, anchor: "end" },
      { text: "means", x: plot.sx(found.x) + 9, y: plot.sy(found.y) + 5 - 13 * down, anchor: "start" },
    ]).join("text").text((d) => d.text).attr("x", (d) => d.x).attr("y", (d) => d.y)
      .attr("text-anchor", (d) => d.anchor);

    table(patients.map((i) => ({
      cells: [i + 1, number(leverage[i]), number(residual[i]),
        deleted[i] === null ? "none" : number(deleted[i]),
        without[i].spread === 0 ? "none" : number(without[i].slope)],
    })));
    figure.say(spread === 0
      ? `All patients have the same number of years, so nothing can be said about the slope. The squares add up to ${number(cost)}.`
      : `The line starts at ${number(intercept)} points and ${slope < 0 ? "falls" : "rises"} by ` +
        `${number(Math.abs(slope))} points a year. The squares add up to ${number(cost)}.`);
  });

  figure.restart(state);
  figure.explain("Drag any patient, or choose one with Tab and move it with the arrow keys: half a year or one " +
    "point at once, with Shift two years or five points. Dashed: the line of the first five.");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => ({ ...structuredClone(state), fit: all() }),
  };
});
