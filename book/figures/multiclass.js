/* Three classes under the hand: move them, and see where one-vs-rest, one-vs-one and softmax differ, or
   what a single one of their classifiers says. */
litlearn.figure("multiclass", (figure, data) => {
  "use strict";
  const { number } = litlearn;
  const { classes, offsets, y } = data;
  // single: one of three classifiers, or -1 for all of them together.
  const state = figure.state({ centres: data.centres, query: data.query, strategy: data.strategy, single: -1 });
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const all = [0, 1, 2];
  const pairs = [[0, 1], [0, 2], [1, 2]];
  const score = ([b, u, v], [px, py]) => b + u * px + v * py;
  const patient = (i) => offsets[i].map((offset, axis) => state.centres[y[i]][axis] + offset);

  /** Probabilities from scores; the largest is subtracted first, so that nothing overflows. */
  function softmax(scores) {
    const top = Math.max(...scores);
    const e = scores.map((f) => Math.exp(f - top));
    return e.map((value) => value / sum(e));
  }

  /** Solve A z = b by elimination. */
  function solve(A, b) {
    const n = b.length;
    const M = A.map((row, i) => [...row, b[i]]);
    for (let c = 0; c < n; c += 1) {
      const best = d3.range(c, n).reduce((a, r) => (Math.abs(M[r][c]) > Math.abs(M[a][c]) ? r : a), c);
      [M[c], M[best]] = [M[best], M[c]];
      for (let r = 0; r < n; r += 1) {
        const factor = r === c ? 0 : M[r][c] / M[c][c];
        if (factor) for (let k = c; k <= n; k += 1) M[r][k] -= factor * M[c][k];
      }
    }
    return M.map((row, i) => row[n] / row[i]);
  }

  /** Softmax regression as LogisticRegression fits it: intercept and two coefficients for each
      class, by Newton's method, each step halved until the penalized log-loss falls. */
  function fit(points, labels, q, C) {
    const X = points.map(([a, b]) => [1, a - 5, b - 5]);
    const scores = (at, x) => d3.range(q).map((k) => sum(x.map((value, j) => value * at[3 * k + j])));
    // Only differences of intercepts count; a price on their sum makes them unique.
    const total = (at) => sum(d3.range(q).map((k) => at[3 * k]));
    const price = (at) => (sum(at.map((w, j) => (j % 3 ? w * w : 0))) / C + total(at) ** 2) / 2;
    const loss = (at) => price(at) - sum(X.map((x, i) => Math.log(softmax(scores(at, x))[labels[i]])));
    let at = Array(3 * q).fill(0);
    for (let step = 0; step < 60; step += 1) {
      const g = at.map((w, j) => (j % 3 ? w / C : total(at)));
      const H = at.map((_, i) => at.map((_, j) => (i % 3 === 0 && j % 3 === 0 ? 1 : i === j ? 1 / C : 0)));
      X.forEach((x, i) => {
        const P = softmax(scores(at, x));
        for (let r = 0; r < 3 * q; r += 1) {
          const k = Math.floor(r / 3);
          g[r] += (P[k] - (labels[i] === k)) * x[r % 3];
          for (let s = 0; s < 3 * q; s += 1) {
            const l = Math.floor(s / 3);
            H[r][s] += P[k] * ((k === l) - P[l]) * x[r % 3] * x[s % 3];
          }
        }
      });
      if (Math.hypot(...g) < 1e-12) break;
      const way = solve(H, g);
      let length = 1;
      const next = () => at.map((value, j) => value - length * way[j]);
      while (length > 1e-9 && !(loss(next()) <= loss(at))) length /= 2;
      at = next();
    }
    return d3.range(q).map((k) => {
      const [b, u, v] = at.slice(3 * k);
      return [b - 5 * u - 5 * v, u, v];
    });
  }

  /** Logistic regression of two classes: softmax with half of C, and the difference of its scores. */
  function binary(points, labels) {
    const [first, second] = fit(points, labels, 2, 0.5);
    return second.map((value, j) => value - first[j]);
  }

  let fits;
  function refit() {
    const points = y.map((_, i) => patient(i));
    const of = (i, j) => [...y.keys()].filter((n) => y[n] === i || y[n] === j);
    fits = {
      rest: all.map((k) => binary(points, y.map((c) => Number(c === k)))),
      pair: pairs.map(([i, j]) => binary(of(i, j).map((n) => points[n]), of(i, j).map((n) => Number(y[n] === j)))),
      softmax: fit(points, y, 3, 1),
    };
  }

  /** What each strategy says of a place: numbers for the classes, shares for the tint, the winner. */
  const strategies = {
    rest(point) {
      const told = fits.rest.map((f) => score(f, point));
      const claims = told.filter((s) => s > 0).length;
      return { told, claims, share: told.map((s) => (claims ? (s > 0) / claims : 1 / 3)) };
    },
    pair(point) {
      const votes = [0, 0, 0];
      const sums = [0, 0, 0];
      pairs.forEach(([i, j], p) => {
        const s = score(fits.pair[p], point);
        votes[s > 0 ? j : i] += 1;
        sums[i] -= s;
        sums[j] += s;
      });
      const told = votes.map((v, k) => v + sums[k] / (3 * (Math.abs(sums[k]) + 1)));
      return { told, votes, share: votes.map((v) => v / 3) };
    },
    softmax(point) {
      const told = softmax(fits.softmax.map((f) => score(f, point)));
      return { told, share: told };
    },
  };
  const titles = { rest: "one-vs-rest", pair: "one-vs-one", softmax: "softmax" };

  function vote(strategy, point) {
    const found = strategies[strategy](point);
    return { ...found, winner: found.told.indexOf(Math.max(...found.told)) };
  }

  /** What the map shows at a place: the strategy's vote, or the side on which one classifier puts it. */
  const sides = [...classes, { name: "the rest", color: "#8a8a8a" }];
  const together = () => state.single < 0 || state.strategy === "softmax";
  function shown(point) {
    if (together()) return vote(state.strategy, point);
    const k = state.single;
    const positive = score(fits[state.strategy][k], point) > 0;
    const [no, yes] = state.strategy === "rest" ? [3, k] : pairs[k];
    const winner = positive ? yes : no;
    return { winner, share: sides.map((_, c) => (c === winner ? 0.7 : 0.1)) };
  }

  const { x, y: up } = data.axes;
  const place = (k) => (k < 0 ? state.query : state.centres[k]);
  const plot = figure.plot({ x, y: up, equal: true, verdict: true });
  const lines = plot.marks.append("g");
  const arms = plot.marks.append("g");
  const dots = plot.marks.append("g");
  plot.handles([-1, ...all], {
    at: place,
    moved: (k, to) => place(k).splice(0, 2, ...to),
    name: (k) => (k < 0 ? "new patient" : `centre ${k + 1}`),
    label: (k) => (k < 0 ? "new patient" : classes[k].name),
    look: (marks) => marks.each(function (k) {
      const node = d3.select(this);
      if (k < 0) node.append("path").attr("class", "query").attr("d", d3.symbol(d3.symbolStar, 190));
      else node.call(litlearn.mark, classes[k], 130);
    }),
  });
  figure.choice({
    name: "strategy",
    label: "The map shows",
    options: Object.entries(titles).map(([value, text]) => ({ value, text })),
    get: () => state.strategy,
    set: (strategy) => (state.strategy = strategy),
  });
  const single = (k) => () => (state.strategy === "pair" ? pairs[k].map((c) => classes[c].name).join(" or ")
    : `${classes[k].name} or not`);
  figure.choice({
    name: "single",
    label: "by",
    options: [{ value: -1, text: "all three classifiers" }, ...all.map((value) => ({ value, text: single(value) }))],
    get: () => state.single,
    set: (k) => (state.single = k),
    off: () => state.strategy === "softmax",
  });
  figure.restart(state);
  const table = figure.table("The new patient",
    ["class", "score against the rest", "votes of the pairs", "probability by softmax"]);

  /** Both ends of the line where a score is zero, outside the picture. */
  function line([b, u, v]) {
    const length = Math.hypot(u, v);
    const [px, py] = [(-b * u) / length ** 2, (-b * v) / length ** 2];
    const end = (t) => `${plot.sx(px - (t * v) / length)},${plot.sy(py + (t * u) / length)}`;
    return length > 1e-9 ? `M${end(-40)}L${end(40)}` : null;
  }

  const quoted = ({ winner }) => `“${classes[winner].name}”`;
  const tell = {
    rest(told) {
      const claims = ["no classifier claims the patient, and the least negative score wins", "one classifier claims the patient",
        "two classifiers claim the patient, and the larger score wins", "all three claim the patient"][told.claims];
      return `One-vs-rest says ${quoted(told)}, because ${claims}.`;
    },
    pair(told) {
      const tied = Math.max(...told.votes) === 1;
      return `One-vs-one says ${quoted(told)}, ` +
        `${tied ? "where every class has one vote, and the sums of the scores decide" : "by two votes of three"}.`;
    },
    softmax: (told) => `Softmax says ${quoted(told)}, with a probability of ${number(told.told[told.winner])}.`,
  };

  /** Where a place is about one classifier, or about one strategy, the sentence is, too. */
  function sentence(found) {
    const { strategy, single } = state;
    if (!together()) {
      const s = score(fits[strategy][single], state.query);
      const [no, yes] = strategy === "rest" ? ["the rest", classes[single].name] : pairs[single].map((c) => classes[c].name);
      return strategy === "rest"
        ? `The score of “${yes}” against the rest is ${number(s)}, so that this classifier ${s > 0 ? "claims" : "does not claim"} the new patient.`
        : `Between ${no} and ${yes} the score is ${number(s)}, so that the vote of this pair goes to ${s > 0 ? yes : no}.`;
    }
    if (!figure.wants("strategy")) {
      const values = strategy === "pair" ? found.pair.votes : found[strategy].told.map((value) => number(value));
      const what = { rest: "scores", pair: "votes", softmax: "probabilities" }[strategy];
      const names = litlearn.list(classes.map((c) => c.name));
      return `${names[0].toUpperCase()}${names.slice(1)} have the ${what} ${litlearn.list(values)}. ${tell[strategy](found[strategy])}`;
    }
    const different = new Set(Object.values(found).map(({ winner }) => winner)).size;
    return Object.keys(tell).map((name) => tell[name](found[name])).join(" ") +
      (different === 3 ? " All three answers are different." : "");
  }

  let mapped = "";
  figure.drawn(() => {
    refit();
    const patients = y.map((_, i) => patient(i));
    const of = (i) => classes[y[i]];
    arms.selectAll("line").data(patients).join("line").attr("stroke", (_, i) => of(i).color)
      .attr("x1", (p) => plot.sx(p[0])).attr("y1", (p) => plot.sy(p[1]))
      .attr("x2", (_, i) => plot.sx(state.centres[y[i]][0])).attr("y2", (_, i) => plot.sy(state.centres[y[i]][1]));
    dots.selectAll("path").data(patients).join("path").attr("class", "mark").attr("fill", (_, i) => of(i).color)
      .attr("d", (_, i) => litlearn.symbol(of(i), 40))
      .attr("transform", (p) => `translate(${plot.sx(p[0])},${plot.sy(p[1])})`);
    const zero = state.strategy === "softmax" ? [] : fits[state.strategy];
    lines.selectAll("path").data(zero.filter((_, k) => state.single < 0 || state.single === k)).join("path")
      .attr("class", "before").attr("d", line);
    const now = JSON.stringify([state.centres, state.strategy, state.single, plot.width]);
    if (now !== mapped) plot.regions(shown, together() ? classes : sides, [...patients, ...state.centres]);
    mapped = now;
    const [rest, pair, soft] = ["rest", "pair", "softmax"].map((strategy) => vote(strategy, state.query));
    table(all.map((k) => ({
      cells: [figure.badge(classes[k]), number(rest.told[k]), pair.votes[k], number(soft.told[k])],
    })));
    figure.say(sentence({ rest, pair, softmax: soft }));
  });

  figure.explain("Drag a class or the star, or choose one with Tab and use the arrow keys (with Shift: two words at " +
    "once). Dashed: where a single classifier changes its answer.");

  return {
    set: (next) => figure.change(() => Object.assign(state, structuredClone(next))),
    get: () => ({ ...structuredClone(state), fits: structuredClone(fits) }),
    vote,
    shown,
  };
});
