/* The search, on the start page or in the dialog of another page: loads the search data, and shows the answers to the text in its field.

   Needs search-rank.js and search-diagnose.js. */
(function () {
"use strict";

const { compileSignatures, makeDiagnose, makeSearch } = globalThis.dpkbSearch;

// -- the answers -----------------------------------------------------------------------------------

/** The functions that answer a text.

    answer: for one line first the hits of the search, for several lines first those of the diagnosis. */
function makeFinder(data) {
  const signatureData = compileSignatures(data.diagnosis);
  const search = makeSearch(data, signatureData), diagnose = makeDiagnose(data, signatureData);
  function answer(text) {
    const matches = new Map(diagnose(text).map((match) => [match.doc, match]));
    const { hits, weak, unclear } = search(text);
    // If both find an entry, the line of the log says more than the words.
    const searched = hits.map((hit) => matches.get(hit.doc) || hit);
    const isLog = text.trim().includes("\n");
    const all = isLog ? [...matches.values(), ...searched] : [...searched, ...matches.values()];
    return { hits: [...new Set(all)].slice(0, Math.max(data.ranking.defaultHits, matches.size)),
             weak: weak && !matches.size, unclear: unclear && hits.length > 0 && !matches.size };
  }
  return { search, diagnose, answer };
}

/** Decode the search data: JSON, compressed, with seven bits in each character. */
async function unpack(packed) {
  const bytes = new Uint8Array(Math.floor(packed.length * 7 / 8));
  for (let i = 0, bits = 0, count = 0, filled = 0; i < packed.length; i++) {
    bits = (bits & 127) << 7 | packed.charCodeAt(i) - 1;
    count += 7;
    if (count >= 8) bytes[filled++] = bits >> (count -= 8);
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

// -- the page --------------------------------------------------------------------------------------

// The answers are shown this many milliseconds after the last key.
const TYPING_PAUSE = 80;
// A longer question is a pasted log, which is not kept in the address of the page.
const MAX_LINK_CHARACTERS = 200;

function newElement(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function questionInAddress() {
  return [location.hash.slice(1), location.search].map((part) => new URLSearchParams(part).get("q")).find(Boolean) || "";
}

function keepInAddress(question) {
  const text = question.trim();
  const isShort = text && text.length <= MAX_LINK_CHARACTERS && !text.includes("\n");
  if (!isShort && !questionInAddress()) return;
  try {
    history.replaceState(history.state, "", isShort ? "#q=" + encodeURIComponent(text)
                                                    : location.pathname + location.search);
  } catch {
    // The address may not be changed, for example in a frame: the search still works.
  }
}

/** A text in which the parts in backticks are code. */
function withCode(text) {
  return text.split(/`([^`]+)`/).map((part, i) => (i % 2 ? newElement("code", {}, part) : part));
}

/** A text in both languages, of which the style sheet shows one. */
function inBoth(english, chinese) {
  return [newElement("span", { lang: "en" }, ...withCode(english)), newElement("span", { lang: "zh" }, ...withCode(chinese))];
}

/** A hit as an item of the list. root: the address of the site. */
function hitItem(data, root, hit) {
  const [id, title, kind, summary, address, titleZh, summaryZh] = data.entries[hit.doc];
  const link = newElement("a", { href: new URL(address, root).href },
                          newElement("span", { class: "dpkb-search__id" }, id), " ", ...inBoth(title, titleZh));
  const item = newElement("li", {}, link, " ", newElement("span", { class: "dpkb-search__kind" }, kind),
                          newElement("p", {}, ...inBoth(summary, summaryZh)));
  // A log also shows which of its lines the entry explains.
  if (hit.why) item.append(newElement("p", { class: "dpkb-search__why" }, hit.why));
  return item;
}

/** What may have failed, each with the entries that lead on, as items of the list. */
function unclearItems(data, root) {
  return data.unclear.cases.map(([text, docs]) => {
    const links = docs.flatMap((doc) => {
      const [id, title, , , address, titleZh] = data.entries[doc];
      const link = newElement("a", { href: new URL(address, root).href },
                              newElement("span", { class: "dpkb-search__id" }, id), " ", ...inBoth(title, titleZh));
      return newElement("p", {}, link);
    });
    return newElement("li", {}, text + ": ", ...(links.length ? links : [data.unclear.lastLine]));
  });
}

/** The text of the status line. */
function announcement(question, { hits, weak, unclear }, data) {
  if (!question.trim()) return "";
  if (!hits.length) return "Nothing matches. Try the last line of the traceback, or fewer words.";
  if (unclear) return data.unclear.heading;
  if (weak) return data.weakHeading;
  return hits.length === 1 ? "The answer:" : "The best of the " + hits.length + " nearest is first:";
}

/** Returns a function that loads the search data; only its first call does so. */
function makeLoader(address) {
  let loading = null;
  return () => {
    loading = loading || new Promise((done, failed) => {
      const script = newElement("script", { src: address });
      script.addEventListener("load", () => unpack(window.DPKB_SEARCH).then(done, failed));
      script.addEventListener("error", failed);
      document.head.append(script);
    });
    return loading;
  };
}

/** Moves the focus: arrow down from the end of the question into the answers, Escape back. */
function moveByKeys(box, input, list) {
  box.addEventListener("keydown", (event) => {
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (document.activeElement === input && input.selectionStart < input.value.length) return;
    const target = { ArrowDown: links[at + 1], ArrowUp: at === 0 ? input : links[at - 1],
                     Escape: at < 0 ? undefined : input }[event.key];
    if (!target || event.isComposing) return;
    event.preventDefault();
    target.focus();
  });
}

/** Fills the box of the page with the field for the question, the status and the list of answers. */
function buildForm(box) {
  const input = newElement("textarea", { id: "dpkb-question", rows: "3", autocomplete: "off",
                                         spellcheck: "false", autocapitalize: "off",
                                         placeholder: "DataLoader worker is killed by signal: Bus error",
                                         "aria-describedby": "dpkb-search-hint" });
  const status = newElement("p", { class: "dpkb-search__status", role: "status", "aria-live": "polite" });
  const list = newElement("ol", { class: "dpkb-search__hits", "aria-label": "Entries found" });
  list.hidden = true;
  box.classList.add("dpkb-search");
  box.append(
    newElement("label", { for: "dpkb-question" },
               "Paste an error message or a traceback, or say what you see"),
    input,
    newElement("p", { id: "dpkb-search-hint", class: "dpkb-search__hint" },
               "The arrow down goes to the answers, and / comes here from anywhere."),
    status, list,
  );
  return { input, status, list };
}

function start() {
  const box = document.getElementById("dpkb-search");
  if (!box) return;
  const address = new URL(box.dataset.index, document.baseURI).href;
  const root = new URL("..", address);
  const load = makeLoader(address);
  const { input, status, list } = buildForm(box);
  let finder = null, timer = 0;

  async function showAnswer() {
    let data;
    try {
      data = await load();
      finder = finder || makeFinder(data);
    } catch {
      status.textContent = "The search data could not be loaded. Reload the page, or use the list of the start page.";
      return;
    }
    const answer = input.value.trim() ? finder.answer(input.value) : { hits: [] };
    list.replaceChildren(...(answer.unclear ? unclearItems(data, root)
                                            : answer.hits.map((hit) => hitItem(data, root, hit))));
    list.hidden = !answer.hits.length;
    status.textContent = announcement(input.value, answer, data);
  }

  function askAddress() {
    input.value = questionInAddress();
    showAnswer();
  }

  input.addEventListener("focus", () => load().catch(() => {}), { once: true });
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // In a dialog, the address is that of the page below it.
      if (!box.closest("dialog")) keepInAddress(input.value);
      showAnswer();
    }, TYPING_PAUSE);
  });
  moveByKeys(box, input, list);
  addEventListener("hashchange", () => { if (box.isConnected && questionInAddress()) askAddress(); });
  if (questionInAddress() && !box.closest("dialog")) askAddress();
}

Object.assign(globalThis.dpkbSearch, { makeFinder, unpack });
// The tests also run this under node, which has no page.
if (typeof document !== "undefined") {
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
}
})();
