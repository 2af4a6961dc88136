/* The search of the start page: orders entries as `dpkb search` does, and knows signatures as `dpkb diagnose`.

   The site is a folder of files: no server can answer, and no question leaves the browser. So dpkb/search and
   dpkb/diagnosis are here a second time, in the same order and under the same names. What may change without the
   code (numbers, word lists, patterns, the index) is written by dpkb/site/search_data.py, never by hand;
   tests/site/test_site_search.py compares the answers with those of Python, question by question. */
(function () {
"use strict";

// -- text -> terms: dpkb/search/tokens.py ----------------------------------------------------------

function isUnspaced(character) {
  const code = character.codePointAt(0);
  return code > 0x2e7f && (code <= 0x9fff || (code >= 0xac00 && code <= 0xd7af) ||
                           (code >= 0xf900 && code <= 0xfaff));
}

function tokensOf(text) {
  const found = [];
  let token = "", unspaced = false;
  for (const character of text.normalize("NFKC")) {
    const inside = /[\p{L}\p{N}_]/u.test(character);
    if (token && (!inside || isUnspaced(character) !== unspaced)) {
      found.push(token);
      token = "";
    }
    if (inside) {
      token += character;
      unspaced = isUnspaced(character);
    }
  }
  return token ? [...found, token] : found;
}

const isDigits = (text) => /^\p{Nd}+$/u.test(text);
const isUpper = (character) => /^\p{Uppercase}$/u.test(character);
const isLower = (character) => /^\p{Lowercase}$/u.test(character);
// Numbers that name nothing: process ids, addresses.
const isNoise = (word) => (word.length > 4 && isDigits(word)) || word.startsWith("0x");

function isAllUpper(text) {
  return /\p{Uppercase}/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text);
}

function oneCase(token) {
  const upper = /\p{Uppercase}/u.test(token), lower = /\p{Lowercase}/u.test(token);
  return !/\p{Lt}/u.test(token) && upper !== lower;
}

/** The words of a name: worker_init_fn, DataLoader, CUDAError. */
function partsOf(token) {
  const pieces = token.split("_").filter(Boolean);
  if (oneCase(token) || isDigits(token)) return pieces;
  return pieces.flatMap((piece) => {
    const letters = [...piece], parts = [];
    // The s of GPUs and FLOPs is not the start of a word.
    if (letters.length > 1 && letters.at(-1) === "s" && isAllUpper(letters.slice(0, -1).join(""))) letters.pop();
    let start = 0;
    for (let i = 1; i < letters.length; i++) {
      const after = letters[i + 1];
      if (isUpper(letters[i]) && (!isUpper(letters[i - 1]) || (after && isLower(after)))) {
        parts.push(letters.slice(start, i).join(""));
        start = i;
      }
    }
    return [...parts, letters.slice(start).join("")];
  });
}

function pairsOf(run) {
  const found = [];
  for (let i = 0; i + 1 < run.length; i++) found.push(run[i] + run[i + 1]);
  return run.length > 1 ? found : [run];
}

function neighbours(words) {
  return words.slice(1).map((word, i) => words[i] + " " + word);
}

function withoutEnding(word, endings) {
  for (const [ending, keep] of endings) {
    if (word.endsWith(ending) && word.length - ending.length >= 3) {
      if (ending === "s" && /(?:ss|us|is)$/.test(word) && !word.endsWith("pus")) return [word, true];
      return [word.slice(0, word.length - ending.length) + keep, false];
    }
  }
  return [word, false];
}

function stem(word, endings) {
  let [left, done] = withoutEnding(word, endings);
  if (done) return left;
  const last = left.at(-1);
  if (left.length > 3 && last === left.at(-2) && !"ls".includes(last)) left = left.slice(0, -1);
  return left.length > 3 && left.endsWith("e") ? left.slice(0, -1) : left;
}

/** The terms of a text, and of a question: `words` is that part of the search data. */
function makeTerms(words) {
  const stop = new Set(words.stop);

  function wordTerms(token) {
    const parts = partsOf(token);
    const kept = parts.map((part) => part.toLowerCase())
      .filter((word) => !stop.has(word) && ([...word].length > 1 || isDigits(word)) && !isNoise(word))
      .map((word) => stem(word, words.endings));
    const whole = token.toLowerCase().replace(/^_+|_+$/g, "");
    return parts.length > 1 && !isNoise(whole) ? [whole, ...kept] : kept;
  }

  const terms = (text) => tokensOf(text).flatMap(
    (token) => (isUnspaced(token) ? pairsOf(token) : wordTerms(token)));

  function queryTerms(text) {
    // Characters as Python counts them; twice as many units hold at least as many.
    const start = [...text.slice(0, 2 * words.longest)].slice(0, words.longest).join("");
    return [...new Set(terms(start))].slice(0, words.mostTerms);
  }

  return { terms, queryTerms };
}

// -- the data: dpkb/site/search_data.py -------------------------------------------------------------

/** The entries that have each term: Map from term to a Map from the number of an entry to its impact. */
function makePostings(data) {
  const packed = new Map(data.terms.map((term, i) => [term, data.postings[i]]));
  const read = new Map();
  return (term) => {
    if (!packed.has(term)) return undefined;
    if (!read.has(term)) {
      const row = packed.get(term), impacts = new Map();
      for (let i = 0, entry = 0; i < row.length; i += 2) impacts.set(entry += row[i], row[i + 1]);
      read.set(term, impacts);
    }
    return read.get(term);
  };
}

// -- misspelt words: dpkb/search/postings.py, _nearest and count_edits ------------------------------

const mayBeMisspelt = (term) =>
  term.length >= 4 && term.length <= 24 && /^[\x00-\x7f]*$/.test(term) && !/^\d+$/.test(term);

function gramsOf(term) {
  const padded = "^" + term + "$", found = new Set();
  for (let i = 0; i + 3 <= padded.length; i++) found.add(padded.slice(i, i + 3));
  return found;
}

/** Letters to change, add, drop or swap to get from a to b; most + 1 where the lengths say it is more. */
function edits(a, b, most) {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let older = [], before = [], row = [...b, ""].map((_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    [older, before, row] = [before, row, [i]];
    for (let j = 1; j <= b.length; j++) {
      let cost = Math.min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, older[j - 2] + 1);
      }
      row.push(cost);
    }
  }
  return row.at(-1);
}

const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

function makeNearest(terms, postings) {
  // Built for the first unknown word: it takes longer than a search.
  let byGram = null;

  function grams() {
    byGram = new Map();
    for (const name of terms.filter(mayBeMisspelt)) {
      for (const gram of gramsOf(name)) {
        if (!byGram.has(gram)) byGram.set(gram, []);
        byGram.get(gram).push(name);
      }
    }
    return byGram;
  }

  return (term) => {
    const common = new Map();
    for (const gram of gramsOf(term)) {
      for (const name of (byGram || grams()).get(gram) || []) common.set(name, (common.get(name) || 0) + 1);
    }
    const spread = (name) => postings(name).size;
    const most = term.length < 7 ? 1 : 2;
    const near = [...common].sort(
      (a, b) => b[1] - a[1] || spread(b[0]) - spread(a[0]) || byText(a[0], b[0])
    ).slice(0, 40).map(([name]) => ({ name, cost: edits(term, name, most) }))
      .filter((item) => item.cost <= most);
    near.sort((a, b) => a.cost - b.cost || spread(b.name) - spread(a.name) || byText(a.name, b.name));
    return near.length ? near[0].name : null;
  };
}

// -- what a question quotes of a log: dpkb/search/quotations.py ------------------------------------------

/** A question without the paths and source lines of a traceback, which name what did not fail. */
function withoutFrames(question, lastFrames) {
  if (!question.includes('File "')) return question;
  const kept = [], functions = [];
  let column = -1;
  for (const line of question.split("\n")) {
    const end = line.lastIndexOf(", in "), at = line.slice(0, Math.max(end, 0)).indexOf('File "');
    if (at >= 0) {
      column = at;
      functions.push(line.slice(end + 5));
    } else if (column < 0 || line.slice(column, column + 2) !== "  ") {
      column = -1;
      kept.push(line);
    }
  }
  return [...kept, ...functions.slice(-lastFrames)].join("\n");
}

function stripped(line, characters) {
  let start = 0, end = line.length;
  while (start < end && characters.includes(line[start])) start++;
  while (end > start && characters.includes(line[end - 1])) end--;
  return line.slice(start, end);
}

/** What the messages in a question say for each entry that has a signature for them. */
function makeMessages(signatures, { bonus, quotes }) {
  return (question) => {
    const found = new Map();
    if (!/[:\n]/.test(question)) return found;
    const lines = question.split("\n").map((line) => stripped(line, quotes));
    const { patterns, milliseconds } = signatures;
    const end = Date.now() + milliseconds;
    const matches = patterns.map((pattern) => Date.now() < end && lines.some((line) => pattern.test(line)));
    for (const [match, near, worth, owners] of signatures.all) {
      if (!matches[match] || (near >= 0 && !matches[near])) continue;
      for (const doc of owners) found.set(doc, Math.max(found.get(doc) || 0, bonus[worth] / owners.length));
    }
    return found;
  };
}

// -- ranking: dpkb/search/rank.py and weakness.py -----------------------------------------------------

function makeSearch(data, signatures) {
  const { terms, queryTerms } = makeTerms(data.words);
  const messages = makeMessages(signatures, data.ranking);
  const postings = makePostings(data);
  const nearest = makeNearest(data.terms, postings);
  const synonyms = new Map(data.synonyms.map(([term, ...rest]) => [term, rest]));
  const ranking = data.ranking;
  const elsewhere = new Set(ranking.elsewhere);
  const lines = new Map();

  function withSynonyms(asked) {
    const worth = new Map(asked.map((term) => [term, 1]));
    for (const term of asked) {
      for (const other of (synonyms.get(term) || []).map((i) => data.terms[i])) {
        if (!worth.has(other)) worth.set(other, ranking.synonym);
      }
    }
    return worth;
  }

  function knownTerms(asked) {
    const found = [];
    for (const [term, value] of withSynonyms(asked)) {
      let docs = postings(term), worth = value, spelling = term;
      if (!docs && mayBeMisspelt(term)) {
        spelling = nearest(term);
        [docs, worth] = [spelling === null ? undefined : postings(spelling), ranking.misspelt];
      }
      if (docs) found.push({ asked: term, term: spelling, docs, worth });
    }
    return found;
  }

  function scoresOf(wanted) {
    const scores = new Map();
    for (const { docs, worth } of wanted) {
      for (const [doc, impact] of docs) scores.set(doc, (scores.get(doc) || 0) + impact * worth);
    }
    return scores;
  }

  /** The short lines of an entry with their terms, cut only when an entry is looked at. */
  function linesOf(doc) {
    if (!lines.has(doc)) {
      const [, title, , , , short] = data.entries[doc];
      const all = [["title", title], ...short.flatMap(
        ([field, texts]) => texts.split("\n").map((text) => [field, text]))];
      lines.set(doc, all.map(([field, text]) => ({ text: field + ": " + text, words: terms(text) })));
    }
    return lines.get(doc);
  }

  /** The short line that shares most with the question, and the pairs of words found side by side. */
  function compare(doc, worth, pairs) {
    let best = "", bestWorth = 0;
    const found = new Set();
    for (const { text, words } of linesOf(doc)) {
      const common = new Set(words.filter((word) => worth.has(word)));
      if (!common.size) continue;
      let shared = 0;
      for (const word of common) shared += worth.get(word);
      const here = new Set(common.size > 1 ? neighbours(words).filter((pair) => pairs.has(pair)) : []);
      here.forEach((pair) => found.add(pair));
      const lineWorth = shared * (1 + 0.5 * here.size) / (5 + words.length);
      if (lineWorth > bestWorth) [best, bestWorth] = [text, lineWorth];
    }
    return [best, found];
  }

  function hit(doc, score, wanted, pairs) {
    const worth = new Map();
    for (const { asked, docs, worth: value } of wanted) {
      if (docs.has(doc)) worth.set(asked, docs.get(doc) * value);
    }
    const [line, sideBySide] = compare(doc, worth, pairs);
    let bonus = 0;
    for (const pair of sideBySide) {
      bonus += Math.max(...pair.split(" ").map((word) => worth.get(word) || 0));
    }
    const id = data.entries[doc][0];
    return { doc, id, score: (score + bonus / 2) * (isTriage(id) ? ranking.triage : 1),
             why: "matched " + (line || [...worth.keys()].join(" ")) };
  }

  /** How much of a word counts that this many short lines of the hit have. */
  const shareOf = (lines) => (lines + 0.5) / (lines + 2);

  /** Whether an entry leads to others, which come first if they fit as well. */
  const isTriage = (id) => id.replace(/\d+$/, "") === ranking.triageFamily;

  /** Whether a question asks for something else than the cause of a failure, by its first words. */
  const isRequest = (question) => ranking.requests.some(
    (start) => question.trimStart().toLowerCase().startsWith(start));

  /** Whether a hit explains too little of a question. */
  function isWeak(question, asked, wanted, { doc, id }) {
    if (asked.length === 1 && asked[0] === id.toLowerCase()) return false;
    const known = new Map(wanted.map((one) => [one.asked, one]));
    const unit = ranking.scale * Math.log1p(data.entries.length);
    let explained = isRequest(question) ? -ranking.explained * unit : 0, count = 0;
    for (const term of asked) {
      const one = known.get(term);
      const worth = one ? (one.docs.get(doc) || 0) * one.worth : 0;
      const share = one ? shareOf(linesOf(doc).filter(({ words }) => words.includes(one.term)).length) : 0;
      explained += elsewhere.has(term) && worth * share < ranking.explained * unit
        ? -ranking.foreign * unit : Math.min(worth, ranking.explained * unit) * share;
      if (one || !isUnspaced(term)) count += 1;
    }
    return explained < ranking.weak * unit * Math.sqrt(count);
  }

  /** The entries that answer a question best, as `dpkb search` orders and cuts them, and if they are weak. */
  return (question, most = ranking.shown) => {
    const asked = queryTerms(withoutFrames(question, ranking.lastFrames));
    const wanted = knownTerms(asked);
    const pairs = new Set(neighbours(asked));
    const bonuses = messages(question);
    const scores = [...scoresOf(wanted)].map(([doc, score]) => [doc, score * (1 + (bonuses.get(doc) || 0))]);
    const best = scores.sort((a, b) => b[1] - a[1] || a[0] - b[0])
      .slice(0, Math.max(most, ranking.lookedAt))
      .map(([doc, score]) => hit(doc, score, wanted, pairs));
    // A question that is an id alone means that entry.
    const isId = (found) => asked.length === 1 && asked[0] === found.id.toLowerCase();
    best.sort((a, b) => isId(b) - isId(a) || b.score - a.score);
    const hits = best.slice(0, most).filter((found) => found.score >= ranking.worthShowing * best[0].score);
    return { hits, weak: hits.length > 0 && isWeak(question, asked, wanted, hits[0]) };
  };
}

// -- signatures: dpkb/diagnosis -----------------------------------------------------------------------

/** The pattern; one that matches nothing where JavaScript does not know its syntax. */
function compiled(source, flags) {
  try {
    return new RegExp(source, flags);
  } catch {
    return /(?!)/;
  }
}

/** The signatures of all entries, their patterns compiled. */
function makeSignatures({ patterns, signatures, milliseconds }) {
  return { patterns: patterns.map(([source, flags]) => compiled(source, flags)), all: signatures, milliseconds };
}

function makeDiagnose(data, { patterns }) {
  const known = data.diagnosis;
  const prefix = new RegExp(known.prefix, "uy"), escapes = new RegExp(known.escapes, "gu");
  const [lastLine, otherLast] = [known.lastLine, known.otherLast].map((one) => new RegExp(`^(?:${one})`, "u"));
  const frame = new RegExp(known.frame, "u");
  const rules = known.rules.map(([source, inside, docs, worths]) => (
    { pattern: compiled(source, "u"), inside, signatures: docs.map((doc, i) => [-1, -1, worths[i], [doc]]) }));
  const byPattern = patterns.map((_, place) => known.signatures.filter(([match]) => match === place));

  function withoutPrefix(line) {
    let rest = line.trim();
    for (let i = 0; i < known.prefixes; i++) {
      prefix.lastIndex = 0;
      const found = prefix.exec(rest);
      if (!found || !found[0]) break;
      rest = rest.slice(found[0].length);
    }
    return rest;
  }

  /** The last lines of a paste, each with the line before it: the end says most.

      A text field ends every line with a newline, so a lone carriage return counts as a line end too. */
  function linesOf(text) {
    const clean = text.replace(escapes, "").replaceAll("\0", "").replace(/\r\n?/g, "\n");
    const all = clean.replace(/\n+$/, "").split("\n");
    const first = Math.max(0, all.length - known.mostLines);
    return all.slice(first).map((line, i) => ({
      number: first + i + 1, text: line.slice(0, known.longestLine), before: all[first + i - 1] || "",
    }));
  }

  /** Whether a line is the source that a traceback quotes: code that only names an error. */
  function isQuotedSource(line) {
    const column = line.before.indexOf('File "');
    return column >= 0 && line.text.slice(column, column + 2) === "  ";
  }

  /** Calls `keep` for each signature that a line matches. */
  function look(line, last, keep) {
    const bare = withoutPrefix(line.text);
    const found = patterns.flatMap((pattern, place) => (pattern.test(bare) ? [place] : []));
    for (const signature of found.flatMap((place) => byPattern[place])) {
      const near = signature[1];
      if (near < 0 || (last.has(near) && line.number - last.get(near) <= known.near)) {
        keep(signature, { line: line.number, text: bare.slice(0, 500) });
      }
    }
    found.forEach((place) => last.set(place, line.number));
  }

  /** What a traceback at the end says whose last line is missing: dpkb/diagnosis/frames.py */
  function lookAtCut(all, keep) {
    const lines = all.map((line) => withoutPrefix(line.text));
    const frames = lines.flatMap((line, i) => (frame.test(line) ? [i] : []));
    const afterFrame = new Set(frames.flatMap((i) => [i + 1, i + 2, i + 3]));
    const last = lines.findLastIndex(
      (line, i) => lastLine.test(line) || (afterFrame.has(i) && otherLast.test(line)));
    const cut = frames.filter((i) => i > last);
    if (!cut.length) return;
    const evidence = (place) => ({ line: all[place].number, text: lines[place].slice(0, 500) });
    let before = -2;
    for (let i = cut[0]; i < lines.length; i++) {
      if (!lines[i].startsWith(known.raise) && (before !== i - 1 || frame.test(lines[i]))) continue;
      before = i;
      const found = patterns.flatMap((pattern, place) => (pattern.test(lines[i]) ? byPattern[place] : []));
      found.filter(([, near]) => near < 0).forEach((signature) => keep(signature, evidence(i), 1));
    }
    for (let inside = 0; inside < cut.length; inside++) {
      const place = cut[cut.length - 1 - inside], source = lines[place + 1] || "";
      const rule = rules.find(({ pattern, inside: most }) => inside <= most && (
        pattern.test(lines[place]) || (!inside && pattern.test(source))));
      if (!rule) continue;
      rule.signatures.forEach((signature) => keep(signature, evidence(place), 1));
      return;
    }
  }

  function toMatch([doc, bySignature]) {
    let score = 0;
    for (const [, , worth, owners] of bySignature.keys()) score += worth / owners.length;
    const evidence = [...bySignature.values()].flat().sort((a, b) => a.line - b.line);
    const [{ line, text }] = evidence;
    return { doc, id: data.entries[doc][0], score: Math.round(score * 100) / 100, evidence,
             why: "its signature is in line " + line + ": " + text };
  }

  /** The entries that explain a log, best first, as `dpkb diagnose` ranks them. */
  return (text) => {
    const evidence = new Map(), last = new Map();
    const keep = (signature, found, most = known.linesEach) => {
      for (const doc of signature[3]) {
        if (!evidence.has(doc)) evidence.set(doc, new Map());
        const lines = evidence.get(doc).get(signature) || [];
        if (lines.length < most) evidence.get(doc).set(signature, [...lines, found]);
      }
    };
    // A paste that is built to be slow may take a second for all its lines, but no more.
    const end = Date.now() + known.milliseconds;
    const all = linesOf(text);
    for (const line of all) {
      if (Date.now() > end) break;
      if (!isQuotedSource(line)) look(line, last, keep);
    }
    if (Date.now() <= end) lookAtCut(all, keep);
    const found = [...evidence].map(toMatch);
    found.sort((a, b) => b.score - a.score || a.evidence[0].line - b.evidence[0].line || byText(a.id, b.id));
    const lines = new Set(found.length ? found[0].evidence.map((e) => e.line) : []);
    return found.filter((match) => match.score >= found[0].score * known.worthShowing
                                   || match.evidence.some((e) => lines.has(e.line)));
  };
}

/** What the page asks. One line is answered as `dpkb search` does, several as `dpkb diagnose` does; what
    only the other finds comes after. */
function makeFinder(data) {
  const signatures = makeSignatures(data.diagnosis);
  const search = makeSearch(data, signatures), diagnose = makeDiagnose(data, signatures);
  function answer(text) {
    const explained = new Map(diagnose(text).map((match) => [match.doc, match]));
    const { hits, weak } = search(text);
    const found = hits.map((hit) => explained.get(hit.doc) || hit);
    const isLog = text.trim().includes("\n");
    const all = isLog ? [...explained.values(), ...found] : [...found, ...explained.values()];
    return { hits: [...new Set(all)].slice(0, Math.max(data.ranking.shown, explained.size)),
             weak: weak && !explained.size };
  }
  return { search, diagnose, answer };
}

/** The search data as they are in their script: compressed, and in letters that any file may hold. */
async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

// -- the page --------------------------------------------------------------------------------------

const WAIT = 80;
// A longer question is a pasted log: it does not belong into the address.
const LONGEST_LINK = 200;

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function questionInAddress() {
  return new URLSearchParams(location.hash.slice(1)).get("q") || "";
}

function keepInAddress(question) {
  const text = question.trim();
  const short = text && text.length <= LONGEST_LINK && !text.includes("\n");
  if (!short && !questionInAddress()) return;
  try {
    history.replaceState(history.state, "", short ? "#q=" + encodeURIComponent(text)
                                                  : location.pathname + location.search);
  } catch {
    // An address that may not be changed, as in some frames: the search works without.
  }
}

/** A text whose `quoted` parts are code. */
function withCode(text) {
  return text.split(/`([^`]+)`/).map((part, i) => (i % 2 ? make("code", {}, part) : part));
}

function hitItem(data, root, hit) {
  const [id, title, kind, summary, address] = data.entries[hit.doc];
  const link = make("a", { href: new URL(address, root).href },
                    make("span", { class: "dpkb-search__id" }, id), " ", ...withCode(title));
  return make("li", {}, link, " ", make("span", { class: "dpkb-search__kind" }, kind),
              make("p", {}, ...withCode(summary)), make("p", { class: "dpkb-search__why" }, hit.why));
}

function announcement(question, { hits, weak }) {
  if (!question.trim()) return "";
  if (!hits.length) return "Nothing matches. Try the last line of the traceback, or fewer words.";
  if (weak) return "Nothing here fits well; nearest:";
  return hits.length === 1 ? "1 entry found" : hits.length + " entries found";
}

/** Loads the data once, however often it is asked for. */
function makeLoader(address) {
  let loading = null;
  return () => {
    loading = loading || new Promise((done, failed) => {
      const script = make("script", { src: address });
      script.addEventListener("load", () => unpack(window.DPKB_SEARCH).then(done, failed));
      script.addEventListener("error", failed);
      document.head.append(script);
    });
    return loading;
  };
}

/** Down from the end of the question into the answers, up and down among them, Escape back. */
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

function build(box) {
  const input = make("textarea", { id: "dpkb-question", rows: "3", autocomplete: "off", spellcheck: "false",
                                   autocapitalize: "off", "aria-describedby": "dpkb-search-hint" });
  const status = make("p", { class: "dpkb-search__status", role: "status", "aria-live": "polite" });
  const list = make("ol", { class: "dpkb-search__hits", "aria-label": "Entries found" });
  list.hidden = true;
  box.classList.add("dpkb-search");
  box.append(
    make("label", { for: "dpkb-question" }, "Paste an error message or a traceback, or say what you see"),
    input,
    make("p", { id: "dpkb-search-hint", class: "dpkb-search__hint" },
         "Arrow down goes to the entries found, Escape back."),
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
  const { input, status, list } = build(box);
  let finder = null, timer = 0;

  async function show() {
    let data;
    try {
      data = await load();
      finder = finder || makeFinder(data);
    } catch {
      status.textContent = "The search data could not be loaded.";
      return;
    }
    const found = input.value.trim() ? finder.answer(input.value) : { hits: [], weak: false };
    list.replaceChildren(...found.hits.map((hit) => hitItem(data, root, hit)));
    list.hidden = !found.hits.length;
    status.textContent = announcement(input.value, found);
  }

  function ask() {
    input.value = questionInAddress();
    show();
  }

  input.addEventListener("focus", () => load().catch(() => {}), { once: true });
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      keepInAddress(input.value);
      show();
    }, WAIT);
  });
  moveByKeys(box, input, list);
  addEventListener("hashchange", () => { if (box.isConnected && questionInAddress()) ask(); });
  if (questionInAddress()) ask();
}

if (typeof document === "undefined") {
  globalThis.dpkbSearch = { makeFinder, unpack };
} else if (document.readyState === "loading") {
  document.addEventListener("DOMContentLoaded", start);
} else {
  start();
}
})();
