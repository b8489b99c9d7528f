/* k-means under the hand: move people and centres, and take Lloyd's steps one by one. */
litlearn.figure("k_means", (figure, data) => {
  "use strict";
  const { number } = litlearn;
  const { classes, X, centres, labels, next } = data;
  // Labels are those of the last assignment; next: 0 assign, 1 update.
  const state = figure.state({ X, centres, labels, next });
  const groups = classes.map((_, c) => c);
  const square = (a, b) => (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2;
  // While the figure glides back to its start, labels are between two groups.
  const group = (i) => Math.round(state.labels[i]);

  /** The nearest centre, the first of equally near ones. */
  const nearest = (x) => (square(x, state.centres[1]) < square(x, state.centres[0]) ? 1 : 0);
  const assigned = () => state.X.map(nearest);

  /** The means of the groups; an empty one takes the person who is farthest from their centre. */
  function means() {
    const sums = groups.map(() => [0, 0, 0]);
    state.X.forEach((x, i) => {
      const own = sums[group(i)];
      [own[0], own[1], own[2]] = [own[0] + x[0], own[1] + x[1], own[2] + 1];
    });
    for (const c of groups.filter((c) => sums[c][2] === 0)) {
      const far = state.X.map((x, i) => square(x, state.centres[group(i)]));
      const i = far.indexOf(Math.max(...far));
      const [x, old] = [state.X[i], sums[group(i)]];
      [old[0], old[1], old[2]] = [old[0] - x[0], old[1] - x[1], old[2] - 1];
      sums[c] = [...x, 1];
    }
    return sums.map(([a, b, n], c) => (n ? [a / n, b / n] : state.centres[c]));
  }

  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const squares = () => groups.map((c) =>
    sum(state.X.map((x, i) => (group(i) === c ? square(x, state.centres[c]) : 0))));
  const changes = () => assigned().filter((c, i) => c !== group(i)).length;
  const moves = () => means().some((to, c) => square(to, state.centres[c]) > 1e-18);
  const resting = () => changes() === 0 && !moves();

  /** Take the next step at once. */
  function step() {
    if (state.next === 0) state.labels = assigned();
    else state.centres = means();
    state.next = 1 - state.next;
  }

  function press() {
    if (state.next === 0) return figure.change(step);
    const [from, to] = [state.centres, means()];
    state.next = 0;
    return figure.glide((t) => {
      state.centres = from.map((a, c) => (t < 1 ? a.map((v, i) => v + t * (to[c][i] - v)) : to[c]));
    });
  }

  const plot = figure.plot({ ...data.axes, equal: true });
  const threads = plot.marks.append("g");
  const cross = "M-8,-8L8,8M-8,8L8,-8";
  const handles = [...groups.map((c) => ({ kind: "centre", i: c })), ...X.map((_, i) => ({ kind: "person", i }))];
  const items = plot.handles(handles, {
    at: ({ kind, i }) => (kind === "centre" ? state.centres[i] : state.X[i]),
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

  figure.restart(state);
  figure.button("Next step", press);
  figure.key(["n", "N"], press);
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
    table(groups.map((c) => ({
      cells: [figure.badge(classes[c]), String(state.X.filter((_, i) => group(i) === c).length),
        `(${state.centres[c].map((v) => number(v)).join(", ")})`, number(found[c])],
    })));
    const count = changes();
    const who = count === 1 ? "one person changes sides" : `${count || "no"} people change sides`;
    const then = resting() ? "At rest: nobody changes sides, and no centre moves." :
      Math.round(state.next) === 0 ? `Next, everybody joins the nearer centre: ${who}.` :
        "Next, each centre moves to the mean of its group.";
    figure.say(`Inertia ${number(sum(found))}. ${then}`);
  });

  // The map depends on the centres alone.
  let mapped = "";
  figure.drawn(() => {
    const now = JSON.stringify([state.centres, plot.width]);
    const vote = (point) => {
      const winner = nearest(point);
      return { share: groups.map((c) => (c === winner ? 0.75 : 0.25)), winner };
    };
    if (now !== mapped) plot.regions(vote, classes, [...state.X, ...state.centres]);
    mapped = now;
  });

  figure.explain("Drag a person or a centre (cross), or choose one with Tab and move it with the arrow keys " +
    "(with Shift: four times as far). “Next step”, or the key N, assigns everybody or moves the centres, by turns.");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => ({ ...structuredClone(state), inertia: sum(squares()), resting: resting() }),
    step: () => figure.change(step),
  };
});
