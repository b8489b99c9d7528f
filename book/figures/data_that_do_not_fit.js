/* Six patients and two hospitals: each patient goes to the nearer one, each hospital sends the sums of its
   patients, and the line computed from both postcards is that of all patients. Or the medians, which are no sums. */
litlearn.figure("data_that_do_not_fit", (figure, data) => {
  "use strict";
  const { number, count } = litlearn;
  const { hospitals, ink } = data;
  const state = figure.state({ x: data.x, y: data.y, home: data.home, statistic: data.statistic });
  const patients = [...data.x.keys()];
  const sum = (values) => values.reduce((a, b) => a + b, 0);

  /** The hospital of patient i: 0 for A, 1 for B. */
  const hospital = (i) => Number(state.home[i] > data.border);
  const of = (h) => patients.filter((i) => hospital(i) === h);

  /** What a hospital writes on its postcard. */
  function postcard(some) {
    const [x, y] = [state.x, state.y].map((values) => some.map((i) => values[i]));
    return [some.length, sum(x), sum(y), sum(x.map((v) => v * v)), sum(x.map((v, i) => v * y[i]))];
  }

  /** The line from a postcard, or null where it determines none. */
  function line([n, x, y, xx, xy]) {
    const spread = n * xx - x * x;
    if (n < 2 || spread < 1e-9) return null;
    const slope = (n * xy - x * y) / spread;
    return { slope, intercept: (y - slope * x) / n };
  }

  function median(some) {
    if (some.length === 0) return null;
    const sorted = some.map((i) => state.y[i]).sort((a, b) => a - b);
    const [low, high] = [Math.floor((sorted.length - 1) / 2), Math.ceil((sorted.length - 1) / 2)];
    return (sorted[low] + sorted[high]) / 2;
  }

  /** Postcards of A, of B and of both, added up; what each of them says; and the medians. */
  function all() {
    const cards = [0, 1].map((h) => postcard(of(h)));
    cards.push(cards[0].map((value, j) => value + cards[1][j]));
    return { cards, lines: cards.map(line), medians: [of(0), of(1), patients].map(median) };
  }

  const plot = figure.plot({ x: data.axes.x, y: data.axes.y, title: "patients", height: 320 });
  const own = [0, 1].map((h) => plot.marks.append("path").attr("class", "line").attr("stroke", hospitals[h].color));
  const both = plot.marks.append("path").attr("class", "line verdict").attr("stroke", ink).style("stroke-width", "3.4px");
  const named = plot.notes.append("g").attr("class", "verdict");
  /** A patient's number in the marker of the hospital. */
  const look = (nodes) => {
    nodes.append("path").attr("class", "mark");
    nodes.append("text").attr("x", 10).attr("y", -7).text((i) => i + 1);
  };
  const marked = (nodes) => nodes.select(".mark").attr("fill", (i) => hospitals[hospital(i)].color)
    .attr("d", (i) => d3.symbol(hospital(i) ? d3.symbolTriangle : d3.symbolCircle, 110)());
  const where = (i) => `hospital ${hospitals[hospital(i)].name}`;
  const people = plot.handles(patients, {
    at: (i) => [state.x[i], state.y[i]],
    moved: (i, to) => ([state.x[i], state.y[i]] = to),
    name: (i) => `patient ${i + 1}`,
    label: (i) => `patient ${i + 1}`,
    look,
  });
  const road = figure.plot({ x: data.axes.road, y: data.axes.order, name: "road", title: "where they live", height: 320, width: 330 });
  const border = road.marks.append("path").attr("class", "before");
  const homes = road.handles(patients, {
    at: (i) => [state.home[i], i + 1],
    moved: (i, to) => (state.home[i] = to[0]),
    name: (i) => `home ${i + 1}`,
    label: (i) => `home of patient ${i + 1}`,
    text: (i) => `${count(state.home[i], "kilometre")} from hospital A, ${where(i)}`,
    look,
  });

  figure.choice({
    name: "statistic",
    label: "Asked for",
    options: [{ value: "line", text: "line" }, { value: "median", text: "median score" }],
    get: () => state.statistic,
    set: (statistic) => (state.statistic = statistic),
  });
  figure.restart(state);
  const table = figure.table("Postcards", ["sum", "A", "B", "both"]);

  const rate = ({ slope }) => `${slope < 0 ? "falls" : "rises"} by ${count(Number(Math.abs(slope).toFixed(2)), "point")} a year`;

  figure.drawn(() => {
    const { cards, lines, medians } = all();
    const asked = state.statistic === "line";
    marked(people);
    marked(homes);
    const [low, high] = plot.x.domain;
    /** A line over some years, or a median at its level. */
    const path = (which, from, to) => {
      const found = asked ? lines[which] : { slope: 0, intercept: medians[which] };
      if (found === null || found.intercept === null) return null;
      return d3.line()([from, to].map((at) => [plot.sx(at), plot.sy(found.intercept + found.slope * at)]));
    };
    const ends = (h) => {
      const years = of(h).map((i) => state.x[i]);
      return [Math.max(low, Math.min(...years) - 0.6), Math.min(high, Math.max(...years) + 0.6)];
    };
    own.forEach((one, h) => one.attr("d", of(h).length ? path(h, ...ends(h)) : null)
      .style("stroke-dasharray", asked ? null : "6 4"));
    both.attr("d", path(2, low, high)).style("stroke-dasharray", asked ? null : "6 4");
    const last = asked ? lines[2] : { slope: 0, intercept: medians[2] };
    const side = 5.8;
    named.selectAll("text").data(last ? ["both"] : []).join("text").text((d) => d).attr("text-anchor", "middle")
      .attr("x", plot.sx(side)).attr("y", plot.sy(last ? last.intercept + last.slope * side : 0) - 12);
    border.attr("d", `M${road.sx(data.border)},${road.sy.range()[0]}V${road.sy.range()[1]}`);
    const middle = (h) => (road.x.domain[h] + data.border) / 2;
    road.notes.selectAll("text").data([0, 1]).join("text").attr("class", "beside").style("fill", (h) => hospitals[h].color)
      .attr("x", (h) => road.sx(middle(h))).attr("y", road.sy.range()[1] + 14).text((h) => `hospital ${hospitals[h].name}`);

    const sums = ["n", "Σx", "Σy", "Σx²", "Σxy"];
    table([
      ...sums.map((name, j) => ({ cells: [name, ...cards.map((card) => number(card[j]))] })),
      { cells: ["slope", ...lines.map((one) => (one ? number(one.slope) : "none"))] },
    ]);

    const parts = [0, 1].map((h) => {
      const some = of(h);
      const name = `hospital ${hospitals[h].name}`;
      if (some.length === 0) return `${name} has no patient`;
      if (!asked) return `the median of ${name} is ${count(medians[h], "point")}`;
      if (some.length === 1) {
        const [i] = some;
        return `${name} has one patient, and its postcard shows her ${count(state.x[i], "year")} and ${count(state.y[i], "point")}`;
      }
      return lines[h] ? `in ${name} the score ${rate(lines[h])}` : `${name} has no line, because its patients have equal years`;
    });
    const told = `${parts[0][0].toUpperCase()}${parts[0].slice(1)}, and ${parts[1]}.`;
    figure.say(asked ? `${told} ${lines[2] ? `From both postcards together, it ${rate(lines[2])}.` : "All patients have equal years, and there is no line."}`
      : `${told} The median of all six is ${count(medians[2], "point")}, which the two do not determine.`);
  });
  figure.explain("Drag a patient, or choose one with Tab and move it with the arrow keys: half a year or one point at once, " +
    "with Shift two years or five points; a home by half a kilometre or two. Patients go to the nearer hospital. " +
    "Circles belong to hospital A, triangles to hospital B.");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => ({ ...structuredClone(state), ...all(), hospital: patients.map(hospital) }),
  };
});
