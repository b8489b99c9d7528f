/* Principal axes under the hand: turn an axis through the patients, and see what it keeps and loses. */
litlearn.figure("dimensionality_reduction", (figure, data) => {
  "use strict";
  const { number } = litlearn;
  const { colors } = data;
  const state = figure.state({ X: data.X, angle: data.angle });
  const patients = [...data.X.keys()];
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const direction = (degrees) => [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];

  /** Mean, sums of products about it, and the best angle, in degrees from 0 to 180. */
  function cloud() {
    const mean = [0, 1].map((j) => sum(state.X.map((x) => x[j])) / state.X.length);
    const Z = state.X.map((x) => [x[0] - mean[0], x[1] - mean[1]]);
    const product = (a, b) => sum(Z.map((z) => z[a] * z[b]));
    const [aa, ab, bb] = [product(0, 0), product(0, 1), product(1, 1)];
    const turned = (Math.atan2(2 * ab, aa - bb) * 90) / Math.PI;
    const root = Math.hypot((aa - bb) / 2, ab);
    return { mean, Z, total: aa + bb, best: (turned + 180) % 180, most: (aa + bb) / 2 + root, round: root < 1e-9 };
  }

  /** What an axis keeps of each patient's square, and what it loses. */
  function along(Z, degrees) {
    const [c, s] = direction(degrees);
    const score = Z.map(([x, y]) => c * x + s * y);
    const rest = Z.map(([x, y]) => c * y - s * x);
    return { score, rest, kept: sum(score.map((t) => t * t)), lost: sum(rest.map((t) => t * t)) };
  }

  const { x, y } = data.axes;
  const plot = figure.plot({ x, y, equal: true });
  /** The part of a line through the mean that lies in the picture. */
  function ends(mean, degrees) {
    const way = direction(degrees);
    const steps = [x, y].map(({ domain }, j) => domain.map((edge) => (edge - mean[j]) / (way[j] || 1e-12)));
    const low = Math.max(...steps.map((pair) => Math.min(...pair)));
    const high = Math.min(...steps.map((pair) => Math.max(...pair)));
    return d3.line()([low, high].map((t) => [plot.sx(mean[0] + t * way[0]), plot.sy(mean[1] + t * way[1])]));
  }
  const best = plot.marks.append("path").attr("class", "before");
  const line = plot.marks.append("path").attr("class", "line").attr("stroke", colors.axis);
  const bars = plot.marks.append("g");
  const feet = plot.marks.append("g");
  const cross = plot.marks.append("path").attr("class", "cross").attr("d", "M-5,-5L5,5M-5,5L5,-5");
  const tip = (mean) => direction(state.angle).map((value, j) => mean[j] + data.arm * value);
  plot.handles([...patients, "axis"], {
    at: (i) => (i === "axis" ? tip(cloud().mean) : state.X[i]),
    moved: (i, to) => {
      if (i !== "axis") {
        state.X[i] = to;
        return;
      }
      const { mean } = cloud();
      const turned = (Math.atan2(to[1] - mean[1], to[0] - mean[0]) * 180) / Math.PI;
      state.angle = (Math.round(turned) + 180) % 180;
    },
    label: (i) => (i === "axis" ? "end of the axis" : `patient ${i + 1}`),
    look: (nodes) => {
      nodes.append("circle").attr("class", "case").attr("r", (i) => (i === "axis" ? 7 : 9))
        .style("fill", (i) => (i === "axis" ? colors.axis : null));
      nodes.append("text").attr("text-anchor", "middle").attr("dy", "0.35em")
        .text((i) => (i === "axis" ? "" : i + 1));
    },
  });
  figure.slider({
    label: "Angle of the axis",
    min: 0,
    max: 179,
    step: 1,
    get: () => state.angle,
    set: (value) => (state.angle = value),
    text: (value) => `${value}°`,
  });
  const table = figure.table("What the axis keeps and loses", ["patient", "score", "kept", "lost"]);

  figure.drawn(() => {
    const found = cloud();
    const { mean, Z, total, most, round } = found;
    const { score, rest, kept, lost } = along(Z, state.angle);
    const [c, s] = direction(state.angle);
    const foot = (i) => [mean[0] + c * score[i], mean[1] + s * score[i]];
    line.attr("d", ends(mean, state.angle));
    best.attr("d", ends(mean, found.best)).attr("display", round ? "none" : null);
    cross.attr("transform", `translate(${plot.sx(mean[0])},${plot.sy(mean[1])})`);
    bars.selectAll("line").data(patients).join("line").attr("stroke", colors.lost).attr("stroke-width", 2.4)
      .attr("x1", (i) => plot.sx(state.X[i][0])).attr("y1", (i) => plot.sy(state.X[i][1]))
      .attr("x2", (i) => plot.sx(foot(i)[0])).attr("y2", (i) => plot.sy(foot(i)[1]));
    feet.selectAll("circle").data(patients).join("circle").attr("r", 3.5).attr("fill", colors.axis)
      .attr("cx", (i) => plot.sx(foot(i)[0])).attr("cy", (i) => plot.sy(foot(i)[1]));
    table([
      ...patients.map((i) => ({ cells: [i + 1, number(score[i]), number(score[i] ** 2), number(rest[i] ** 2)] })),
      { cells: ["all", "", number(kept), number(lost)] },
    ]);
    const share = (value) => (total > 0 ? ` (${Math.round((100 * value) / total)} %)` : "");
    figure.say(`At ${state.angle}° the axis keeps ${number(kept)}${share(kept)} of ${number(total)} and loses ` +
      `${number(lost)}. ` + (round ? "Every other axis keeps as much." :
        `No axis keeps more than ${number(most)}${share(most)}, at ${Math.round(found.best) % 180}°.`));
  });

  figure.restart(state);
  figure.explain("Drag a patient or the end of the axis, or choose one with Tab and move it with the arrow keys " +
    "(with Shift: further). Cross: the mean. Segments: what is lost. Dashed: the axis that loses least.");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => {
      const found = cloud();
      return { ...structuredClone(state), cloud: found, along: along(found.Z, state.angle) };
    },
  };
});
