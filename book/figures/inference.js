/* A study that can be repeated: five patients and their line, and the slope of every study so far with
   its interval; more patients, bands for a mean and for one patient, noise that grows, or several visits. */
litlearn.figure("inference", (figure, data) => {
  "use strict";
  const { number, normal, count } = litlearn;
  const { colors, truth, noise, student, visits } = data;
  // past: slope, half of its interval, and half of the other interval, of each study before this one.
  const state = figure.state({
    x: data.x, y: data.y, count: data.count, kind: "equal", past: data.past, other: false, sorted: false,
    query: null, until: data.until,
  });
  const most = 60; // studies that are shown
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const mean = (values) => sum(values) / values.length;
  const seen = () => d3.range(state.count);

  /** The line of least squares, and half the 95 % interval of its slope, by the usual formula. */
  function fit(x, y) {
    const [n, middle, height] = [x.length, mean(x), mean(y)];
    const away = x.map((value) => value - middle);
    const spread = sum(away.map((d) => d ** 2));
    const slope = spread === 0 ? 0 : sum(away.map((d, i) => d * y[i])) / spread;
    const e = y.map((value, i) => value - height - slope * away[i]);
    const sigma = Math.sqrt(sum(e.map((value) => value ** 2)) / (n - 2));
    const half = spread === 0 ? null : (student[n - 2] * sigma) / Math.sqrt(spread);
    return { n, middle, spread, slope, intercept: height - slope * middle, sigma, e, away, half };
  }

  /** Half an interval by HC3, or by the means of the patients' visits. */
  function otherwise(line, x, y) {
    if (state.kind === "visits") {
      const means = (values) => d3.range(0, values.length, visits).map((i) => mean(values.slice(i, i + visits)));
      return fit(means(x), means(y)).half;
    }
    const deleted = line.e.map((e, i) => e / (1 - 1 / line.n - line.away[i] ** 2 / line.spread));
    const half = (student[line.n - 2] * Math.sqrt(sum(deleted.map((d, i) => (d * line.away[i]) ** 2)))) / line.spread;
    return Number.isFinite(half) ? half : null;
  }

  function study() {
    const [x, y] = [state.x, state.y].map((values) => values.slice(0, state.count));
    const line = fit(x, y);
    return { ...line, other: line.spread === 0 ? null : otherwise(line, x, y) };
  }

  /** Other people at the same years: the truth plus errors. */
  function draw() {
    const own = d3.range(Math.ceil(state.x.length / visits)).map(() => noise.own * normal());
    const error = {
      equal: () => noise.equal * normal(),
      fan: (i) => noise.fan * state.x[i] * normal(),
      visits: (i) => own[Math.floor(i / visits)] + noise.visit * normal(),
    }[state.kind];
    state.y = state.x.map((x, i) => Number((truth[0] + truth[1] * x + error(i)).toFixed(1)));
  }

  function another() {
    const { slope, half, other } = study();
    if (half !== null) state.past = [...state.past, [slope, half, other].map((v) => v && Number(v.toFixed(2)))];
    draw();
  }

  /** Slope and half an interval of all studies, this one last, by the interval that is chosen. */
  function intervals(now) {
    return [...state.past, [now.slope, now.half, now.other]].map(([slope, formula, other], i) => {
      const half = state.other ? other : formula;
      return { slope, half, now: i === state.past.length, holds: Math.abs(slope - truth[1]) <= half };
    }).filter(({ half }) => half !== null);
  }

  /** The prediction at some years, and half an interval for the mean of such people and for one of them. */
  function band(line, x) {
    const v = 1 / line.n + (x - line.middle) ** 2 / line.spread;
    const reach = student[line.n - 2] * line.sigma;
    return { at: line.intercept + line.slope * x, mean: reach * Math.sqrt(v), one: reach * Math.sqrt(1 + v) };
  }

  const x = { ...data.axes.x, domain: [data.axes.x.domain[0], state.until + 0.4], limits: [0, state.until] };
  const y = state.until > data.until ? { ...data.axes.y, ...data.axes.below } : data.axes.y;
  const plot = figure.plot({ x, y, title: "this study", width: 380, height: 340 });
  const slopes = figure.plot({
    x: data.axes.study, y: { ...data.axes.slope, domain: data.slopes[state.kind] },
    name: "slopes", title: "slopes of all studies", width: 330, height: 340,
  });
  const outer = plot.marks.append("path").attr("class", "square verdict").attr("fill", colors.line);
  const inner = plot.marks.append("path").attr("class", "square verdict").attr("fill", colors.line);
  const real = plot.marks.append("path").attr("class", "before");
  const edge = plot.marks.append("path").attr("class", "before");
  const line = plot.marks.append("path").attr("class", "line").attr("stroke", colors.line);
  const [floor, ceiling] = y.domain;
  const inside = (value) => Math.min(ceiling, Math.max(floor, value));
  const star = () => [state.query, inside(band(study(), state.query).at)];
  plot.handles([...state.x.keys(), "star"], {
    at: (i) => (i === "star" ? star() : [state.x[i], inside(state.y[i])]),
    moved: (i, to) => {
      if (i === "star") state.query = to[0];
      else [state.x[i], state.y[i]] = to;
    },
    name: (i) => (i === "star" ? "new patient" : `${state.kind === "visits" ? "visit" : "patient"} ${i + 1}`),
    label: (i) => (i === "star" ? "new patient" : state.kind !== "visits" ? `patient ${i + 1}`
      : `visit ${(i % visits) + 1} of patient ${Math.floor(i / visits) + 1}`),
    shown: (i) => (i === "star" ? state.query !== null : i < state.count),
    many: state.x.length > 20,
    look: (nodes) => nodes.each(function (i) {
      const node = d3.select(this);
      if (i === "star") node.append("path").attr("class", "query").attr("d", d3.symbol(d3.symbolStar, 130));
      else node.append("circle").attr("class", "case").attr("r", state.kind === "equal" ? 5.5 : 4);
    }),
  });
  const bars = slopes.marks.append("g");
  const exact = slopes.marks.append("path").attr("class", "line verdict").attr("stroke", "#222").style("stroke-width", "1.4px");
  const misses = slopes.marks.append("g").attr("class", "verdict");

  figure.button({ name: "study", text: "Another study", keys: ["s", "S"], press: another });
  figure.button({ name: "twenty", text: "Twenty more", keys: ["t", "T"], press: () => d3.range(20).forEach(another) });
  figure.restart(state);
  figure.slider({
    name: "number",
    label: "Number of patients",
    min: 5,
    max: state.x.length,
    step: 5,
    get: () => state.count,
    set: (n) => Object.assign(state, { count: n, past: [] }),
    off: () => state.kind !== "equal",
  });
  figure.choice({
    name: "order",
    label: "Order of the studies",
    options: [{ value: false, text: "as drawn" }, { value: true, text: "shortest interval first" }],
    get: () => state.sorted,
    set: (sorted) => (state.sorted = sorted),
  });
  figure.choice({
    name: "interval",
    extra: true,
    label: "Interval from",
    options: state.kind === "visits"
      ? [{ value: false, text: "rows" }, { value: true, text: "patients" }]
      : [{ value: false, text: "formula" }, { value: true, text: "HC3" }],
    get: () => state.other,
    set: (other) => (state.other = other),
  });

  figure.drawn(() => {
    const now = study();
    const all = intervals(now);
    const path = ([intercept, slope]) =>
      d3.line()(x.domain.map((at) => [plot.sx(at), plot.sy(intercept + slope * at)]));
    real.attr("d", path(truth));
    line.attr("d", path([now.intercept, now.slope]));
    const grid = d3.range(x.domain[0], x.domain[1] + 0.05, 0.1);
    const side = (which, way) => grid.map((at) => {
      const found = band(now, at);
      return [plot.sx(at), plot.sy(found.at + way * found[which])];
    });
    const area = (which) => `${d3.line()([...side(which, 1), ...side(which, -1).reverse()])}Z`;
    const banded = state.query !== null && now.spread > 0;
    outer.attr("d", banded ? area("one") : null);
    inner.attr("d", banded ? area("mean") : null);
    const last = Math.max(...seen().map((i) => state.x[i]));
    edge.attr("d", state.until > data.until ? `M${plot.sx(last)},${plot.sy(floor)}V${plot.sy(ceiling)}` : null);
    const along = ([intercept, slope]) =>
      d3.range(state.until - 0.6, 0, -0.1).map((at) => [plot.sx(at), plot.sy(intercept + slope * at)]);
    plot.beside([
      { text: "truth", points: along(truth) },
      { text: "", points: along([now.intercept, now.slope]) },
      ...(state.until > data.until ? [{ text: "nobody observed", points: d3.range(last + 1, state.until, 0.2).map((at) => [plot.sx(at), plot.sy(ceiling - 4)]) }] : []),
    ], seen().map((i) => [plot.sx(state.x[i]), plot.sy(inside(state.y[i]))]));

    let shown = all.slice(-most);
    if (state.sorted) shown = [...shown].sort((a, b) => a.half - b.half);
    const at = (_, i) => slopes.sx(i + 1);
    const wide = shown.length > 30 ? 2 : 3;
    /** Bars and points of some studies. */
    const drawn = (layer, symbol, some, color, opacity) => {
      layer.selectAll("line").data(shown).join("line").attr("stroke", color).attr("stroke-width", wide).style("stroke-opacity", opacity)
        .attr("display", (d) => (some(d) ? null : "none")).attr("x1", at).attr("x2", at)
        .attr("y1", ({ slope, half }) => slopes.sy(slope - half)).attr("y2", ({ slope, half }) => slopes.sy(slope + half));
      layer.selectAll("path").data(shown).join("path").attr("class", "mark").attr("fill", color)
        .attr("display", (d) => (some(d) ? null : "none")).attr("d", d3.symbol(symbol, 34))
        .attr("transform", (d, i) => `translate(${at(d, i)},${slopes.sy(d.slope)})`)
        .style("stroke-width", (d) => (d.now ? "2.4px" : null));
    };
    drawn(bars, d3.symbolCircle, () => true, colors.line, 0.75);
    drawn(misses, d3.symbolTriangle, ({ holds }) => !holds, colors.missed, 1);
    exact.attr("d", `M${slopes.sx(slopes.x.domain[0])},${slopes.sy(truth[1])}H${slopes.sx(slopes.x.domain[1])}`);

    const own = all.find((one) => one.now);
    const interval = (middle, half) => `${number(middle - half, 1)} to ${number(middle + half, 1)}`;
    if (now.spread === 0) figure.say("All patients have the same number of years, so nothing can be said about the slope.");
    else if (state.query !== null) {
      const { at: told, mean: few, one } = band(now, state.query);
      figure.say(`With ${state.count} patients, people with ${count(state.query, "year")} have ${count(Number(told.toFixed(1)), "point")} on average, ` +
        `give or take ${number(few, 1)} (inner band), and one of them has ${interval(told, one)} (outer band).`);
    } else {
      const held = all.filter(({ holds }) => holds).length;
      figure.say((own ? `The slope of this study is ${number(now.slope, 1)}, and its interval of ${interval(now.slope, own.half)} ` +
        `${own.holds ? "contains" : "misses"} the truth, ${number(truth[1])}. ` : "") +
        `Of ${all.length} interval${all.length === 1 ? "" : "s"} so far, ${held} contain${held === 1 ? "s" : ""} it` +
        `${all.length > most ? ` (the last ${most} are shown)` : ""}.`);
    }
  });
  figure.explain("Drag a patient, or choose one with Tab and move it with the arrow keys: half a year or one point at once, " +
    "with Shift two years or five points; where there are many, Page Up and Page Down go to the others. s repeats the " +
    "study with other people at the same years, t twenty times. Dashed: the truth. Triangles: the interval misses it.");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => {
      const now = study();
      return { ...structuredClone(state), fit: now, intervals: intervals(now),
        band: state.query === null || now.spread === 0 ? null : band(now, state.query) };
    },
  };
});
