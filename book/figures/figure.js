/* What all figures to play with share: axes, a map of regions, handles for mouse, touch and keys,
   sliders and choices, a table, and the sentence that is shown and spoken.

   A figure is one short file beside this one. It calls

       litlearn.figure("name", (figure, data) => { ...; return { get, set }; });

   and is drawn wherever a page shows the picture figures/name.svg; `data` is what the function
   of that name in book/_ext/figure_data.py returns, and `get` and `set` give tests its state.
   Everything moves in the units of the data. Needs D3 (book/vendor/d3).

   A page can set the same figure in several places ({play}): each has a state of its own, only the
   controls, points and further plots that it names, and may keep what has the class "verdict" until
   the reader has answered a question ({predict}). */
(function () {
  "use strict";
  const drawings = new Map();
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  // matplotlib's "o", "^", "s" and "D", in the order of litlearn.plotting.MARKERS.
  const symbols = [d3.symbolCircle, d3.symbolTriangle, d3.symbolSquare, d3.symbolDiamond];
  let used = 0; // numbers that ids were made with

  /** "#0072B2" as three numbers. */
  function rgb(color) {
    return [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
  }

  /** At most `digits` decimals, and none that say nothing: 5, 0.33, −1.2. */
  function number(value, digits = 2) {
    const text = String(Number(value.toFixed(digits)));
    return (text === "-0" ? "0" : text).replace("-", "−");
  }

  /** "1", "1 and 2", "1, 2 and 3". */
  function list(items) {
    const head = items.slice(0, -1).join(", ");
    return head ? `${head} and ${items[items.length - 1]}` : String(items[0]);
  }

  /** "1 word", "2 words", "0.5 words". */
  function count(value, word) {
    return `${number(value)} ${word}${value === 1 ? "" : "s"}`;
  }

  /** Numbers of a range that lie a step apart are as short as the step: 0.1 * 3 is 0.3. */
  function snap(value, { step, domain, limits = domain }) {
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const inside = Math.min(limits[1], Math.max(limits[0], value));
    return Number((Math.round(inside / step) * step).toFixed(digits));
  }

  /** Random numbers from 0 to 1, the same for the same seed (mulberry32). */
  function random(seed) {
    let a = (seed * 2654435761) >>> 0;
    return () => {
      a = (a + 0x6d2b79f5) >>> 0;
      let t = Math.imul(a ^ (a >>> 15), a | 1);
      t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
  }

  /** A random number with a normal distribution. */
  const normal = () => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());

  /** The picture: axes, and layers for the map, the marks and the handles. Where the map tells the
      answer (`verdict`), it is not shown before the reader's own. */
  class Plot {
    constructor(figure, box, { x, y, equal = false, width = 440, height = 330, left = 46, title = "", verdict = false }) {
      Object.assign(this, { figure, box, x, y, equal, left, title, widest: width, flat: height });
      this.canvas = this.box.append("canvas").attr("aria-hidden", "true");
      this.svg = this.box.append("svg").attr("class", "litlearn-plot");
      const what = `${y.label} against ${x.label}`;
      this.svg.attr("role", "group").attr("aria-label", title ? `${title}: ${what}` : what);
      const clip = `litlearn-clip-${(used += 1)}`;
      this.window = this.svg.append("clipPath").attr("id", clip).append("rect");
      const layer = (name) => this.svg.append("g").attr("class", name);
      this.axes = layer("axes").attr("aria-hidden", "true");
      this.map = layer("map").attr("clip-path", `url(#${clip})`).attr("aria-hidden", "true");
      this.marks = layer("marks").attr("clip-path", `url(#${clip})`).attr("aria-hidden", "true");
      this.notes = layer("notes").attr("aria-hidden", "true"); // may leave the window
      this.front = layer("front");
      for (const part of [this.canvas, this.map]) part.classed("verdict", verdict);
      [this.sx, this.sy] = [d3.scaleLinear(), d3.scaleLinear()];
      this.resize();
      new ResizeObserver(() => this.resize() && figure.draw()).observe(this.box.node());
    }

    /** Fit the axes to the width of the page; tell whether anything changed. */
    resize() {
      const room = Math.floor(this.box.node().clientWidth) || this.width; // none while it is hidden
      const width = Math.min(this.widest, room || this.widest);
      if (width === this.width) return false;
      this.width = width;
      this.scale();
      return true;
    }

    /** Draw the axes, after a change of their range or of their labels. */
    scale() {
      const { width } = this;
      const [left, right, top, bottom] = [this.left, 6, this.title ? 26 : 6, 40];
      const span = (axis) => axis.domain[1] - axis.domain[0];
      const inner = width - left - right;
      const tall = this.equal ? (inner * span(this.y)) / span(this.x) : this.flat - top - bottom;
      this.height = Math.round(tall) + top + bottom;
      this.sx.domain(this.x.domain).range([left, width - right]);
      this.sy.domain(this.y.domain).range([this.height - bottom, top]);
      this.svg.attr("viewBox", `0 0 ${width} ${this.height}`);
      this.svg.attr("width", width).attr("height", this.height);
      this.window.attr("x", left).attr("y", top).attr("width", inner);
      this.window.attr("height", this.height - top - bottom);
      const few = Math.max(3, Math.round(inner / 70));
      this.axes.selectAll("*").remove();
      const axis = (scale, side, move) =>
        this.axes.append("g").attr("transform", move).call(side(scale).ticks(few).tickSizeOuter(0));
      axis(this.sx, d3.axisBottom, `translate(0,${this.height - bottom})`);
      axis(this.sy, d3.axisLeft, `translate(${left},0)`);
      const name = (label) => this.axes.append("text").attr("class", "name").text(label);
      const unit = ({ label, unit }) => (unit ? `${label} (${unit})` : label);
      if (this.title) name(this.title).attr("class", "name title").attr("x", left + inner / 2).attr("y", 15);
      name(unit(this.x)).attr("class", "name x").attr("x", left + inner / 2).attr("y", this.height - 6);
      name(unit(this.y)).attr("class", "name y").attr("transform", `translate(12,${(this.height - bottom + top) / 2})rotate(-90)`);
    }

    /** Change the words above the picture ("title") or beside an axis ("x", "y"). */
    name(side, text) {
      if (side === "title") this.title = text;
      else this[side] = { ...this[side], label: text, unit: "" };
      this.axes.select(`.name.${side}`).text(text);
    }

    /** Colour the plane: `vote(point)` returns { share, winner }, classes have names and colours.

        The tint is stronger the larger the winner's share, and white at a tie; a dark line
        separates the regions, with corners where borders are `square`; each region's name stands
        where there is most room. */
    regions(vote, classes, points, square = false) {
      const cell = 2; // CSS pixels
      const [left, right] = this.sx.range();
      const [bottom, top] = this.sy.range();
      // Two cells more on every side: the line along the border falls outside the window.
      const edge = 2;
      const nx = Math.ceil((right - left) / cell) + 2 * edge;
      const ny = Math.ceil((bottom - top) / cell) + 2 * edge;
      const image = new ImageData(nx, ny);
      const winner = new Uint8Array(nx * ny);
      const full = classes.map((c) => rgb(c.color));
      const least = 1 / classes.length; // the share of every class at a tie of all
      for (let j = 0, at = 0; j < ny; j += 1) {
        const y = this.sy.invert(top + (j - edge + 0.5) * cell);
        for (let i = 0; i < nx; i += 1, at += 1) {
          const found = vote([this.sx.invert(left + (i - edge + 0.5) * cell), y]);
          winner[at] = found.winner;
          const strength = (0.45 * Math.max(0, found.share[found.winner] - least)) / (1 - least);
          for (let c = 0; c < 3; c += 1)
            image.data[4 * at + c] = 255 - strength * (255 - full[found.winner][c]);
          image.data[4 * at + 3] = 255;
        }
      }
      this.canvas.attr("width", nx).attr("height", ny).node().getContext("2d").putImageData(image, 0, 0);
      const place = { left: left - edge * cell, top: top - edge * cell, width: nx * cell, height: ny * cell };
      for (const [side, value] of Object.entries(place)) this.canvas.style(side, `${value}px`);
      const inset = edge * cell;
      this.canvas.style("clip-path", `inset(${inset}px ${nx * cell - inset - (right - left)}px ` +
        `${ny * cell - inset - (bottom - top)}px ${inset}px)`);
      const grid = { nx, ny, cell, ...place };
      const border = square ? this.corners(winner, grid) : this.borders(winner, classes.length, grid);
      this.map.selectAll("path").data([border]).join("path").attr("d", (d) => d);
      this.names(vote, classes, points);
    }

    /** Lines between the regions: the contour of "is it class c?", smoothed over two cells. */
    borders(winner, classes, { nx, ny, cell, left, top }) {
      const paths = [];
      for (let c = classes === 2 ? 1 : 0; c < classes; c += 1) {
        const is = Float64Array.from(winner, (w) => Number(w === c));
        d3.blur2({ data: is, width: nx, height: ny }, 2);
        const rings = d3.contours().size([nx, ny]).contour(is, 0.5).coordinates.flat();
        const point = ([i, j]) => `${(left + i * cell).toFixed(1)},${(top + j * cell).toFixed(1)}`;
        paths.push(...rings.map((ring) => `M${ring.map(point).join("L")}Z`));
      }
      return paths.join("");
    }

    /** Borders along the axes, as the regions of trees have them: between cells that differ. */
    corners(winner, { nx, ny, cell, left, top }) {
      const paths = [];
      const at = (i, j) => `${left + i * cell},${top + j * cell}`;
      const runs = (differ, length, line) => {
        for (let k = 0, start = -1; k <= length; k += 1) {
          if (k < length && differ(k)) start = start < 0 ? k : start;
          else if (start >= 0) [start] = [-1, paths.push(line(start, k))];
        }
      };
      for (let i = 1; i < nx; i += 1)
        runs((j) => winner[j * nx + i] !== winner[j * nx + i - 1], ny, (a, b) => `M${at(i, a)}V${top + b * cell}`);
      for (let j = 1; j < ny; j += 1)
        runs((i) => winner[j * nx + i] !== winner[(j - 1) * nx + i], nx, (a, b) => `M${at(a, j)}H${left + b * cell}`);
      return paths.join("");
    }

    /** Write each class's name into its region, as far as possible from borders and points. */
    names(vote, classes, points) {
      const steps = 16;
      const spots = [];
      const [[left, right], [bottom, top]] = [this.sx.range(), this.sy.range()];
      for (let j = 0.5; j < steps; j += 1) {
        for (let i = 0.5; i < steps; i += 1) {
          const [x, y] = [left + ((right - left) * i) / steps, top + ((bottom - top) * j) / steps];
          spots.push({ x, y, winner: vote([this.sx.invert(x), this.sy.invert(y)]).winner });
        }
      }
      const others = points.map(([x, y]) => ({ x: this.sx(x), y: this.sy(y), winner: -1 }));
      const best = classes.map((name, c) => {
        let found = { room: 22 }; // with less room than this a region stays without a name
        for (const spot of spots.filter((s) => s.winner === c)) {
          let room = Math.min(bottom - spot.y, spot.y - top) * 1.5;
          room = Math.min(room, (spot.x - left) * 0.8, (right - spot.x) * 0.8);
          for (const o of spots.concat(others)) {
            if (o.winner !== c) room = Math.min(room, Math.hypot((o.x - spot.x) * 0.7, o.y - spot.y));
          }
          if (room > found.room) found = { room, ...spot };
        }
        return { ...name, ...found };
      });
      this.map.selectAll("text").data(best.filter((b) => "x" in b), (b) => b.name).join("text")
        .text((b) => b.name).attr("x", (b) => b.x).attr("y", (b) => b.y).attr("dy", "0.32em");
    }

    /** Write names beside curves (lists of pixels), at the first of their points where no curve, no other
        name and none of the points to avoid is near. */
    beside(curves, avoid = []) {
      const [[left, right], [bottom, top]] = [this.sx.range(), this.sy.range()];
      const taken = curves.flatMap(({ points }) => points.map(([x, y]) => ({ x, y, half: 0 })));
      taken.push(...avoid.map(([x, y]) => ({ x, y, half: 8 })));
      const names = curves.map(({ text, points, color }) => {
        const half = 3.4 * text.length;
        let best = { room: -1 };
        const places = points.flatMap(([x, y]) =>
          [0, half, -half].flatMap((side) => [-13, 13].map((up) => [x + side, y + up])));
        for (const [x, y] of places) {
          if (best.room === 5) break;
          if (x - half < left || x + half > right || y - 8 < top || y + 8 > bottom) continue;
          const gap = (o) => Math.hypot(Math.max(0, Math.abs(o.x - x) - half - o.half), Math.max(0, Math.abs(o.y - y) - 6));
          const room = Math.min(5, ...taken.map(gap));
          if (room > best.room) best = { room, text, color, x, y, half };
        }
        taken.push(best);
        return best;
      });
      this.notes.selectAll(".beside").data(names.filter((name) => name.text)).join("text").attr("class", "beside")
        .style("fill", (d) => d.color ?? null).text((d) => d.text).attr("x", (d) => d.x).attr("y", (d) => d.y).attr("dy", "0.35em");
    }

    /** A new patient (a star, item -1, below the others, so that it hides nobody) and the former ones
        (item i): numbered unless they are many, marked by their class, and all of them movable.
        Their places are state.query (if there is a new one) and state.X. */
    patients(state, y, classes) {
      const place = (i) => (i < 0 ? state.query : state.X[i]);
      return this.handles([...(state.query ? [-1] : []), ...y.keys()], {
        at: place,
        name: (i) => (i < 0 ? "new patient" : `patient ${i + 1}`),
        moved: (i, to) => place(i).splice(0, 2, ...to),
        label: (i) => (i < 0 ? "new patient" : `patient ${i + 1}, ${classes[y[i]].name}`),
        look: (nodes) => nodes.each(function (i) {
          const node = d3.select(this);
          if (i < 0) node.append("path").attr("class", "query").attr("d", d3.symbol(d3.symbolStar, 190));
          else node.call(litlearn.mark, classes[y[i]]);
          if (i >= 0 && y.length < 20) node.append("text").attr("x", 10).attr("y", -7).text(i + 1);
        }),
      });
    }

    /** Points that can be taken by mouse and finger, and moved by the arrow keys.

        at(item) gives a position, moved(item, [x, y]) takes the next one, label(item) names the
        point and text(item) its position for those who do not see it, and look(selection) draws it.
        Where the place names its controls, a point moves if they contain name(item), as "patient 3",
        or all of its kind, "patients". Points that are not shown(item) are not there. Of `many`
        points one can be reached by Tab, and the others from it by Page Up and Page Down. */
    handles(items, { at, moved, label, look, text, name, shown = () => true, many = false }) {
      const { figure, x, y } = this;
      const kind = (item) => name(item).replace(/ \d+$/, "s").replace("persons", "people");
      const movable = (item) => figure.wants(name(item)) || figure.wants(kind(item));
      text ??= (item) => [x, y].map(({ label }, axis) => `${label} ${number(at(item)[axis])}`).join(", ");
      const all = this.front.selectAll(null).data(items).join("g");
      all.attr("class", (item) => (movable(item) ? "handle" : "fixed"));
      const nodes = all.filter(movable);
      nodes.attr("data-name", name).attr("tabindex", (_, i) => (many && i ? -1 : 0)).attr("role", "slider");
      nodes.attr("aria-roledescription", "movable point").attr("aria-describedby", figure.help.id);
      const [low, high] = x.limits ?? x.domain;
      nodes.attr("aria-label", label).attr("aria-valuemin", low).attr("aria-valuemax", high);
      nodes.append("circle").attr("class", "reach").attr("r", 15); // a finger needs 24 pixels
      all.append("g").call(look);
      const to = (item, [a, b]) => {
        const [u, v] = at(item);
        const next = [snap(a, x), snap(b, y)];
        if (next[0] !== u || next[1] !== v) figure.change(() => moved(item, next));
      };
      // Where points overlap, take the one whose middle is nearest.
      const nearest = (event) => {
        const spots = items.filter((item) => movable(item) && shown(item))
          .map((item) => ({ item, x: this.sx(at(item)[0]), y: this.sy(at(item)[1]) }));
        const gap = (spot) => Math.hypot(spot.x - event.x, spot.y - event.y);
        return spots.reduce((a, b) => (gap(b) < gap(a) ? b : a));
      };
      nodes.call(d3.drag().container(this.svg.node()).subject(nearest)
        .on("start", ({ subject }) => {
          nodes.filter((item) => item === subject.item).classed("held", true).node()
            .focus({ preventScroll: true });
        })
        .on("drag", ({ subject, x: px, y: py }) => to(subject.item, [this.sx.invert(px), this.sy.invert(py)]))
        .on("end", () => nodes.classed("held", false)));
      if (many) nodes.on("focus", (event) => nodes.attr("tabindex", function () { return this === event.currentTarget ? 0 : -1; }));
      const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
      nodes.on("keydown", (event, item) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const turn = many && { PageUp: -1, PageDown: 1 }[event.key];
        const way = ways[event.key];
        if (!way && !turn) return;
        event.preventDefault();
        if (turn) {
          const seen = nodes.filter(shown).nodes();
          seen[(seen.indexOf(event.currentTarget) + turn + seen.length) % seen.length].focus();
          return;
        }
        const far = (axis) => (event.shiftKey ? axis.leap : axis.step);
        const [a, b] = at(item);
        to(item, [a + way[0] * far(x), b + way[1] * far(y)]);
      });
      figure.drawn(() => {
        all.attr("display", (item) => (shown(item) ? null : "none"));
        all.attr("aria-hidden", (item) => (movable(item) && shown(item) ? null : "true"));
        all.filter(shown).attr("transform", (item) => `translate(${this.sx(at(item)[0])},${this.sy(at(item)[1])})`);
        nodes.filter(shown).attr("aria-valuenow", (item) => at(item)[0]).attr("aria-valuetext", text);
      });
      return all;
    }
  }

  /** One figure on a page: the plot, the panel beside it, and what it says. */
  class Figure {
    constructor(root, data, place) {
      Object.assign(this, { root: d3.select(root), data, place, parts: [], plots: [], keys: new Map() });
      this.root.classed("untouched", true).classed("asked", Boolean(place.ask));
      for (const touch of ["pointerdown", "keydown"])
        this.root.on(`${touch}.touched`, () => this.root.classed("untouched", false));
      document.addEventListener("litlearn:predicted", ({ detail }) => {
        if (detail !== place.ask) return;
        this.root.classed("asked", false);
        this.change(() => {});
      });
      this.help = { id: `litlearn-help-${(used += 1)}` };
      this.root.on("keydown.litlearn", (event) => {
        const action = this.keys.get(event.key);
        if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        this.change(action);
      });
    }

    /** The state at first: that of the data, with what this place sets otherwise. */
    state(first) {
      return structuredClone({ ...first, ...this.place.state });
    }

    /** Whether this place has a control. The whole figure has all of them, but for those that are
        `extra`, which come only where a place names them. */
    wants(name, extra = false) {
      return name === undefined || (this.place.controls?.includes(name) ?? !extra);
    }

    /** Axes beside the panel; where there are several, they share a row, and the panel is below. A
        plot with a `name` is a further one, which a place has to ask for. */
    plot(options) {
      const box = this.root.insert("div", ".litlearn-panel").attr("class", "litlearn-plot-box");
      if (!this.panel) {
        // The panel first: the plot measures the room that is left. What answers may grow, so that
        // it stands below what is worked.
        this.panel = this.root.append("div").attr("class", "litlearn-panel");
        this.tools = this.panel.append("div").attr("class", "litlearn-tools");
        this.buttons = this.tools.append("div").attr("class", "litlearn-buttons");
        this.answers = this.panel.append("div").attr("class", "litlearn-found");
      }
      const plot = new Plot(this, box, options);
      if (!options.name || this.wants(options.name)) this.plots.push(plot);
      else box.attr("hidden", "");
      box.attr("data-name", options.name ?? null);
      return plot;
    }

    /** Draw it for the first time. On a phone one of several plots is seen at a time. */
    open() {
      // "Start again" alone stands below the controls.
      if (this.buttons.selectAll("button").size() < 2) this.tools.append(() => this.buttons.node());
      const several = this.plots.length > 1;
      this.root.classed("several", several);
      if (several) {
        let front = 0;
        const row = this.root.insert("fieldset", ":first-child").attr("class", "litlearn-control litlearn-turns");
        this.radios(row, {
          label: "Shown",
          options: this.plots.map(({ title }, value) => ({ value, text: title })),
          get: () => front,
          set: (value) => (front = value),
        });
        this.drawn(() => this.plots.forEach(({ box }, i) => box.classed("behind", i !== front)));
      }
      for (const plot of this.plots) plot.resize();
      this.draw();
    }

    /** Change the state, then draw, at most once a frame. */
    change(how) {
      how();
      this.waiting ??= requestAnimationFrame(() => {
        this.waiting = undefined;
        this.draw();
      });
    }

    /** Have something drawn whenever the state has changed. */
    drawn(part) {
      this.parts.push(part);
    }

    draw() {
      for (const part of this.parts) part();
    }

    /** Move numbers to where they belong in a quarter of a second, or at once where the reader
        prefers less motion: step(t) is called with t rising to 1. */
    glide(step) {
      const started = performance.now();
      const tick = (now) => {
        const t = calm.matches ? 1 : Math.min(1, Math.max(0, (now - started) / 250));
        this.change(() => step(t));
        if (t < 1) requestAnimationFrame(tick);
      };
      tick(started);
    }

    /** A slider. It rests while it has no effect: off() says so. */
    slider({ name, label, min, max, step = 1, get, set, text = String, extra, off = () => false }) {
      if (!this.wants(name, extra)) return;
      const id = `litlearn-control-${(used += 1)}`;
      const row = this.tools.append("div").attr("class", "litlearn-control").attr("data-name", name);
      row.append("label").attr("for", id).html(label);
      const range = row.append("div").attr("class", "litlearn-range");
      const input = range.append("input").attr("type", "range").attr("id", id).attr("autocomplete", "off");
      input.attr("min", min).attr("step", step);
      const output = range.append("output").attr("for", id).attr("aria-live", "off"); // the slider says it
      input.on("input", () => this.change(() => set(Number(input.property("value")))));
      this.drawn(() => {
        input.attr("max", max); // a function may give it
        input.property("value", get()).property("disabled", off()).attr("aria-valuetext", text(get()));
        row.classed("off", off());
        output.text(text(get()));
      });
    }

    /** One of a few. */
    choice({ name, extra, ...what }) {
      if (!this.wants(name, extra)) return;
      this.radios(this.tools.append("fieldset").attr("class", "litlearn-control").attr("data-name", name), what);
    }

    radios(row, { label, options, get, set, off = () => false }) {
      const group = `litlearn-control-${(used += 1)}`;
      row.append("legend").text(label);
      for (const { value, text } of options) {
        const choice = row.append("label");
        const input = choice.append("input").attr("type", "radio").attr("name", group).attr("value", value);
        const words = choice.append("span");
        input.on("change", () => this.change(() => set(value)));
        this.drawn(() => {
          input.property("checked", get() === value).property("disabled", off());
          words.text(typeof text === "function" ? text() : text);
          row.classed("off", off());
        });
      }
    }

    /** One of many: a list that drops down. Values are numbers. */
    select({ name, label, options, get, set }) {
      if (!this.wants(name)) return;
      const id = `litlearn-control-${(used += 1)}`;
      const row = this.tools.append("div").attr("class", "litlearn-control").attr("data-name", name);
      row.append("label").attr("for", id).text(label);
      const list = row.append("select").attr("id", id).attr("autocomplete", "off");
      list.selectAll("option").data(options).join("option").attr("value", (o) => o.value).text((o) => o.text);
      list.on("change", () => this.change(() => set(Number(list.property("value")))));
      this.drawn(() => list.property("value", get()));
    }

    /** A button and the keys that do the same. Its text may change, as text() says. It rests while
        there is nothing to do, and keeps the focus. */
    button({ name, text, press, keys = [], extra, off = () => false }) {
      if (!this.wants(name, extra)) return;
      const button = this.buttons.append("button").attr("type", "button").attr("class", "litlearn-button");
      button.attr("data-name", name ?? null);
      const act = () => {
        if (off()) return;
        this.voice?.text(""); // the sentence is spoken again, even if it stays the same
        press();
      };
      button.on("click", () => this.change(act));
      this.drawn(() => button.attr("aria-disabled", off()).text(typeof text === "function" ? text() : text));
      this.key(keys, act, name);
    }

    /** A button that brings back the state as it is now: numbers glide, the rest is set. */
    restart(state) {
      if (this.place.controls?.length === 0) return;
      const start = structuredClone(state);
      const between = (a, b, t) => {
        if (t === 1) return structuredClone(b);
        if (Array.isArray(b)) return b.map((value, i) => between(a?.[i], value, t));
        return typeof a === "number" && typeof b === "number" ? a + t * (b - a) : b;
      };
      this.button({
        text: "Start again",
        press: () => {
          const from = structuredClone(state);
          this.glide((t) => {
            for (const [key, value] of Object.entries(start))
              state[key] = Array.isArray(value) ? between(from[key], value, t) : structuredClone(value);
          });
        },
      });
    }

    /** A table; returns a function that fills it with rows of cells (text, or a DOM node). The
        columns after the first `left` ones hold numbers. */
    table(caption, columns, left = 1) {
      if (!this.wants("table")) return () => {};
      const side = (cell, i) => (i < left ? "left" : null);
      const table = this.answers.append("table").attr("class", "litlearn-table");
      table.append("caption").text(caption);
      table.append("thead").append("tr").selectAll("th").data(columns).join("th").attr("scope", "col")
        .attr("class", side).text((d) => d);
      const body = table.append("tbody");
      return (rows) => {
        const lines = body.selectAll("tr").data(rows).join("tr").attr("class", (row) => row.kind ?? null);
        lines.selectAll("td").data((row) => row.cells).join("td").attr("class", side).each(function (cell) {
          this.replaceChildren(cell);
        });
      };
    }

    /** A class's marker and name, for a table. */
    badge(cls) {
      const badge = d3.create("span").attr("class", "litlearn-badge");
      badge.append("svg").attr("class", "litlearn-marker").attr("viewBox", "-8 -8 16 16").attr("width", 16)
        .attr("height", 16).attr("aria-hidden", "true").call(litlearn.mark, cls, 70);
      badge.append("span").text(cls.name);
      return badge.node();
    }

    /** Say how the figure is worked; screen readers read it at every handle. */
    explain(text) {
      const seen = this.place.controls ? "litlearn-voice" : "litlearn-help";
      this.root.append("p").attr("class", seen).attr("id", this.help.id).text(text);
    }

    /** Show a sentence; speak it once the reader pauses. */
    say(text) {
      this.words ??= this.answers.insert("p", "table").attr("class", "litlearn-says");
      this.words.attr("aria-hidden", "true");
      this.voice ??= this.root.append("p").attr("class", "litlearn-voice").attr("role", "status");
      if (this.root.classed("asked")) text = "Choose an answer first, and the figure shows what happens.";
      this.words.text(text);
      clearTimeout(this.pause);
      this.pause = setTimeout(() => this.voice.text(text), 400);
    }

    /** Keys of a control. */
    key(keys, action, name) {
      if (!this.wants(name)) return;
      for (const key of keys) this.keys.set(key, action);
    }
  }

  window.litlearn = {
    number,
    list,
    count,
    random,
    normal,
    figure: (name, drawing) => drawings.set(name, drawing),

    /** The outline of a class's marker. */
    symbol: (cls, size = 110) => d3.symbol(symbols[cls.marker], size)(),

    /** Draw the marker of a class: symbol and colour of litlearn.plotting. */
    mark(selection, cls, size = 110) {
      selection.append("path").attr("class", "mark").attr("fill", cls.color)
        .attr("d", litlearn.symbol(cls, size));
    },
  };

  /** The data of a figure stand in the first of its places on a page. */
  function dataOf(name) {
    const all = document.querySelectorAll(`script[data-litlearn-figure="${name}"]`);
    return JSON.parse([...all].find((source) => source.textContent.trim()).textContent);
  }

  /** Put the figure in the place of its picture. If it cannot be drawn, the picture stays. */
  function start(source) {
    const frame = source.closest("figure") ?? source.parentElement;
    const picture = frame.querySelector("img");
    const root = document.createElement("div");
    root.className = "litlearn-figure";
    root.dataset.figure = source.dataset.litlearnFigure;
    root.setAttribute("role", "group");
    const number = frame.querySelector(".caption-number")?.textContent.trim();
    root.setAttribute("aria-label", number ? `${number}, to play with` : "Figure to play with");
    (picture?.closest("a.image-reference") ?? picture ?? source).before(root);
    try {
      const data = dataOf(root.dataset.figure);
      const figure = new Figure(root, data, JSON.parse(source.dataset.place ?? "{}"));
      root.figure = drawings.get(root.dataset.figure)(figure, data);
      figure.open();
      (picture?.closest("a.image-reference") ?? picture)?.remove();
    } catch (error) {
      root.remove();
      throw error;
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    // A figure further down is drawn when the reader comes near it.
    const near = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        start(target.querySelector("script[data-litlearn-figure]"));
      }
    }, { rootMargin: "800px" });
    document.querySelectorAll("script[data-litlearn-figure]").forEach((source) => {
      const frame = source.closest("figure");
      if (source.dataset.place && frame) near.observe(frame);
      else start(source);
    });
  });
})();
