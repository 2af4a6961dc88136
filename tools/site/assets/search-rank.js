/* The ranking of the search on the start page: dpkb/search in JavaScript, under the same names.

   The site is a folder of files: there is no server to ask, and no question leaves the browser. All numbers,
   word lists and patterns are in the search data that tools/site/search_data.py writes.
   tests/tools/site/test_site_search.py compares the answers with those of Python, question by question. */
(function () {
"use strict";

// -- text -> terms: dpkb/search/tokens.py ----------------------------------------------------------

/** Whether a character is Chinese, Japanese or Korean: these are written without spaces. */
function isUnspaced(character) {
  const code = character.codePointAt(0);
  return code > 0x2e7f && (code <= 0x9fff || (code >= 0xac00 && code <= 0xd7af) ||
                           (code >= 0xf900 && code <= 0xfaff));
}

/** Words, and runs of characters of scripts that are written without spaces. */
function tokensOf(text, particles) {
  const tokens = [];
  let token = "", unspaced = false;
  for (const character of text.normalize("NFKC")) {
    const isInToken = /[\p{L}\p{N}_]/u.test(character) && !particles.includes(character);
    if (token && (!isInToken || isUnspaced(character) !== unspaced)) {
      tokens.push(token);
      token = "";
    }
    if (isInToken) {
      token += character;
      unspaced = isUnspaced(character);
    }
  }
  return token ? [...tokens, token] : tokens;
}

const isDigits = (text) => /^\p{Nd}+$/u.test(text);
const isUpper = (character) => /^\p{Uppercase}$/u.test(character);
const isLower = (character) => /^\p{Lowercase}$/u.test(character);
// Whether a word is a process id or an address.
const isNoise = (word) => (word.length > 4 && isDigits(word)) || word.startsWith("0x");

function isAllUpper(text) {
  return /\p{Uppercase}/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text);
}

function isInOneCase(token) {
  const hasUpper = /\p{Uppercase}/u.test(token), hasLower = /\p{Lowercase}/u.test(token);
  return !/\p{Lt}/u.test(token) && hasUpper !== hasLower;
}

/** The words of a name: worker_init_fn, DataLoader, CUDAError. */
function splitName(token, minPart) {
  const pieces = token.split("_").filter(Boolean);
  if (isInOneCase(token) || isDigits(token)) return pieces;
  return pieces.flatMap((piece) => {
    const letters = [...piece], words = [];
    // The s of GPUs and FLOPs is not the start of a word.
    if (letters.length > 1 && piece.endsWith("s") && isAllUpper(letters.slice(0, -1).join(""))) letters.pop();
    let start = 0;
    for (let i = 1; i < letters.length; i++) {
      const after = letters[i + 1];
      if (isUpper(letters[i]) && (!isUpper(letters[i - 1]) || (after && isLower(after)))) {
        words.push(letters.slice(start, i).join(""));
        start = i;
      }
    }
    words.push(letters.slice(start).join(""));
    return words.some((word) => [...word].length >= minPart) ? words : [letters.join("")];
  });
}

/** The start of a text. Python counts characters and JavaScript units, of which a character has one or two. */
function startOf(text, count) {
  return [...text.slice(0, 2 * count)].slice(0, count).join("");
}

/** Every two neighbouring characters of a text that is written without spaces. */
function characterPairs(run) {
  const pairs = [];
  for (let i = 0; i + 1 < run.length; i++) pairs.push(run[i] + run[i + 1]);
  return run.length > 1 ? pairs : [run];
}

/** Every two neighbouring terms, as one term. */
function neighbours(words) {
  return words.slice(1).map((word, i) => words[i] + " " + word);
}

/** A word without the endings that do not change its topic. */
function stem(word, endings) {
  const ending = endings.find(([end]) => word.endsWith(end) && word.length - end.length >= 3);
  if (ending && ending[0] === "s" && /(?:ss|us|is)$/.test(word) && !word.endsWith("pus")) return word;
  let left = ending ? word.slice(0, word.length - ending[0].length) + ending[1] : word;
  const last = left.at(-1);
  if (left.length > 3 && last === left.at(-2) && !"ls".includes(last)) left = left.slice(0, -1);
  return left.length > 3 && left.endsWith("e") ? left.slice(0, -1) : left;
}

/** Returns two functions: text -> its terms in order; question -> its distinct terms. words: `words` in the data. */
function makeTerms(words) {
  const stopWords = new Set(words.stopWords);

  function wordTerms(token) {
    const parts = splitName(token, words.minPart);
    const kept = parts.map((part) => part.toLowerCase())
      .filter((word) => !stopWords.has(word) && ([...word].length > 1 || isDigits(word)) && !isNoise(word))
      .map((word) => stem(word, words.endings));
    const whole = token.toLowerCase().replace(/^_+|_+$/g, "");
    return parts.length > 1 && !isNoise(whole) ? [whole, ...kept] : kept;
  }

  const splitIntoTerms = (text) => tokensOf(text, words.particles).flatMap(
    (token) => (isUnspaced(token) ? characterPairs(token) : wordTerms(token)));

  function splitQuestion(text) {
    const distinct = [...new Set(splitIntoTerms(startOf(text, words.maxCharacters)))].slice(0, words.maxTerms);
    return distinct.every((term) => stopWords.has(term)) ? [] : distinct;
  }
  return { splitIntoTerms, splitQuestion };
}

// -- postings: dpkb/search/postings.py ---------------------------------------------------------------

/** The numbers in a packed text, which has two characters for each. */
function unpackNumbers(text, { base, zero }) {
  const numbers = [];
  for (let i = 0; i < text.length; i += 2) {
    numbers.push(base * (text.charCodeAt(i) - zero) + text.charCodeAt(i + 1) - zero);
  }
  return numbers;
}

/** Returns a function: term -> its impact on each entry (a Map); undefined if no entry has the term. */
function makeImpacts(data) {
  const starts = new Map(), unpacked = new Map();
  data.terms.reduce((start, term, i) => {
    starts.set(term, [data.distances[i], start]);
    return start + data.distances[i].length;
  }, 0);
  return (term) => {
    if (!starts.has(term)) return undefined;
    if (!unpacked.has(term)) {
      const [distances, start] = starts.get(term);
      const impacts = unpackNumbers(data.impacts.slice(start, start + distances.length), data.packing);
      let doc = 0;
      unpacked.set(term, new Map(unpackNumbers(distances, data.packing).map(
        (distance, i) => [doc += distance, impacts[i]])));
    }
    return unpacked.get(term);
  };
}

/** Not for a number, and not for a term like an id: one that is near is something else. */
const mayBeMisspelt = (term) =>
  term.length >= 4 && term.length <= 24 && /^[\x00-\x7f]*$/.test(term) && !/^[a-z]{0,4}\d+$/i.test(term);

/** Every three consecutive letters of a term, with its ends marked. */
function trigrams(term) {
  const padded = "^" + term + "$", all = new Set();
  for (let i = 0; i + 3 <= padded.length; i++) all.add(padded.slice(i, i + 3));
  return all;
}

/** How many letters to change, add, drop or swap to get from a to b.

    If the lengths alone differ by more than the limit, the result is limit + 1. */
function countEdits(a, b, limit) {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
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

/** Returns a function: a term that no entry has -> its nearest spelling; null if there is none. */
function makeNearestSpelling(terms, impactsOf, comparedSpellings) {
  // Built for the first unknown term: it takes longer than a search.
  let byTrigram = null;

  function indexTrigrams() {
    byTrigram = new Map();
    for (const term of terms.filter(mayBeMisspelt)) {
      for (const trigram of trigrams(term)) {
        if (!byTrigram.has(trigram)) byTrigram.set(trigram, []);
        byTrigram.get(trigram).push(term);
      }
    }
    return byTrigram;
  }

  return (term) => {
    const shared = new Map();
    for (const trigram of trigrams(term)) {
      for (const other of (byTrigram || indexTrigrams()).get(trigram) || []) {
        shared.set(other, (shared.get(other) || 0) + 1);
      }
    }
    const docCount = (other) => impactsOf(other).size;
    const limit = term.length < 7 ? 1 : 2;
    const near = [...shared].sort(
      (a, b) => b[1] - a[1] || docCount(b[0]) - docCount(a[0]) || byText(a[0], b[0])
    ).slice(0, comparedSpellings)
      .map(([spelling]) => ({ spelling, edits: countEdits(term, spelling, limit) }))
      .filter(({ edits }) => edits <= limit);
    near.sort((a, b) => a.edits - b.edits || docCount(b.spelling) - docCount(a.spelling)
                        || byText(a.spelling, b.spelling));
    return near.length ? near[0].spelling : null;
  };
}

// -- quotations from a log: dpkb/search/quotations.py -------------------------------------------------

/** A question without the files and source lines of a traceback: they name much that did not fail. */
function withoutFrames(question, keptFrames) {
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
  return [...kept, ...functions.slice(-keptFrames)].join("\n");
}

/** A text without these characters at its start and end. */
function strip(text, characters) {
  let start = 0, end = text.length;
  while (start < end && characters.includes(text[start])) start++;
  while (end > start && characters.includes(text[end - 1])) end--;
  return text.slice(start, end);
}

/** Where the name of an exception starts that a line quotes with its message; -1 if it quotes none. */
function findException(line, { exceptionMarks }) {
  const ends = exceptionMarks.map((mark) => line.indexOf(mark)).filter((at) => at >= 0);
  return ends.length ? line.slice(0, Math.min(...ends)).lastIndexOf(" ") + 1 : -1;
}

/** The last message that a question quotes, without the name of the exception; empty if it quotes none. */
function findMessage(question, ranking) {
  for (const line of question.split("\n").reverse()) {
    const start = findException(line, ranking);
    if (start >= 0) return line.slice(line.indexOf(": ", start) + 2);
    if (ranking.pythonMessages.some((words) => line.includes(words))) return line;
  }
  return "";
}

/** The names in quotes. */
function quotedNames(text, { quotes, brackets }) {
  return text.split(/\s+/).map((word) => strip(word, brackets))
    .filter((word) => word && quotes.includes(word[0]) && quotes.includes(word.at(-1)));
}

/** Returns a function: a question -> the score of each entry with a signature that matches a line of it. */
function makeExplained({ patterns, signatures, maxMilliseconds }, ranking) {
  return (question) => {
    const scores = new Map(), isLog = /[:\n]/.test(question);
    const raw = question.split("\n"), bare = [...raw, ...raw.map((line) => strip(line, ranking.quoteCharacters))];
    const lines = [...new Set(
      [...bare, ...bare.map((line) => line.slice(Math.max(0, findException(line, ranking))))])];
    const end = Date.now() + maxMilliseconds;
    const matches = patterns.map((pattern) => Date.now() < end && lines.some((line) => pattern.test(line)));
    for (const [match, near, score, owners, isQuotable] of signatures) {
      if (!matches[match] || (near >= 0 && !matches[near]) || !(isLog || isQuotable)) continue;
      owners.forEach((doc, place) => scores.set(
        doc, (scores.get(doc) || 0) + score / owners.length / (1 + ranking.placeShare * place)));
    }
    return scores;
  };
}

// -- ranking: dpkb/search/rank.py, weakness.py and off_topic.py -----------------------------------------------------

/** Whether an entry helps to find the right entry. Any other entry that fits as well ranks above it. */
const isTriage = (id, ranking) => id.replace(/\d+$/, "") === ranking.triageFamily;

/** Returns the search: a question -> the entries that answer it best, whether even the first is weak, and
    whether the question does not say what failed. */
function makeSearch(data, signatureData) {
  const { splitIntoTerms, splitQuestion } = makeTerms(data.words);
  const ranking = data.ranking;
  const explainedBy = makeExplained(signatureData, ranking);
  const impactsOf = makeImpacts(data);
  const nearestSpelling = makeNearestSpelling(data.terms, impactsOf, ranking.comparedSpellings);
  const synonyms = new Map(
    data.synonyms.map(([term, ...others]) => [term, others.map((i) => data.terms[i])]));
  const offTopicTerms = new Set(ranking.offTopicTerms), [generalTerms, troubleTerms, nameTerms] = ranking.generalTerms.map((terms) => new Set(terms));
  const linesByDoc = new Map();

  /** The terms of a question and their synonyms -> how much each counts. */
  function withSynonyms(questionTerms) {
    const weights = new Map(questionTerms.map((term) => [term, 1]));
    for (const term of questionTerms) {
      for (const other of synonyms.get(term) || []) {
        if (!weights.has(other)) weights.set(other, ranking.synonymWeight);
      }
    }
    return weights;
  }

  /** The posting lists of the terms of a question and of their synonyms, if any entry has them. */
  function findPostingLists(questionTerms) {
    const postingLists = [];
    for (const [questionTerm, ownWeight] of withSynonyms(questionTerms)) {
      let term = questionTerm, weight = ownWeight, impacts = impactsOf(term);
      if (!impacts && mayBeMisspelt(questionTerm)) {
        term = nearestSpelling(questionTerm);
        [impacts, weight] = [term === null ? undefined : impactsOf(term), ranking.misspeltWeight];
      }
      if (impacts) postingLists.push({ questionTerm, term, impacts, weight });
    }
    return postingLists;
  }

  /** The score of each entry that has a term of the question. */
  function scoresOf(postingLists, explained) {
    const scores = new Map();
    for (const { impacts, weight } of postingLists) {
      for (const [doc, impact] of impacts) scores.set(doc, (scores.get(doc) || 0) + impact * weight);
    }
    const best = Math.max(0, ...scores.values()), most = Math.max(...explained.values());
    for (const [doc, score] of explained) {
      if (scores.has(doc)) scores.set(doc, scores.get(doc) + ranking.explainedFactor * best * score / most);
    }
    return scores;
  }

  /** The terms of each short line of an entry, which are unpacked when they are first needed. */
  function linesOf(doc) {
    if (!linesByDoc.has(doc)) {
      const lines = [[]];
      for (const number of unpackNumbers(data.lines[doc], data.packing)) {
        if (number) lines.at(-1).push(data.terms[number - 1]);
        else lines.push([]);
      }
      linesByDoc.set(doc, lines);
    }
    return linesByDoc.get(doc);
  }

  /** An entry as a hit, with its exact score. */
  function compare(doc, score, postingLists, pairs) {
    const termScores = new Map();
    for (const { questionTerm, impacts, weight } of postingLists) {
      if (impacts.has(doc)) termScores.set(questionTerm, impacts.get(doc) * weight);
    }
    const commonPairs = new Set(linesOf(doc).flatMap(neighbours).filter((pair) => pairs.has(pair)));
    let bonus = 0;
    for (const pair of commonPairs) {
      bonus += Math.max(...pair.split(" ").map((word) => termScores.get(word) || 0));
    }
    const id = data.entries[doc][0];
    return { doc, id, score: score + bonus / 2 };
  }

  /** Whether a question asks for something other than the cause of a failure, judged by its first words. */
  const isRequest = (question) => ranking.requestStarts.some(
    (start) => question.trimStart().toLowerCase().startsWith(start));

  /** Whether general words are all that is known of a question: it does not say what failed. */
  function isUnclear(question, postingLists) {
    const known = new Set(postingLists.filter((list) => list.term === list.questionTerm).map((list) => list.term));
    const text = ranking.generalChinese.reduce(
      (left, word) => left.replaceAll(word, " "),
      startOf(question, data.words.maxCharacters).replaceAll("_", " "));
    // Of a compound name only the whole is compared: "PointLLM" is not about a point.
    const said = text.split(/\s+/).map((word) => splitIntoTerms(word)[0]);
    const isTrouble = said.some((term) => troubleTerms.has(term));
    return said.every((term) => !known.has(term) || generalTerms.has(term)
                                || (isTrouble && nameTerms.has(term.replace(/\d+$/, ""))));
  }

  /** How rare each term of a text is, in its spelling of the data. The parts of a word share its weight. */
  function weighTerms(text, postingLists) {
    const known = new Map(postingLists.map((list) => [list.questionTerm, list])), rarities = new Map();
    for (const terms of startOf(text, data.words.maxCharacters).split(/\s+/).map(splitIntoTerms)) {
      for (const questionTerm of terms) {
        const { term, impacts } = known.get(questionTerm) || { term: questionTerm, impacts: new Map() };
        const weight = Math.log((data.entries.length + 1) / (impacts.size + 0.5)) / terms.length;
        rarities.set(term, Math.max(weight, rarities.get(term) || 0));
      }
    }
    return rarities;
  }

  const sum = (numbers) => numbers.reduce((all, number) => all + number, 0);

  /** How much a line and a question have in common, from 0 to 1. The most telling word counts half. */
  function computeFit(line, rarities) {
    const words = [...new Set(line)], common = words.filter((word) => rarities.has(word)).map((word) => rarities.get(word));
    const shared = sum(common) - Math.max(0, ...common) / 2;
    return shared / (sum([...rarities.values()]) + ranking.extraWord * (words.length - common.length));
  }

  /** Whether a hit explains too little of a question. */
  function isWeak(questionTerms, postingLists, rarities, { doc }) {
    const byTerm = new Map(postingLists.map((postingList) => [postingList.questionTerm, postingList]));
    const unit = ranking.scale * Math.log1p(data.entries.length);
    const maxScore = ranking.maxTermScore * unit;
    const fits = linesOf(doc).map((line) => computeFit(line, rarities)), bestFit = Math.max(...fits);
    const bestLine = linesOf(doc)[fits.indexOf(bestFit)];
    let explained = 0, count = 0;
    for (const questionTerm of questionTerms) {
      const postingList = byTerm.get(questionTerm);
      let score = 0, share = 0;
      if (postingList) {
        score = (postingList.impacts.get(doc) || 0) * postingList.weight;
        const lineCount = linesOf(doc).filter((words) => words.includes(postingList.term)).length;
        share = (lineCount + 0.5) / (lineCount + 2);
      }
      const isOffTopic = offTopicTerms.has(questionTerm) && !bestLine.includes(questionTerm);
      explained += isOffTopic && score * share < maxScore ? -maxScore : Math.min(score, maxScore) * share;
      // Most pairs of Chinese characters are no words.
      if (postingList || !isUnspaced(questionTerm)) count += 1;
    }
    return explained * Math.sqrt(bestFit) < ranking.minExplained * unit * Math.sqrt(count);
  }

  /** Whether an entry has a line about this message, and not only a word of it, or a similar message. */
  function fitsMessage(message, postingLists, { doc }) {
    const rarities = weighTerms(message, postingLists);
    const names = quotedNames(message, ranking).flatMap((name) => splitIntoTerms(name.toLowerCase()));
    return linesOf(doc).some((line) => {
      const isOther = names.length > 0 && !names.some((name) => line.includes(name));
      return computeFit(line, rarities) >= ranking.minMessageFit * (1 + isOther);
    });
  }

  /** The one term of a question that is an id alone, in any spelling: dp1 for "dp-1"; else null. */
  function idIn(question) {
    const id = question.trim().toUpperCase().replace(/[-_ ]+(\d*)$/, "$1");
    return data.entries.some(([known]) => known === id) ? [id.toLowerCase()] : null;
  }

  return (question, limit = ranking.defaultHits) => {
    const text = withoutFrames(question, ranking.keptFrames), questionTerms = idIn(question) || splitQuestion(text);
    const postingLists = findPostingLists(questionTerms);
    const pairs = new Set(neighbours(questionTerms));
    const explained = explainedBy(question), message = findMessage(question, ranking);
    const ranked = [...scoresOf(postingLists, explained)].sort((a, b) => b[1] - a[1] || a[0] - b[0])
      .slice(0, Math.max(limit, ranking.minCompared))
      .map(([doc, score]) => compare(doc, score, postingLists, pairs));
    // A question that is an id alone means that entry.
    const isAskedFor = (hit) => questionTerms.length === 1 && questionTerms[0] === hit.id.toLowerCase();
    ranked.sort((a, b) => isAskedFor(b) - isAskedFor(a) || b.score - a.score);
    const hits = ranked.slice(0, limit).filter((hit) => hit.score >= ranking.minScoreShare * ranked[0].score);
    const isId = hits.length > 0 && isAskedFor(hits[0]);
    const saysLittle = !isId && !explained.size && isUnclear(question, postingLists);
    const weak = hits.length > 0 && !isId && !explained.size
      && (saysLittle || isWeak(questionTerms, postingLists, weighTerms(text, postingLists), hits[0])
          || (message !== "" && !fitsMessage(message, postingLists, hits[0])));
    const unclear = saysLittle && !isRequest(question);
    return { hits: weak ? hits.slice(0, ranking.weakHits) : hits, weak, unclear };
  };
}

globalThis.dpkbSearch = { makeSearch, byText, isTriage };
})();
