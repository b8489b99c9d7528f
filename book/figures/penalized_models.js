/* The price under the hand: ball, squares and coefficients answer together. The second feature can be
   counted in another unit, in which its coefficient is another number. */
litlearn.figure("penalized_models", (figure, data) => {
  "use strict";
  const { number } = litlearn;
  const { n, rest, colors, names } = data;
  const state = figure.state({
    free: data.free, price: data.price, kind: data.kind, correlation: data.correlation, litres: false,
  });
  const shares = { ridge: 0, net: 0.5, lasso: 1 }; // of the absolute values in the penalty
  const titles = { ridge: "ridge", net: "the elastic net", lasso: "the lasso" };
  const both = [0, 1];

  const unit = () => (state.litres ? data.cup : 1); // what a cup is in the unit of the second feature
  const free = () => [state.free[0], state.free[1] / unit()];

  /** Squares of the errors: rest, and a bowl around the coefficients of least squares. */
  function squares([u, v]) {
    const [a, b] = [u - free()[0], (v - free()[1]) * unit()];
    return rest + n * (a * a + b * b + 2 * state.correlation * a * b);
  }

  function penalty([u, v]) {
    const share = shares[state.kind];
    return share * (Math.abs(u) + Math.abs(v)) + (1 - share) * (u * u + v * v);
  }

  /** The coefficients with the lowest squares + price x penalty. For each choice of signs (or zero)
      the slopes vanish at one place; the lowest of the places whose signs are the chosen ones. */
  function solve(price) {
    const share = shares[state.kind];
    const [half, ridge] = [(price * share) / 2, price * (1 - share)];
    const [f, g] = free();
    const [one, across, two] = [n, n * state.correlation * unit(), n * unit() ** 2]; // products of the columns
    const moment = [one * f + across * g, across * f + two * g];
    const [first, second] = [one + ridge, two + ridge];
    let best = { cost: Infinity };
    for (const s of [-1, 0, 1]) for (const t of [-1, 0, 1]) {
      const z = [moment[0] - half * s, moment[1] - half * t];
      const det = first * second - across * across;
      let w = [s && z[0] / first, t && z[1] / second];
      if (s && t) w = [(second * z[0] - across * z[1]) / det, (first * z[1] - across * z[0]) / det];
      if (w[0] * s < 0 || w[1] * t < 0) continue;
      const cost = squares(w) + price * penalty(w);
      if (cost < best.cost) best = { cost, w };
    }
    return best.w;
  }

  /** The border of all coefficients that cost as much as w, in the direction of an angle. */
  function ball(angle) {
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    const share = shares[state.kind];
    const slope = share * (Math.abs(c) + Math.abs(s));
    const cost = penalty(solve(state.price));
    const r = cost ? (2 * cost) / (slope + Math.sqrt(slope * slope + 4 * (1 - share) * cost)) : 0;
    return [r * c, r * s];
  }

  /** A place with the given sum of squares. */
  function ellipse(angle, cost = squares(solve(state.price))) {
    const size = Math.max(0, cost - rest) / n;
    const sum = Math.sqrt((2 * size) / (1 + state.correlation)) * Math.cos(angle);
    const gap = Math.sqrt((2 * size) / (1 - state.correlation)) * Math.sin(angle);
    return [free()[0] + (sum + gap) / 2, free()[1] + (sum - gap) / 2 / unit()];
  }

  const { first, second, price, size } = data.axes;
  const plane = figure.plot({ x: first, y: second, equal: true, title: "both coefficients", width: 400 });
  const paths = figure.plot({ x: price, y: size, name: "paths", title: "every price", height: 322, width: 400 });
  const axis = (plot, ends) => {
    const line = plot.marks.append("path").attr("fill", "none").attr("stroke", "#999");
    figure.drawn(() => line.attr("d", d3.line()(ends.map(([a, b]) => [plot.sx(a), plot.sy(b)]))));
  };
  axis(plane, [[first.domain[0], 0], [first.domain[1], 0]]);
  axis(plane, [[0, second.domain[0]], [0, second.domain[1]]]);
  axis(paths, [[price.domain[0], 0], [price.domain[1], 0]]);
  const body = plane.marks.append("path").attr("fill", colors.ball).attr("fill-opacity", 0.25)
    .attr("stroke", colors.ball).attr("stroke-width", 1.6);
  const contours = plane.marks.append("g");
  const touching = plane.marks.append("path").attr("class", "line").attr("stroke", "#333");
  const trail = plane.marks.append("path").attr("class", "before verdict");
  const star = plane.marks.append("path").attr("class", "query").attr("d", d3.symbol(d3.symbolStar, 190)());
  const words = plane.marks.append("g");
  const rule = paths.marks.append("path").attr("class", "before");
  const curves = paths.marks.append("g");
  const dots = paths.marks.append("g");

  plane.handles([names.join(" and ")], {
    at: free,
    moved: (_, [u, v]) => (state.free = [u, v * unit()]),
    name: () => "least squares",
    label: () => "coefficients of least squares",
    look: (nodes) => nodes.append("circle").attr("class", "case").attr("r", 7),
  });
  const top = size.domain[1] - 0.2;
  paths.handles(["price"], {
    at: () => [state.price, top],
    moved: (_, to) => (state.price = to[0]),
    name: () => "price",
    label: () => "price",
    text: () => `price ${number(state.price)}`,
    look: (nodes) => nodes.append("path").attr("class", "case").attr("d", "M0,9L-8,-7L8,-7Z"),
  });
  figure.restart(state);
  figure.choice({
    name: "kind",
    label: "What costs",
    options: [
      { value: "ridge", text: "squares (ridge)" },
      { value: "lasso", text: "absolute values (lasso)" },
      { value: "net", text: "half of each (elastic net)" },
    ],
    get: () => state.kind,
    set: (kind) => (state.kind = kind),
  });
  figure.slider({
    name: "price",
    label: "Price <i>λ</i>",
    min: price.limits[0],
    max: price.limits[1],
    step: price.step,
    get: () => state.price,
    set: (value) => (state.price = value),
    text: (value) => number(value),
  });
  figure.slider({
    name: "correlation",
    label: "Correlation of the two features",
    min: -0.9,
    max: 0.9,
    step: 0.1,
    get: () => state.correlation,
    set: (value) => (state.correlation = value),
    text: (value) => number(value),
  });
  figure.choice({
    name: "units",
    extra: true,
    label: "Coffee is counted in",
    options: [{ value: false, text: "cups" }, { value: true, text: "litres" }],
    get: () => state.litres,
    set: (litres) => (state.litres = litres),
  });
  const table = figure.table("What the price does", ["quantity", "least squares", "now"]);

  figure.drawn(() => {
    const w = solve(state.price);
    const now = squares(w);
    const turn = d3.range(0, 121).map((i) => (i * Math.PI) / 60);
    const at = ([u, v]) => [plane.sx(u), plane.sy(v)];
    const ring = (points) => `${d3.line()(points.map(at))}Z`;
    body.attr("d", ring(turn.map(ball)));
    contours.selectAll("path").data([1, 2, 3, 4, 5]).join("path").attr("fill", "none").attr("stroke", "#aaa")
      .attr("d", (k) => ring(turn.map((angle) => ellipse(angle, rest + n * (0.6 * k) ** 2))));
    touching.attr("d", ring(turn.map((angle) => ellipse(angle, now))));
    const steps = d3.range(0, 101).map((i) => (price.limits[1] * i) / 100);
    const path = steps.map(solve);
    const onwards = [1, 2, 4, 8, 16].map((times) => solve(price.limits[1] * 2 * times));
    trail.attr("d", d3.line()([...path, ...onwards].map(at)));
    star.attr("transform", `translate(${at(w)})`);
    // The name of the circle stands above the thick ring, or within it if the ring is large.
    const [x, y] = at(free());
    const above = Math.min(60, Math.max(12, y - plane.sy(d3.range(0, 360).reduce((most, i) =>
      Math.max(most, ellipse((i * Math.PI) / 180, now)[1]), free()[1])))) + 7;
    words.selectAll("text").data([[x, y - above > 16 ? y - above : y + 24]]).join("text").text("least squares")
      .attr("x", (d) => Math.min(d[0], plane.sx.range()[1] - 40)).attr("y", (d) => d[1]).attr("text-anchor", "middle");
    rule.attr("d", d3.line()([size.domain[0], top].map((v) => [paths.sx(state.price), paths.sy(v)])));
    curves.selectAll("path").data(both).join("path").attr("class", "line").attr("stroke", (j) => colors.features[j])
      .attr("stroke-dasharray", (j) => (j ? "7 4" : null))
      .attr("d", (j) => d3.line()(path.map((v, i) => [paths.sx(steps[i]), paths.sy(v[j])])));
    dots.selectAll("circle").data(both).join("circle").attr("class", "mark").attr("r", 5)
      .attr("fill", (j) => colors.features[j]).attr("cx", paths.sx(state.price)).attr("cy", (j) => paths.sy(w[j]));
    paths.beside(both.map((j) => ({ text: names[j], points: path.map((v, i) => [paths.sx(steps[i]), paths.sy(v[j])]) })));

    table([
      ...both.map((j) => ({ cells: [names[j], number(free()[j]), number(w[j])] })),
      { cells: ["sum of squares", number(rest), number(now)] },
      { cells: ["penalty", number(penalty(free())), number(penalty(w))] },
    ]);
    const gone = both.filter((j) => w[j] === 0).map((j) => names[j]);
    figure.say(`At the price ${number(state.price)} ${titles[state.kind]} gives “${names[0]}” ${number(w[0])} and ` +
      `“${names[1]}” ${number(w[1])}. The squares rise from ${number(rest)} to ${number(now)}, the penalty falls from ` +
      `${number(penalty(free()))} to ${number(penalty(w))}.` +
      (gone.length ? ` Left out: ${litlearn.list(gone)}.` : ""));
  });

  const pay = (more) => (state.price = Math.min(price.limits[1], Math.max(price.limits[0], state.price + more)));
  figure.key(["+", "="], () => pay(price.step), "price");
  figure.key(["-"], () => pay(-price.step), "price");
  figure.explain("Drag the triangle to change the price (or use the keys + and −), and the circle to change what least squares says. " +
    "Or choose one with Tab and move it with the arrow keys, with Shift in larger steps. Dashed: the way of " +
    "the star as the price rises.");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => {
      const w = solve(state.price);
      return { ...structuredClone(state), w, squares: squares(w), penalty: penalty(w) };
    },
    solve,
    ball,
    ellipse: (angle) => ellipse(angle),
  };
});
