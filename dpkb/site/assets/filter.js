// The list on the start page, filtered by kind, family, torch and GPU. The choice stands in the address,
// so that a link to it can be shared. Without this file the whole list is there.
(function () {
  "use strict";

  const KEYS = ["kind", "family", "torch", "gpu"];

  function numbers(version) {
    return version.split("+")[0].split(".").map((part) => parseInt(part, 10) || 0);
  }

  function compare(a, b) {
    for (let i = 0; i < Math.max(a.length, b.length); i++) {
      if ((a[i] || 0) !== (b[i] || 0)) return (a[i] || 0) < (b[i] || 0) ? -1 : 1;
    }
    return 0;
  }

  // Whether a version meets one part of a specifier of PEP 440: ">=1.8", "==2.4.*", "~=2.4.1".
  function meets(have, operator, wanted, star) {
    const order = compare(have, wanted);
    const within = (parts) => compare(have.slice(0, parts.length), parts) === 0;
    return { ">=": order >= 0, "<=": order <= 0, ">": order > 0, "<": order < 0,
             "==": star ? within(wanted) : order === 0, "!=": star ? !within(wanted) : order !== 0,
             "~=": order >= 0 && within(wanted.slice(0, -1)) }[operator];
  }

  // Whether a cell such as "torch >=1.8,<2.5, os linux" covers a torch. What it does not say excludes nothing.
  function covers(cell, torch) {
    const have = numbers(torch);
    for (const part of cell.matchAll(/(?:^|, )torch ([^a-z]+)/g)) {
      for (const [, operator, version, star] of part[1].matchAll(/(>=|<=|==|!=|~=|>|<)\s*([0-9.]*[0-9])(\.\*)?/g)) {
        if (!meets(have, operator, numbers(version), star)) return false;
      }
    }
    return true;
  }

  function rowsOf(article) {
    return [...article.querySelectorAll("tbody tr")].map((row) => {
      const [id, , kind, versions, needs] = [...row.cells].map((cell) => cell.textContent.trim());
      return { row, family: id.replace(/[0-9]+$/, ""), kind, versions, needs };
    });
  }

  function field(form, name, label, values) {
    const wrap = document.createElement("label");
    wrap.append(label + " ");
    const select = document.createElement("select");
    select.name = name;
    for (const [value, text] of [["", "all"], ...values]) select.add(new Option(text, value));
    wrap.append(select);
    form.append(wrap);
  }

  function build(form, rows) {
    const distinct = (key) => [...new Set(rows.map((row) => row[key]))].map((value) => [value, value]);
    field(form, "kind", "Kind", distinct("kind"));
    field(form, "family", "Family", distinct("family"));
    const torch = document.createElement("label");
    const input = Object.assign(document.createElement("input"), { name: "torch", size: 7, placeholder: "2.4.1" });
    input.inputMode = "decimal";
    torch.append("Affects torch ", input);
    form.append(torch);
    field(form, "gpu", "Needs", [["no", "CPU is enough"], ["yes", "a GPU"]]);
    const count = document.createElement("output");
    form.append(count);
    return count;
  }

  function apply(form, rows, count) {
    const chosen = Object.fromEntries(KEYS.map((key) => [key, form.elements[key].value.trim()]));
    const version = /^[0-9]+(\.[0-9]+)*/.test(chosen.torch) ? chosen.torch : "";
    let shown = 0;
    for (const { row, family, kind, versions, needs } of rows) {
      const keep = (!chosen.kind || kind === chosen.kind) && (!chosen.family || family === chosen.family)
        && (!chosen.gpu || (needs === "GPU") === (chosen.gpu === "yes")) && (!version || covers(versions, version));
      row.hidden = !keep;
      shown += keep;
    }
    for (const table of new Set(rows.map(({ row }) => row.closest("table")))) {
      const empty = !table.querySelector("tbody tr:not([hidden])");
      const block = table.closest(".scroll") || table;
      block.hidden = empty;
      let heading = block.previousElementSibling;
      if (heading && heading.tagName === "H3") heading.hidden = empty;
    }
    count.textContent = `${shown} of ${rows.length} entries`;
    return chosen;
  }

  function keep(chosen) {
    const query = new URLSearchParams(Object.entries(chosen).filter(([, value]) => value)).toString();
    try {
      history.replaceState(null, "", location.pathname + (query ? "?" + query : "") + location.hash);
    } catch {
      // a browser that forbids this for file:// still filters
    }
  }

  function start() {
    const place = document.getElementById("dpkb-filter");
    if (!place) return;
    const form = document.createElement("form");
    form.setAttribute("aria-label", "Filter the list of entries");
    const rows = rowsOf(place.parentElement);
    const count = build(form, rows);
    const query = new URLSearchParams(location.search);
    for (const key of KEYS) {
      form.elements[key].value = query.get(key) || "";
    }
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => keep(apply(form, rows, count)));
    place.append(form);
    apply(form, rows, count);
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
