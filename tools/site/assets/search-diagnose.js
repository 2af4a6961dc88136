/* The diagnosis of a pasted log on the start page: dpkb/diagnosis in JavaScript, under the same names.

   Needs search-rank.js. */
(function () {
"use strict";

const { byText, isTriage } = globalThis.dpkbSearch;

// -- signatures ---------------------------------------------------------------------------------------

/** The pattern; one that matches nothing if JavaScript does not know its syntax. */
function compile(source, flags) {
  try {
    return new RegExp(source, flags);
  } catch {
    return /(?!)/;
  }
}

/** The `diagnosis` of the search data with its patterns compiled. */
function compileSignatures(diagnosis) {
  return { ...diagnosis, patterns: diagnosis.patterns.map(([source, flags]) => compile(source, flags)) };
}

// -- lines: dpkb/diagnosis/log.py ----------------------------------------------------------------------

/** Whether a line is source code that a traceback quotes: it may name an error that was not raised. */
function isQuotedSource(line) {
  const column = line.before.indexOf('File "');
  return column >= 0 && line.text.slice(column, column + 2) === "  ";
}

/** The functions that read a text as lines, and a line without its prefixes. */
function makeLines({ prefix, maxPrefixes, escapes, maxLines, maxLineCharacters }) {
  const prefixPattern = new RegExp(prefix, "uy"), escapePattern = new RegExp(escapes, "gu");

  function withoutPrefix(line) {
    let rest = line.trim();
    for (let i = 0; i < maxPrefixes; i++) {
      prefixPattern.lastIndex = 0;
      const match = prefixPattern.exec(rest);
      if (!match || !match[0]) break;
      rest = rest.slice(match[0].length);
    }
    return rest;
  }

  /** The last lines of a paste, each with the line before it.

      A text field ends every line with a newline, so a lone carriage return counts as a line end too. */
  function linesOf(text) {
    const clean = text.replace(escapePattern, "").replaceAll("\0", "").replace(/\r\n?/g, "\n");
    const all = clean.replace(/\n+$/, "").split("\n");
    const first = Math.max(0, all.length - maxLines);
    return all.slice(first).map((line, i) => ({
      number: first + i + 1, text: line.slice(0, maxLineCharacters), before: all[first + i - 1] || "",
    }));
  }

  return { linesOf, withoutPrefix };
}

// -- the diagnosis: dpkb/diagnosis/match.py and frames.py ----------------------------------------------

/** Returns the diagnosis: a log -> the entries that explain it, best first, as `dpkb diagnose` ranks them. */
function makeDiagnose(data, signatureData) {
  const { patterns, signatures } = signatureData;
  const { linesOf, withoutPrefix } = makeLines(signatureData);
  const frame = new RegExp(signatureData.frame, "u");
  const [lastLine, lastLineAfterFrame] = [signatureData.lastLine, signatureData.lastLineAfterFrame].map(
    (source) => new RegExp(`^(?:${source})`, "u"));
  // A frame counts like a signature of each entry of its rule.
  const frameRules = signatureData.frameRules.map(([source, maxInner, docs, scores]) => ({
    pattern: compile(source, "u"), maxInner, signatures: docs.map((doc, i) => [-1, -1, scores[i], [doc]]),
  }));
  const byPattern = patterns.map((_, i) => signatures.filter(([match]) => match === i));

  const matchingPatterns = (line) => patterns.flatMap((pattern, i) => (pattern.test(line) ? [i] : []));

  /** Calls `keep` for each signature that a line matches. lastMatch: pattern -> line number. */
  function matchLine(line, lastMatch, keep) {
    const bare = withoutPrefix(line.text);
    const matching = matchingPatterns(bare);
    for (const signature of matching.flatMap((i) => byPattern[i])) {
      const near = signature[1];
      if (near < 0 || (lastMatch.has(near) && line.number - lastMatch.get(near) <= signatureData.nearLines)) {
        keep(signature, { line: line.number, text: bare.slice(0, signatureData.shownCharacters) });
      }
    }
    matching.forEach((i) => lastMatch.set(i, line.number));
  }

  /** Calls `keep` for what the traceback at the end shows, if its last line is missing. */
  function matchCutTraceback(lines, keep) {
    const texts = lines.map((line) => withoutPrefix(line.text));
    const frames = texts.flatMap((text, i) => (frame.test(text) ? [i] : []));
    const afterFrame = new Set(frames.flatMap((i) => [i + 1, i + 2, i + 3]));
    const last = texts.findLastIndex(
      (text, i) => lastLine.test(text) || (afterFrame.has(i) && lastLineAfterFrame.test(text)));
    const cut = frames.filter((i) => i > last);
    if (!cut.length) return;
    const evidence = (i) => (
      { line: lines[i].number, text: texts[i].slice(0, signatureData.shownCharacters) });
    for (const i of raiseLines(texts, cut[0])) {
      const signatures = matchingPatterns(texts[i]).flatMap((pattern) => byPattern[pattern]);
      signatures.filter(([, near]) => near < 0).forEach((signature) => keep(signature, evidence(i), 1));
    }
    const [innermost, rule] = innermostMatch(texts, cut);
    if (rule) rule.signatures.forEach((signature) => keep(signature, evidence(innermost), 1));
  }

  /** The indices of the lines of `raise` statements, which may have several lines, from `start` on. */
  function raiseLines(texts, start) {
    const indices = [];
    for (let i = start; i < texts.length; i++) {
      const goesOn = indices.at(-1) === i - 1 && !frame.test(texts[i]);
      if (texts[i].startsWith(signatureData.raise) || goesOn) indices.push(i);
    }
    return indices;
  }

  /** The innermost frame that a rule matches, and that rule. frames: the indices of lines. */
  function innermostMatch(texts, frames) {
    for (const [innerCount, i] of [...frames].reverse().entries()) {
      const source = texts[i + 1] || "";
      const rule = frameRules.find(({ pattern, maxInner }) => innerCount <= maxInner && (
        pattern.test(texts[i]) || (innerCount === 0 && pattern.test(source))));
      if (rule) return [i, rule];
    }
    return [undefined, undefined];
  }

  function toMatch([doc, bySignature]) {
    let score = 0;
    for (const [, , signatureScore, owners] of bySignature.keys()) score += signatureScore / owners.length;
    const evidence = [...bySignature.values()].flat().sort((a, b) => a.line - b.line);
    const [{ line, text }] = evidence;
    // The owners of a signature are in the order of how likely they are.
    const place = Math.min(...[...bySignature.keys()].map(([, , , owners]) => owners.indexOf(doc)));
    return { doc, place, id: data.entries[doc][0], score: Math.round(score * 100) / 100, evidence,
             why: "its signature is in line " + line + ": " + text };
  }

  return (text) => {
    const matched = new Map(), lastMatch = new Map();
    const keep = (signature, line, limit = signatureData.linesPerSignature) => {
      for (const doc of signature[3]) {
        if (!matched.has(doc)) matched.set(doc, new Map());
        const lines = matched.get(doc).get(signature) || [];
        if (lines.length < limit) matched.get(doc).set(signature, [...lines, line]);
      }
    };
    // A paste that is built to be slow may take this long for all its lines, but no longer.
    const end = Date.now() + signatureData.maxMilliseconds;
    const lines = linesOf(text);
    for (const line of lines) {
      if (Date.now() > end) break;
      if (!isQuotedSource(line)) matchLine(line, lastMatch, keep);
    }
    if (Date.now() <= end) matchCutTraceback(lines, keep);
    const matches = [...matched].map(toMatch);
    matches.sort(
      (a, b) => b.score - a.score || isTriage(a.id, data.ranking) - isTriage(b.id, data.ranking)
                || a.evidence[0].line - b.evidence[0].line || a.place - b.place
                || byText(data.entries[a.doc][1], data.entries[b.doc][1]));
    const bestLines = new Set(matches.length ? matches[0].evidence.map(({ line }) => line) : []);
    return matches.filter((match) => match.score >= matches[0].score * signatureData.minScoreShare
                                     || match.evidence.some(({ line }) => bestLines.has(line)));
  };
}

Object.assign(globalThis.dpkbSearch, { compileSignatures, makeDiagnose });
})();
