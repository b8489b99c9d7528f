/* What is wider than the page: a formula in a line of text becomes a line of its own; every box that
   scrolls sideways shows it (custom.css) and can be scrolled by keys. */
(function () {
  const BOXES =
    "div.math, .litlearn-wide, pre, table, .cell_output .output, .pst-scrollable-table-container, .litlearn-panels";

  function measure() {
    const article = document.querySelector("article");
    if (!article) return;
    article.querySelectorAll(".litlearn-wide").forEach((f) => f.classList.remove("litlearn-wide"));
    // In a table, the table scrolls.
    const formulas = [...article.querySelectorAll("span.math")].filter(
      (f) => f.offsetParent && !f.closest("td, th"),
    );
    const wide = formulas.filter((formula) => {
      const set = formula.querySelector("mjx-container");
      const block = formula.closest("p, li, dd, dt, figcaption, div, summary, h1, h2, h3, h4");
      return set && block && set.getBoundingClientRect().width > block.clientWidth + 1;
    });
    wide.forEach((f) => (f.closest(".one-line") || f).classList.add("litlearn-wide"));
    const boxes = [...article.querySelectorAll(BOXES)].filter((b) => b.getClientRects().length);
    const scrolls = boxes.map((box) => {
      const way = getComputedStyle(box).overflowX;
      return (way === "auto" || way === "scroll") && box.scrollWidth > box.clientWidth + 1;
    });
    boxes.forEach((box, i) => {
      // A tree that is wider than the page shows its root first, in the middle.
      if (scrolls[i] && box.matches(".litlearn-panels:not([tabindex]):has(.litlearn-middle)"))
        box.scrollLeft = (box.scrollWidth - box.clientWidth) / 2;
      box.classList.toggle("litlearn-scrolls", scrolls[i]);
      if (scrolls[i]) box.tabIndex = 0;
      else if (box.tabIndex === 0) box.removeAttribute("tabindex");
    });
  }

  let waiting = 0;
  function soon() {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(measure);
  }
  addEventListener("resize", soon);
  addEventListener("load", soon);
  document.addEventListener("toggle", soon, true); // a block was folded or unfolded
  document.addEventListener("click", soon);
  window.MathJax?.startup?.promise?.then(soon);
  if (window.MathJax && !window.MathJax.startup?.promise)
    addEventListener("load", () => window.MathJax.startup?.promise?.then(soon));
})();

/* What the search quotes from a page: letters in place of inline formulas, nothing of the others. */
addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return; // not the page that searches
  const plain = Search.htmlToText;
  const letters = (tex) =>
    tex
      .replace(/\\[()]/g, "")
      .replace(/\\([a-zA-Z]+)/g, (_, name) =>
        /^(text|bm|math[a-z]+|operatorname|left|right|big[lr]?|[lr]?[vV]ert)$/.test(name) ? "" : name,
      )
      .replace(/[{}$]|\\./g, "");
  Search.htmlToText = (page, anchor) =>
    plain(
      page
        .replace(/<div class="math[^>]*>[^]*?<\/div>/g, " … ")
        .replace(/(<span class="math[^>]*>)([^<]*)(?=<\/span>)/g, (_, tag, tex) => tag + letters(tex)),
      anchor,
    );
});

/* A question to answer first: its answers become buttons, and the explanation comes after the choice.
   Figures that wait for it hear "litlearn:predicted". */
addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".litlearn-predict").forEach((box) => {
    const answers = [...box.querySelectorAll(".litlearn-answers > li")];
    const explained = box.querySelector("details");
    const said = document.createElement("p");
    said.className = "litlearn-judged";
    said.setAttribute("role", "status");
    explained.before(said);
    explained.hidden = true;
    const right = Number(box.dataset.right);
    const letter = (i) => "ABCD"[i];
    const choose = (chosen) => {
      answers.forEach((answer, i) => {
        answer.classList.toggle("chosen", i === chosen);
        answer.classList.toggle("right", i === right);
        answer.firstChild.setAttribute("aria-pressed", String(i === chosen));
      });
      const words = `You chose ${letter(chosen)}. `;
      said.textContent = words + (chosen === right ? "That holds." : `What holds is ${letter(right)}.`);
      explained.hidden = false;
      explained.open = true;
      document.dispatchEvent(new CustomEvent("litlearn:predicted", { detail: box.dataset.name }));
    };
    answers.forEach((answer, i) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...answer.childNodes);
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => choose(i));
      answer.append(button);
    });
  });
  addEventListener("beforeprint", () => {
    document.querySelectorAll(".litlearn-predict details").forEach((explained) => {
      explained.hidden = false;
      explained.open = true;
    });
  });
});

/* Other versions of the page. They are there only where the book lies in the folder of its version, or in
   "latest", and the list above it (.ci/versions.py); from there its addresses are meant. Elsewhere the
   theme is told of no list. */
(function () {
  if (typeof DOCUMENTATION_OPTIONS === "undefined") return; // a figure on its own
  const options = DOCUMENTATION_OPTIONS;
  const root = new URL(document.documentElement.dataset.content_root, location.href);
  const folder = root.pathname.split("/").at(-2);
  if (!root.protocol.startsWith("http") || !["latest", `v${options.VERSION}`].includes(folder)) {
    delete options.theme_switcher_json_url;
    return;
  }
  const list = new URL("../versions.json", root);
  options.theme_switcher_json_url = list.href;
  const closes = (link) => {
    link.tabIndex = 0;
    link.setAttribute("role", "button");
    link.setAttribute("aria-label", "Close");
    link.addEventListener("keydown", (event) => event.key === "Enter" && link.click());
  };
  const mend = () => {
    const links = ":is(.version-switcher__menu, #bd-header-version-warning) a";
    document.querySelectorAll(`${links}[href]`).forEach((link) => {
      link.href = new URL(link.getAttribute("href"), list).href;
    });
    document.querySelectorAll(`${links}:not([href], [role])`).forEach(closes);
  };
  const watch = new MutationObserver(mend);
  document
    .querySelectorAll(".version-switcher__menu, #bd-header-version-warning")
    .forEach((place) => watch.observe(place, { childList: true, subtree: true }));
})();
