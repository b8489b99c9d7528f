/* Two methods on the same women: the differences of their errors on some or all of the test parts, and
   who is behind them. */
litlearn.figure("comparison", (figure, data) => {
  "use strict";
  const { number } = litlearn;
  const { names, sizes, errors, wrong, factors, colors } = data;
  // tests: how many intervals are to hold together.
  const state = figure.state({ first: data.first, second: data.second, parts: sizes.length, tests: 1 });
  const women = [...wrong[0]].map((_, i) => i);

  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const pairs = d3.range(25).map((k) => [Math.floor(k / 5), k % 5]);

  /** Differences in percentage points, their mean, and half of the corrected interval. */
  function compare() {
    const d = d3.range(state.parts).map((j) => (100 * (errors[state.first][j] - errors[state.second][j])) / sizes[j]);
    const mean = sum(d) / d.length;
    const half = factors[state.tests][d.length] * Math.sqrt(sum(d.map((value) => (value - mean) ** 2)) / (d.length - 1));
    const counts = Array(25).fill(0);
    for (const i of women) counts[5 * Number(wrong[state.first][i]) + Number(wrong[state.second][i])] += 1;
    return { d, mean, half, counts };
  }

  const left = figure.plot({ x: data.axes.points, y: data.axes.parts, title: "test parts", width: 380, height: 360 });
  const zero = left.marks.append("path").attr("class", "before");
  const interval = left.marks.append("path").attr("stroke", colors.mean).attr("stroke-width", 3).attr("class", "verdict");
  const ahead = left.marks.append("g");
  const middle = left.marks.append("circle").attr("r", 6).attr("fill", colors.mean).attr("class", "verdict");
  const dots = left.marks.append("g");
  const right = figure.plot({ x: data.axes.first, y: data.axes.second, name: "women", title: "women", equal: true, width: 340 });
  const grid = right.marks.append("path").attr("class", "before");
  const crowd = right.marks.append("g").attr("class", "verdict");
  const options = names.map((text, value) => ({ value, text }));
  figure.restart(state);
  figure.select({ name: "first", label: "first method", options, get: () => state.first, set: (m) => (state.first = m) });
  figure.select({ name: "second", label: "second method", options, get: () => state.second, set: (m) => (state.second = m) });
  figure.slider({
    name: "parts",
    label: "test parts",
    min: 2,
    max: sizes.length,
    get: () => state.parts,
    set: (parts) => (state.parts = parts),
  });
  figure.choice({
    name: "tests",
    label: "Tests counted",
    options: Object.keys(factors).map((key) => ({ value: Number(key), text: key })),
    get: () => state.tests,
    set: (tests) => (state.tests = tests),
  });
  const table = figure.table("About how many women were they wrong at least twice?", ["who", "women"]);

  figure.drawn(() => {
    const { d, mean, half, counts } = compare();
    const [one, other] = [names[state.first], names[state.second]];
    left.name("x", `errors of ${one} minus ${other} (points)`);
    right.name("x", `how often ${one} was wrong`);
    right.name("y", `how often ${other} was wrong`);
    left.svg.attr("aria-label", `test parts: errors of ${one} minus ${other}`);
    right.svg.attr("aria-label", `women: how often ${other} was wrong against how often ${one} was wrong`);
    const [low, high] = left.y.domain;
    const up = high - 1.2;
    zero.attr("d", `M${left.sx(0)},${left.sy(low)}V${left.sy(high)}`);
    interval.attr("d", `M${left.sx(mean - half)},${left.sy(up)}H${left.sx(mean + half)}`);
    middle.attr("cx", left.sx(mean)).attr("cy", left.sy(up));
    const sides = [[low, "start", one], [high, "end", other]];
    ahead.selectAll("text").data(state.first === state.second ? [] : sides).join("text").attr("class", "beside")
      .attr("x", (_, i) => left.sx(left.x.domain[i]) + (i ? -4 : 4)).attr("y", left.sy(low) - 6)
      .attr("text-anchor", ([, side]) => side).style("text-anchor", ([, side]) => side).text(([, , name]) => `${name} better`);
    dots.selectAll("circle").data(d3.range(state.parts)).join("circle").attr("r", 4).attr("fill", colors.part)
      .attr("cx", (j) => left.sx(d[j])).attr("cy", (j) => left.sy(j + 1));

    // In each cell the women stand in rows of at most 24.
    const line = d3.range(0, 6).map((k) => k - 0.5);
    grid.attr("d", line.map((k) => `M${right.sx(k)},${right.sy(-0.5)}V${right.sy(4.5)}M${right.sx(-0.5)},${right.sy(k)}H${right.sx(4.5)}`).join(""));
    const filled = new Map();
    const at = women.map((i) => {
      const [a, b] = [Number(wrong[state.first][i]), Number(wrong[state.second][i])];
      const place = filled.get(5 * a + b) ?? 0;
      filled.set(5 * a + b, place + 1);
      const side = counts[5 * a + b] > 64 ? 24 : 8;
      return [a - 0.44 + (0.88 * ((place % side) + 0.5)) / side, b - 0.44 + (0.88 * (Math.floor(place / side) + 0.5)) / side, side];
    });
    const size = right.sx(1) - right.sx(0);
    crowd.selectAll("circle").data(at).join("circle").attr("fill", colors.part)
      .attr("r", ([, , side]) => (side > 8 ? size / 80 : size / 24))
      .attr("cx", ([a]) => right.sx(a)).attr("cy", ([, b]) => right.sy(b));

    const over = (pick) => sum(pairs.map(([a, b], k) => (pick(a > 1, b > 1) ? counts[k] : 0)));
    const both = over((a, b) => a && b);
    table([
      { cells: ["both", both] },
      { cells: [`only ${one}`, over((a, b) => a && !b)] },
      { cells: [`only ${other}`, over((a, b) => !a && b)] },
    ]);
    const counted = state.tests > 1 ? ` for ${state.tests} tests` : "";
    const range = `95 % interval${counted} from ${number(mean - half)} to ${number(mean + half)}`;
    figure.say(state.first === state.second
      ? "Choose two different methods."
      : `On ${state.parts} test parts the first (${one}) makes ${number(Math.abs(mean))} percentage points ` +
        `${mean < 0 ? "fewer" : "more"} errors than the second (${other}), ${range}: ` +
        (Math.abs(mean) > half ? "zero is outside." : "zero is inside, and which is better remains open."));
  });

  figure.explain("Choose two methods with the lists, how many of the test parts count with the slider, and whether the interval is to hold " +
    "alone or together with eleven others. First plot: one dot for each test part, and above them the mean with its " +
    "interval; dots left of zero are parts where the first method was better.");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => ({ ...structuredClone(state), ...compare() }),
  };
});
