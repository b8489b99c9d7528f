/* k-means under the hand: move people and centres, take Lloyd's steps one by one, and see how much lower
   the inertia could be. */
litlearn.figure("k_means", (figure, data) => {
  "use strict";
  const { number, count } = litlearn;
  const { X, centres, labels, next } = data;
  // Labels are those of the last assignment; next: 0 assign, 1 update.
  const state = figure.state({ X, centres, labels, next });
  const { classes } = data;
  const groups = () => [...state.centres.keys()];
  const square = (a, b) => (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2;
  // While the figure glides back to its start, labels are between two groups.
  const group = (i) => Math.round(state.labels[i]);

  /** The nearest centre, the first of equally near ones. */
  function nearest(x) {
    let best = 0;
    for (let c = 1; c < state.centres.length; c += 1)
      if (square(x, state.centres[c]) < square(x, state.centres[best])) best = c;
    return best;
  }
  const assigned = () => state.X.map(nearest);

  /** The means of the groups; an empty one takes the person who is farthest from their centre. */
  function means() {
    const sums = groups().map(() => [0, 0, 0]);
    state.X.forEach((x, i) => {
      const own = sums[group(i)];
      [own[0], own[1], own[2]] = [own[0] + x[0], own[1] + x[1], own[2] + 1];
    });
    for (const c of groups().filter((c) => sums[c][2] === 0)) {
      const far = state.X.map((x, i) => square(x, state.centres[group(i)]));
      const i = far.indexOf(Math.max(...far));
      const [x, old] = [state.X[i], sums[group(i)]];
      [old[0], old[1], old[2]] = [old[0] - x[0], old[1] - x[1], old[2] - 1];
      sums[c] = [...x, 1];
    }
    return sums.map(([a, b, n], c) => (n ? [a / n, b / n] : state.centres[c]));
  }

  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const squares = () => groups().map((c) =>
    sum(state.X.map((x, i) => (group(i) === c ? square(x, state.centres[c]) : 0))));
  const changes = () => assigned().filter((c, i) => c !== group(i)).length;
  const moves = () => means().some((to, c) => square(to, state.centres[c]) > 1e-18);
  const resting = () => changes() === 0 && !moves();

  /** All divisions of the people into groups, and the lowest inertia that one of them has; asked only
      at rest, and not of many. */
  let least = { of: "" };
  function lowest() {
    const of = JSON.stringify([state.X, state.centres.length]);
    if (least.of === of || state.X.length > 10) return least;
    least = { of, divisions: 0, inertia: Infinity };
    const place = (labels, used) => {
      if (labels.length === state.X.length) {
        if (used < state.centres.length) return;
        const parts = groups().map((c) => state.X.filter((_, i) => labels[i] === c));
        const spread = (part, axis) => {
          const mean = sum(part.map((x) => x[axis])) / part.length;
          return sum(part.map((x) => (x[axis] - mean) ** 2));
        };
        least.divisions += 1;
        least.inertia = Math.min(least.inertia, sum(parts.map((part) => spread(part, 0) + spread(part, 1))));
        return;
      }
      // A person joins a group that exists, or begins the next one.
      for (let c = 0; c <= Math.min(used, state.centres.length - 1); c += 1)
        place([...labels, c], Math.max(used, c + 1));
    };
    place([], 0);
    return least;
  }

  /** Take the next step at once. */
  function step() {
    if (state.next === 0) state.labels = assigned();
    else state.centres = means();
    state.next = 1 - state.next;
  }

  function press() {
    if (Math.round(state.next) === 0) return step();
    const [from, to] = [state.centres, means()];
    state.next = 0;
    return figure.glide((t) => {
      state.centres = from.map((a, c) => (t < 1 ? a.map((v, i) => v + t * (to[c][i] - v)) : to[c]));
    });
  }

  const plot = figure.plot({ ...data.axes, equal: true, verdict: true });
  const threads = plot.marks.append("g");
  const cross = "M-8,-8L8,8M-8,8L8,-8";
  const handles = [...classes.map((_, i) => ({ kind: "centre", i })), ...state.X.map((_, i) => ({ kind: "person", i }))];
  const items = plot.handles(handles, {
    at: ({ kind, i }) => (kind === "centre" ? state.centres[i] ?? data.spare : state.X[i]),
    shown: ({ kind, i }) => kind === "person" || i < state.centres.length,
    name: ({ kind, i }) => `${kind} ${i + 1}`,
    moved: ({ kind, i }, to) => {
      (kind === "centre" ? state.centres : state.X)[i] = to;
      state.next = 0;
    },
    label: ({ kind, i }) => (kind === "centre" ? `centre of ${classes[i].name}` : `person ${i + 1}`),
    look: (nodes) => {
      nodes.append("path").attr("class", "mark");
      nodes.filter(({ kind }) => kind === "person").append("text").attr("dx", 9).attr("dy", -6)
        .attr("font-size", 11).text(({ i }) => i + 1);
    },
  });
  items.filter(({ kind }) => kind === "centre").selectAll("g").insert("path", "path").attr("d", cross)
    .attr("fill", "none").attr("stroke", "#fff").attr("stroke-width", 7);
  items.filter(({ kind }) => kind === "centre").selectAll(".mark").attr("d", cross).attr("fill", "none")
    .style("stroke-width", "3.5px");

  figure.button({ name: "step", text: "Next step", keys: ["n", "N"], press, off: resting });
  figure.restart(state);
  figure.slider({
    name: "k",
    extra: true,
    label: "Number of centres <i>k</i>",
    min: 1,
    max: classes.length,
    get: () => state.centres.length,
    set: (k) => {
      state.centres = d3.range(k).map((c) => state.centres[c] ?? data.spare);
      state.labels = state.labels.map((c) => Math.min(c, k - 1));
      state.next = 0;
    },
  });
  const table = figure.table("The groups", ["group", "people", "centre", "squares"]);

  figure.drawn(() => {
    items.filter(({ kind }) => kind === "person").selectAll(".mark")
      .attr("fill", ({ i }) => classes[group(i)].color)
      .attr("d", ({ i }) => litlearn.symbol(classes[group(i)], 110));
    items.filter(({ kind }) => kind === "centre").selectAll(".mark")
      .style("stroke", ({ i }) => classes[i].color);
    threads.selectAll("line").data(state.X).join("line").attr("stroke", (_, i) => classes[group(i)].color)
      .attr("stroke-opacity", 0.6).attr("x1", (x) => plot.sx(x[0])).attr("y1", (x) => plot.sy(x[1]))
      .attr("x2", (_, i) => plot.sx(state.centres[group(i)][0]))
      .attr("y2", (_, i) => plot.sy(state.centres[group(i)][1]));
    const found = squares();
    table(groups().map((c) => ({
      cells: [figure.badge(classes[c]), String(state.X.filter((_, i) => group(i) === c).length),
        `(${state.centres[c].map((v) => number(v)).join(", ")})`, number(found[c])],
    })));
    const moving = changes();
    const who = moving === 1 ? "one person changes sides" : `${moving || "no"} people change sides`;
    const best = resting() && lowest();
    const then = best ? "At rest: nobody changes sides, and no centre moves." +
      (best.divisions ? ` The lowest inertia of all ${best.divisions} divisions into ${count(state.centres.length, "group")} is ` +
        `${number(best.inertia)}.` : "") :
      Math.round(state.next) === 0 ? `Next, everybody joins the nearest centre: ${who}.` :
        "Next, each centre moves to the mean of its group.";
    figure.say(`Inertia ${number(sum(found))}. ${then}`);
  });

  // The map depends on the centres alone.
  let mapped = "";
  figure.drawn(() => {
    const now = JSON.stringify([state.centres, plot.width]);
    const vote = (point) => {
      const winner = nearest(point);
      return { share: classes.map((_, c) => (c === winner ? 0.75 : 0.125)), winner };
    };
    if (now !== mapped) plot.regions(vote, classes, [...state.X, ...state.centres]);
    mapped = now;
  });

  figure.explain("Drag a person or a centre (cross), or choose one with Tab and move it with the arrow keys " +
    "(with Shift: four times as far). “Next step”, or the key n, assigns everybody or moves the centres, by turns.");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => ({ ...structuredClone(state), inertia: sum(squares()), resting: resting() }),
    step: () => figure.change(step),
  };
});
