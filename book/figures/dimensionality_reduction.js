/* Principal axes under the hand: turn an axis through the patients, and see what it keeps and loses; in
   another unit, or between two groups. */
litlearn.figure("dimensionality_reduction", (figure, data) => {
  "use strict";
  const { number } = litlearn;
  const { colors, classes } = data;
  // best: whether the best axes are shown; y: the groups of the patients, if there are two.
  const state = figure.state({ X: data.X, angle: data.angle, best: false, tenths: false, y: null });
  const patients = [...state.X.keys()];
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const unit = () => (state.tenths ? 10 : 1); // of the words, along the first axis

  /** The direction of an axis that leans at an angle in the picture, with length 1 in the unit of the data. */
  function direction(degrees) {
    const [c, s] = [unit() * Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
    return [c / Math.hypot(c, s), s / Math.hypot(c, s)];
  }
  /** The angle in the picture of a direction in the data, from 0 to 180 degrees. */
  const angleOf = ([u, v]) => ((Math.atan2(v, u / unit()) * 180) / Math.PI + 180) % 180;

  const products = (Z) => {
    const product = (a, b) => sum(Z.map((z) => z[a] * z[b]));
    return [product(0, 0), product(0, 1), product(1, 1)];
  };
  const meanOf = (some) => [0, 1].map((j) => sum(some.map((x) => x[j])) / some.length);

  /** Mean, sums of products about it, the axis that keeps most, and Fisher's between two groups. */
  function cloud() {
    const X = state.X.map(([a, b]) => [unit() * a, b]);
    const mean = meanOf(X);
    const Z = X.map((x) => [x[0] - mean[0], x[1] - mean[1]]);
    const [aa, ab, bb] = products(Z);
    const turned = Math.atan2(2 * ab, aa - bb) / 2;
    const root = Math.hypot((aa - bb) / 2, ab);
    const found = {
      mean, Z, total: aa + bb, best: angleOf([Math.cos(turned), Math.sin(turned)]), most: (aa + bb) / 2 + root,
      round: root < 1e-9,
    };
    if (!state.y) return found;
    // Fisher's axis: the difference of the means, times the inverse of the products within the groups.
    const groups = [0, 1].map((c) => X.filter((_, i) => state.y[i] === c));
    const means = groups.map(meanOf);
    const within = products(groups.flatMap((some, c) => some.map((x) => [x[0] - means[c][0], x[1] - means[c][1]])));
    const apart = [means[1][0] - means[0][0], means[1][1] - means[0][1]];
    const [p, q, r] = within;
    const way = [r * apart[0] - q * apart[1], p * apart[1] - q * apart[0]];
    // Squares between the groups, over the squared difference of their means.
    const counted = (groups[0].length * groups[1].length) / X.length;
    const parts = { within, apart, counted };
    return { ...found, ...parts, fisher: angleOf(way), separation: separation(way, parts) };
  }

  /** The squares between the groups along a direction, over the squares within them. */
  function separation([c, s], { within: [p, q, r], apart, counted }) {
    return (counted * (c * apart[0] + s * apart[1]) ** 2) / (c * c * p + 2 * c * s * q + s * s * r);
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
  const middle = () => meanOf(state.X);
  const point = (mean, degrees, length) => [Math.cos, Math.sin].map((part, j) =>
    mean[j] + length * part((degrees * Math.PI) / 180));
  const through = (degrees) => d3.line()([-99, 99].map((length) => point(middle(), degrees, length))
    .map(([a, b]) => [plot.sx(a), plot.sy(b)]));
  /** The end of the axis that can be taken: near the frame, on an ellipse, where it hides nobody. */
  function tip() {
    const mean = middle();
    const arms = [x, y].map(({ domain: [low, high] }, j) => Math.max(2, Math.min(high - mean[j], mean[j] - low) - 0.8));
    const [c, s] = point([0, 0], state.angle, 1);
    return point(mean, state.angle, 1 / Math.hypot(c / arms[0], s / arms[1]));
  }
  const best = plot.marks.append("path").attr("class", "before verdict");
  const fisher = plot.marks.append("path").attr("class", "ring verdict");
  const line = plot.marks.append("path").attr("class", "line").attr("stroke", colors.axis);
  const bars = plot.marks.append("g");
  const feet = plot.marks.append("g");
  const cross = plot.marks.append("path").attr("class", "cross").attr("d", "M-5,-5L5,5M-5,5L5,-5");
  plot.handles(["axis", ...patients], {
    at: (i) => (i === "axis" ? tip() : state.X[i]),
    moved: (i, to) => {
      if (i !== "axis") {
        state.X[i] = to;
        return;
      }
      const mean = middle();
      const turned = (Math.atan2(to[1] - mean[1], to[0] - mean[0]) * 180) / Math.PI;
      state.angle = (Math.round(turned) + 180) % 180;
    },
    name: (i) => (i === "axis" ? "axis" : `patient ${i + 1}`),
    label: (i) => (i === "axis" ? "end of the axis" : `patient ${i + 1}`),
    text: (i) => (i === "axis" ? `${state.angle} degrees`
      : `${x.label} ${number(state.X[i][0])}, ${y.label} ${number(state.X[i][1])}`),
    look: (nodes) => {
      nodes.append("circle").attr("class", "case").attr("r", (i) => (i === "axis" ? 7 : 9))
        .style("fill", (i) => (i === "axis" ? colors.axis : null))
        .style("stroke", (i) => (i !== "axis" && state.y ? classes[state.y[i]].color : null))
        .style("stroke-width", (i) => (i !== "axis" && state.y ? "3px" : null));
      nodes.append("text").attr("text-anchor", "middle").attr("dy", "0.35em")
        .text((i) => (i === "axis" ? "" : i + 1));
    },
  });
  const axes = state.y ? "the best axes" : "the best axis";
  figure.button({
    name: "best",
    text: () => `${state.best ? "Hide" : "Show"} ${axes}`,
    press: () => (state.best = !state.best),
  });
  figure.restart(state);
  figure.slider({
    name: "angle",
    label: "Angle of the axis",
    min: 0,
    max: 179,
    step: 1,
    get: () => state.angle,
    set: (value) => (state.angle = value),
    text: (value) => `${value}°`,
  });
  figure.choice({
    name: "units",
    extra: true,
    label: "Words are counted in",
    options: [{ value: false, text: "words" }, { value: true, text: "tenths of a word" }],
    get: () => state.tenths,
    set: (tenths) => (state.tenths = tenths),
  });
  const table = figure.table("What the axis keeps and loses", ["patient", "score", "kept", "lost"]);

  figure.drawn(() => {
    const found = cloud();
    const { Z, total, most, round } = found;
    const { score, rest, kept, lost } = along(Z, state.angle);
    const way = direction(state.angle);
    const mean = middle();
    const foot = (i) => [mean[0] + (way[0] * score[i]) / unit(), mean[1] + way[1] * score[i]];
    line.attr("d", through(state.angle));
    best.attr("d", state.best && !round ? through(found.best) : null);
    fisher.attr("d", state.best && state.y ? through(found.fisher) : null);
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
    const degrees = (angle) => `${Math.round(angle) % 180}°`;
    figure.say([
      `At ${state.angle}° the axis keeps ${number(kept)}${share(kept)} of ${number(total)} and loses ${number(lost)}.`,
      state.y ? `Along it, the squares between the groups are ${number(separation(way, found), 2)} times those within.` : "",
      !state.best ? "" : round ? "Every other axis keeps as much." :
        `No axis keeps more than ${number(most)}${share(most)}, at ${degrees(found.best)} (dashed).`,
      state.best && state.y ? `None separates the groups better than Fisher's, at ${degrees(found.fisher)} ` +
        `(long dashes), ${number(found.separation, 2)} times.` : "",
    ].filter(Boolean).join(" "));
  });

  figure.explain("Drag a patient or the end of the axis, or choose one with Tab and move it with the arrow keys " +
    "(with Shift: further). Cross: the mean. Segments: what is lost.");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => {
      const found = cloud();
      return { ...structuredClone(state), cloud: found, along: along(found.Z, state.angle) };
    },
  };
});
