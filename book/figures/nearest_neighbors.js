/* Nearest neighbours under the hand: move the new patient or a former one, and see who votes. */
litlearn.figure("nearest_neighbors", (figure, data) => {
  "use strict";
  const { number, list } = litlearn;
  const { classes, y } = data;
  const [first, second] = data.features;
  const state = figure.state({
    X: data.X, query: data.query, k: data.k, weights: "uniform", tenths: false,
  });

  /** The `count` patients nearest to a point, and how far they are. */
  function nearest([a, b], count) {
    const ids = [];
    const distance = [];
    const unit = state.tenths ? 100 : 1; // of delayed recall, squared
    for (let i = 0; i < y.length; i += 1) {
      const d = Math.sqrt((state.X[i][0] - a) ** 2 + unit * (state.X[i][1] - b) ** 2);
      let s = Math.min(ids.length, count - 1);
      if (ids.length === count && !(d < distance[s])) continue;
      // Of patients at the same distance, the one first in the table stays first.
      for (; s > 0 && d < distance[s - 1]; s -= 1) {
        ids[s] = ids[s - 1];
        distance[s] = distance[s - 1];
      }
      ids[s] = i;
      distance[s] = d;
    }
    return { ids, distance };
  }

  /** The vote at a point, as KNeighborsClassifier takes it. */
  function vote(point) {
    const { ids, distance } = nearest(point, state.k);
    const votes = classes.map(() => 0);
    const weights = [];
    let total = 0;
    for (let s = 0; s < ids.length; s += 1) {
      const even = state.weights === "uniform" || distance[s] === distance[0];
      weights[s] = even ? 1 : distance[0] / distance[s];
      votes[y[ids[s]]] += weights[s];
      total += weights[s];
    }
    // Of classes with equally many votes, the first one wins.
    const winner = votes.indexOf(Math.max(...votes));
    for (let s = 0; s < weights.length; s += 1) weights[s] /= total;
    return { neighbors: ids, distance, weights, share: votes.map((v) => v / total), winner };
  }

  const plot = figure.plot({ x: first, y: second, equal: true, verdict: true });
  const ring = plot.marks.append("ellipse").attr("class", "ring verdict");
  const lines = plot.marks.append("g").attr("class", "verdict");
  const points = plot.patients(state, y, classes);

  const ballot = figure.answers.append("div").attr("class", "litlearn-shares verdict").attr("aria-hidden", "true");
  figure.slider({
    name: "k",
    label: "Number of neighbours <i>k</i>",
    min: 1,
    max: y.length,
    get: () => state.k,
    set: (k) => (state.k = k),
  });
  figure.choice({
    name: "weights",
    label: "Votes",
    options: [
      { value: "uniform", text: "one patient, one vote" },
      { value: "distance", text: "nearer patients count more" },
    ],
    get: () => state.weights,
    set: (weights) => (state.weights = weights),
  });
  figure.choice({
    name: "units",
    extra: true,
    label: "Delayed recall is counted in",
    options: [{ value: false, text: "words" }, { value: true, text: "tenths of a word" }],
    get: () => state.tenths,
    set: (tenths) => (state.tenths = tenths),
  });
  const table = figure.table("Former patients, the nearest first (bold: they vote)", ["patient", "outcome", "distance", "weight"], 2);

  /** Where the order of the table, or of the classes, decides: say it. */
  function ties(all, { share, winner }) {
    const tied = all.ids.filter((_, s) => all.distance[s] === all.distance[state.k - 1]);
    const said = [];
    if (all.distance[state.k] === all.distance[state.k - 1])
      said.push(`Patients ${list(tied.map((i) => i + 1))} are equally far: the first in the table votes first.`);
    if (share.filter((s) => s === share[winner]).length > 1)
      said.push(`The vote is tied, and then the first class wins, “${classes[winner].name}”.`);
    return said;
  }

  figure.drawn(() => {
    const all = nearest(state.query, y.length);
    const found = vote(state.query);
    const { neighbors, weights, distance, share, winner } = found;
    const weight = (i) => (neighbors.includes(i) ? weights[neighbors.indexOf(i)] : 0);
    const color = (i) => classes[y[i]].color;
    const [u, v] = [plot.sx(state.query[0]), plot.sy(state.query[1])];
    const reach = plot.sx(distance[state.k - 1]) - plot.sx(0);
    ring.attr("cx", u).attr("cy", v).attr("rx", reach).attr("ry", reach / (state.tenths ? 10 : 1));
    lines.selectAll("line").data(neighbors).join("line").attr("x1", u).attr("y1", v)
      .attr("x2", (i) => plot.sx(state.X[i][0])).attr("y2", (i) => plot.sy(state.X[i][1]))
      .attr("stroke", color).attr("stroke-width", (i) => 1 + 7 * weight(i));
    points.classed("idle", (i) => i >= 0 && !neighbors.includes(i));

    const seats = [...neighbors].sort((i, j) => y[i] - y[j]);
    ballot.selectAll("div").data(seats).join("div").style("width", (i) => `${100 * weight(i)}%`)
      .style("background", color).text((i) => (weight(i) > 0.08 ? i + 1 : ""));
    table(all.ids.map((i, s) => ({
      kind: s < state.k ? "in" : "out",
      cells: [i + 1, figure.badge(classes[y[i]]), number(all.distance[s]), number(weight(i))],
    })));
    const many = state.k > 1;
    const last = share.length - 1;
    figure.say([
      `${many ? "Patients" : "Patient"} ${list(neighbors.map((i) => i + 1))} ${many ? "vote" : "votes"}.`,
      `The share of the vote for “${classes[last].name}” is ${number(share[last])}, ` +
        `and the prediction is “${classes[winner].name}”.`,
      ...ties(all, found),
    ].join(" "));
  });

  // The map does not depend on the new patient.
  let mapped = "";
  figure.drawn(() => {
    const now = JSON.stringify([state.X, state.k, state.weights, state.tenths, plot.width]);
    if (now !== mapped) plot.regions(vote, classes, state.X);
    mapped = now;
  });

  figure.restart(state);
  figure.key(["+", "="], () => (state.k = Math.min(y.length, state.k + 1)), "k");
  figure.key(["-"], () => (state.k = Math.max(1, state.k - 1)), "k");
  figure.key(["w"], () => (state.weights = state.weights === "uniform" ? "distance" : "uniform"), "weights");
  figure.explain("Drag the star or any patient, or choose one with Tab and move it with the arrow keys " +
    "(with Shift: four words at once). The keys + and − change k, w the weights.");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => ({ ...structuredClone(state), vote: vote(state.query) }),
    vote,
  };
});
