/* What the search of the book adds to Sphinx's (book/_ext/search_words.py): other names for the book's
   words, questions in whole sentences, both spellings, definitions above the pages that were found, and
   the order of these. `litlearnWords` comes with the page; `Search` and its index are Sphinx's. */
const litlearnSearch = (function () {
  "use strict";
  const { answers, question, spelling } = litlearnWords;
  const rules = spelling.map(([pattern, spelled]) => [new RegExp(pattern), spelled]);
  const british = (word) => rules.reduce((text, [pattern, spelled]) => text.replace(pattern, spelled), word.toLowerCase());
  const wordsOf = (text) => text.normalize("NFKC").match(/[\p{L}\p{N}_]+(?:\+\+)?/gu) ?? [];
  const asked = new Set(question);
  const MOST = 4; // answers above the pages
  const FEW = 3; // pages

  /** Sphinx's stemmer of words in either spelling. */
  const stemmer = (Porter) =>
    function () {
      const porter = new Porter();
      this.stemWord = (word) => porter.stemWord(british(word));
    };

  /** All names, as they are written and stemmed -> whose they are. As written comes first, because stems
      of different words can be alike (covariate, covariance), and the glossary before readers' own words. */
  let written, stemmed;
  function learn(stem) {
    [written, stemmed] = [new Map(), new Map()];
    for (const kind of ["names", "also"])
      for (const answer of answers)
        for (const name of answer[kind]) {
          const words = wordsOf(name).map(british);
          const of = { answer, kind };
          for (const key of [words.join(" "), `${words.join(" ")}s`]) if (!written.has(key)) written.set(key, of);
          const key = words.map(stem).join(" ");
          if (!stemmed.has(key)) stemmed.set(key, of);
        }
  }

  /** The parts of what was typed: names of something, the longest first, and single words. */
  function read(query) {
    const porter = new Stemmer();
    const stem = (word) => porter.stemWord(word);
    if (!written) learn(stem);
    const words = wordsOf(query);
    const parts = [];
    for (let at = 0; at < words.length; ) {
      let typed, of;
      for (let size = Math.min(6, words.length - at); size > 0 && !of; size -= 1) {
        typed = words.slice(at, at + size);
        const plain = typed.map(british);
        if (size > 1 || !asked.has(plain[0])) of = written.get(plain.join(" ")) ?? stemmed.get(plain.map(stem).join(" "));
      }
      parts.push({ typed, idle: !of && asked.has(british(typed[0])), ...of });
      at += typed.length;
    }
    return parts;
  }

  /** What a question is answered with. Each result asks for it, so that the last one is kept. */
  let last = {};
  function found(query) {
    if (last.query !== query)
      last = { query, all: [...new Set(read(query).map(({ answer }) => answer).filter(Boolean))].slice(0, MOST) };
    return last.all;
  }

  /** The pages that hold all of some words, as the index of Sphinx has them. */
  function pagesWith(words) {
    const stem = new Stemmer();
    const { terms, titleterms } = Search._index;
    const sets = words.map((word) => {
      const key = stem.stemWord(word.toLowerCase());
      const own = [terms, titleterms].flatMap((all) => (Object.hasOwn(all, key) ? all[key] : []));
      if (own.length || key.length < 3) return own;
      return Object.keys(terms).filter((term) => term.includes(key)).flatMap((term) => terms[term]);
    });
    return new Set((sets[0] ?? []).filter((page) => sets.every((set) => set.includes(page))));
  }

  /** Sphinx's hook: the words to look for. A page has to hold all of them, so the words of a question and
      those that no page has are left out, and a name is replaced by the book's unless that is far rarer.
      Where hardly a page is left, the rarest words go that name nothing; the others, where none is. */
  function split(query) {
    if (!Search.hasIndex()) return wordsOf(query);
    let left = read(query).filter(({ idle }) => !idle).flatMap(({ typed, answer, kind }) => {
      const own = answer?.names.length && kind === "also" ? wordsOf(answer.names[0]) : typed;
      const words = 2 * pagesWith(own).size > pagesWith(typed).size ? own : typed;
      return words.map((word) => ({ word, named: Boolean(answer), pages: pagesWith([word]).size }));
    });
    left = left.filter(({ word, pages }) => pages && ![...stopwords, ...asked].includes(word.toLowerCase()));
    while (left.length > 1) {
      const some = left.filter(({ named }) => !named);
      const few = pagesWith(left.map(({ word }) => word)).size;
      if (few >= (some.length ? FEW : 1)) break;
      const rarest = (some.length ? some : left).reduce((a, b) => (b.pages < a.pages ? b : a));
      left = left.filter((one) => one !== rarest);
    }
    return left.length ? left.map(({ word }) => word) : wordsOf(query);
  }

  const REFERENCE = /^book\/(api\/|coming_from|equations|errata|glossary|lists|performance|references|status|subject_index|symbols)/;

  /** Sphinx's hook: chapters before what lies beneath them, and those first that use the word most. */
  function score([page, , anchor, description, score]) {
    const query = new URLSearchParams(location.search).get("q") ?? "";
    if (page.endsWith("api/internals")) return score - 60;
    if (description && /[_.]|[a-z][A-Z]/.test(query)) return 100 + score; // a name of the module
    let sum = Math.min(score, 20);
    if (REFERENCE.test(page) || description) sum -= 30;
    if (page.includes("inside")) sum -= 10;
    if (anchor.startsWith("#ex-") || anchor.startsWith("#sol-")) sum -= 10;
    for (const { home, pages } of found(query)) {
      sum += 4 * Math.log2(1 + (pages[page] ?? 0));
      if (home.url.startsWith(`${page}.html`)) sum += 20;
    }
    return Math.round(100 * sum) / 100;
  }

  /** An element with what stands in it. */
  function made(tag, ...inside) {
    const element = document.createElement(tag);
    element.append(...inside);
    return element;
  }

  function link(text, url) {
    const element = made("a", text);
    element.href = url;
    return element;
  }

  /** "Explained in: Who is near? (Nearest neighbours)" */
  const where = (lead, { url, title, page }) => made("p", lead, link(title, url), page ? ` (${page})` : "");

  /** Definitions, and the sections that explain them, above the pages that were found. */
  addEventListener("DOMContentLoaded", () => {
    const results = document.getElementById("search-results");
    const shown = found(new URLSearchParams(location.search).get("q") ?? "");
    results?.querySelector(".search-summary")?.setAttribute("role", "status"); // how many were found
    if (!results || !shown.length) return;
    const list = made("dl");
    for (const { name, names: own, url, text, home } of shown) {
      list.append(made("dt", link(name, url)));
      const rest = own.length ? where("Explained in: ", home) : home.page && made("p", `In: ${home.page}`);
      list.append(made("dd", made("p", text), rest || ""));
    }
    const section = made("section", made("h2", shown.length > 1 ? "Answers" : "Answer"), list);
    section.className = "litlearn-answered";
    results.before(section);
    const already = new Set([...list.querySelectorAll("dt a")].map((one) => one.href));
    new MutationObserver(() => {
      for (const item of results.querySelectorAll("li"))
        if (already.has(item.querySelector("a")?.href)) item.remove();
    }).observe(results, { childList: true, subtree: true });
  });

  return { stemmer, split, score, read, found };
})();
