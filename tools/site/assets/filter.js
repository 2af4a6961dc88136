/* The filters above the list of entries on the start page: by kind, family, torch and who finds it.

   The choice is in the address of the page, so that a link to it can be shared. Without JavaScript the page
   shows the whole list. */
(function () {
  "use strict";

  const KEYS = ["kind", "family", "torch", "by"];

  function parseVersion(version) {
    return version.split("+")[0].split(".").map((part) => parseInt(part, 10) || 0);
  }

  function compareVersions(a, b) {
    for (let i = 0; i < Math.max(a.length, b.length); i++) {
      if ((a[i] || 0) !== (b[i] || 0)) return (a[i] || 0) < (b[i] || 0) ? -1 : 1;
    }
    return 0;
  }

  /** Whether a version meets one part of a PEP 440 specifier: ">=1.8", "==2.4.*", "~=2.4.1". */
  function meets(have, operator, wanted, star) {
    const order = compareVersions(have, wanted);
    const startsWith = (parts) => compareVersions(have.slice(0, parts.length), parts) === 0;
    return { ">=": order >= 0, "<=": order <= 0, ">": order > 0, "<": order < 0,
             "==": star ? startsWith(wanted) : order === 0, "!=": star ? !startsWith(wanted) : order !== 0,
             "~=": order >= 0 && startsWith(wanted.slice(0, -1)) }[operator];
  }

  const SPECIFIER = /(>=|<=|==|!=|~=|>|<)\s*([0-9.]*[0-9])(\.\*)?/g;

  /** Whether a cell such as "torch >=1.8,<2.5, os linux" covers a torch; without a torch it covers all. */
  function covers(cell, torch) {
    const have = parseVersion(torch);
    for (const part of cell.matchAll(/(?:^|, )torch ([^a-z]+)/g)) {
      for (const [, operator, version, star] of part[1].matchAll(SPECIFIER)) {
        if (!meets(have, operator, parseVersion(version), star)) return false;
      }
    }
    return true;
  }

  /** The rows of all tables, each with the texts of its cells. */
  function rowsOf(article) {
    return [...article.querySelectorAll("tbody tr")].map((row) => {
      const [id, , kind, by, versions] = [...row.cells].map((cell) => cell.textContent.trim());
      return { row, family: id.replace(/[0-9]+$/, ""), kind, by, versions };
    });
  }

  function addField(form, label, input) {
    const element = document.createElement("label");
    element.append(label + " ", input);
    form.append(element);
  }

  /** A field to choose from. choices: value and text of each. */
  function newSelect(name, choices) {
    const select = Object.assign(document.createElement("select"), { name });
    for (const [value, text] of [["", "all"], ...choices]) select.add(new Option(text, value));
    return select;
  }

  /** "DP · Data pipeline": the heading of a family. */
  function nameOf(letters) {
    const heading = document.getElementById("family-" + letters.toLowerCase());
    return heading ? heading.textContent.replace("¶", "") : letters;
  }

  /** Adds the fields to the form. Returns the element for the number of entries. */
  function addFields(form, rows) {
    const distinct = (key) => [...new Set(rows.map((row) => row[key]))].map((value) => [value, value]);
    const torch = Object.assign(document.createElement("input"),
                                { name: "torch", size: 7, placeholder: "2.4.1", inputMode: "decimal" });
    addField(form, "Kind", newSelect("kind", distinct("kind")));
    addField(form, "Family", newSelect("family", distinct("family").map(([letters]) => [letters, nameOf(letters)])));
    addField(form, "Affects torch", torch);
    addField(form, "Found by", newSelect("by", [["lint", "lint"], ["audit", "audit"]]));
    const count = document.createElement("output");
    form.append(count);
    return count;
  }

  /** Shows the rows that meet the choice. Returns the choice. */
  function applyFilters(form, rows, count) {
    const chosen = Object.fromEntries(KEYS.map((key) => [key, form.elements[key].value.trim()]));
    const version = /^[0-9]+(\.[0-9]+)*/.test(chosen.torch) ? chosen.torch : "";
    let shown = 0;
    for (const { row, family, kind, versions, by } of rows) {
      const isShown = (!chosen.kind || kind === chosen.kind) && (!chosen.family || family === chosen.family)
        && (!chosen.by || by.split(", ").includes(chosen.by))
        && (!version || covers(versions, version));
      row.hidden = !isShown;
      shown += isShown;
    }
    hideEmptyTables(rows);
    count.textContent = `${shown} of ${rows.length} entries`;
    return chosen;
  }

  /** Hides the tables without a shown row, and their headings. */
  function hideEmptyTables(rows) {
    for (const table of new Set(rows.map(({ row }) => row.closest("table")))) {
      const isEmpty = !table.querySelector("tbody tr:not([hidden])");
      const block = table.closest(".scroll") || table;
      block.hidden = isEmpty;
      const heading = block.previousElementSibling;
      if (heading && heading.tagName === "H3") heading.hidden = isEmpty;
    }
  }

  function keepInAddress(chosen) {
    const query = new URLSearchParams(Object.entries(chosen).filter(([, value]) => value)).toString();
    try {
      history.replaceState(null, "", location.pathname + (query ? "?" + query : "") + location.hash);
    } catch {
      // Some browsers forbid this for files: the filters still work.
    }
  }

  function start() {
    const place = document.getElementById("dpkb-filter");
    if (!place) return;
    const form = document.createElement("form");
    form.setAttribute("aria-label", "Filter the list of entries");
    const rows = rowsOf(place.parentElement);
    const count = addFields(form, rows);
    const query = new URLSearchParams(location.search);
    for (const key of KEYS) {
      form.elements[key].value = query.get(key) || "";
    }
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => keepInAddress(applyFilters(form, rows, count)));
    place.append(form);
    applyFilters(form, rows, count);
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
