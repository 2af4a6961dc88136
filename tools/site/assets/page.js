/* On every page: the search, buttons for the language and the colours, copy buttons, scrolling by keyboard, the list of sections. */
(function () {
  "use strict";

  // The values of each choice, and the text of its button. The first is the default.
  const CHOICES = {
    language: { "": "中文", zh: "English" },
    scheme: { "": "Colours: system", light: "Colours: light", dark: "Colours: dark" },
  };
  const root = document.documentElement;
  const assets = new URL(".", document.currentScript.src);

  function button(className, text) {
    return Object.assign(document.createElement("button"), { type: "button", className, textContent: text });
  }

  /** Adds a button to the bar that goes to the next value of a choice. */
  function addChoice(name) {
    const bar = document.querySelector(".top");
    if (!bar) return;
    const texts = CHOICES[name], values = Object.keys(texts);
    const control = button(name, texts[root.dataset[name] || ""]);
    control.addEventListener("click", () => {
      const next = values[(values.indexOf(root.dataset[name] || "") + 1) % values.length];
      if (next) root.dataset[name] = next;
      else delete root.dataset[name];
      control.textContent = texts[next];
      try {
        localStorage.setItem("dpkb-" + name, next);
      } catch {
        // The browser stores nothing: the choice is for this page only.
      }
    });
    bar.append(control);
  }

  /** Adds a button to the bar, and the key `/`: both lead to the search, in a dialog if the page has none. */
  function addSearch() {
    const bar = document.querySelector(".top");
    if (!bar) return;
    let dialog = null;
    const control = button("find", "Search");
    control.setAttribute("aria-keyshortcuts", "/");
    control.addEventListener("click", open);
    bar.append(control);
    addEventListener("keydown", (event) => {
      const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      event.preventDefault();
      open();
    });

    function open() {
      const onPage = document.querySelector("main #dpkb-question");
      if (onPage) {
        onPage.scrollIntoView({ block: "center" });
        onPage.focus();
        return;
      }
      dialog = dialog || build();
      dialog.showModal();
      document.getElementById("dpkb-question")?.focus();
    }

    function build() {
      const made = document.createElement("dialog"), box = document.createElement("div");
      const close = button("close", "Close");
      made.setAttribute("aria-label", "Search");
      box.id = "dpkb-search";
      box.dataset.index = new URL("search-data.js", assets).href;
      close.addEventListener("click", () => made.close());
      made.append(close, box);
      document.body.append(made);
      // Only a reader who searches loads the search. search.js fills the box when it runs.
      for (const name of ["search-rank.js", "search-diagnose.js", "search.js"]) {
        const script = Object.assign(document.createElement("script"), { src: new URL(name, assets).href,
                                                                         async: false });
        script.addEventListener("load", () => document.getElementById("dpkb-question")?.focus());
        document.head.append(script);
      }
      return made;
    }
  }

  /** Opens the folded blocks around the place that the address names: not all browsers do. */
  function unfoldTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) {
      if (!fold.open) {
        fold.open = true;
        target.scrollIntoView();
      }
    }
  }

  // navigator.clipboard is missing on pages from a folder or over plain http.
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const field = Object.assign(document.createElement("textarea"), { value: text, readOnly: true });
      field.className = "aside";
      document.body.append(field);
      field.select();
      const isCopied = document.execCommand("copy");
      field.remove();
      return isCopied;
    }
  }

  function addCopyButton(pre) {
    const control = button("copy", "Copy");
    let timer = 0;
    control.setAttribute("aria-live", "polite");
    control.addEventListener("click", async () => {
      const isCopied = await copy(pre.textContent.replace(/\n$/, ""));
      control.focus();
      control.textContent = isCopied ? "Copied" : "Select it, then Ctrl-C";
      clearTimeout(timer);
      timer = setTimeout(() => { control.textContent = "Copy"; }, 2000);
    });
    pre.parentElement.append(control);
  }

  /** Puts a table into a block that scrolls, or that is a list where the window has no room for the columns. */
  function makeScrollable(table) {
    const block = document.createElement("div"), heads = [...table.rows[0].cells];
    // A table of many columns is compared by column: it scrolls.
    block.className = heads.length > 4 ? "scroll many" : "scroll";
    table.replaceWith(block);
    block.append(table);
    if (block.scrollWidth <= block.clientWidth || heads.length > 4) return;
    block.classList.add("list");
    // As blocks, they would not be a table for a screen reader.
    const roles = [["thead, tbody", "rowgroup"], ["tr", "row"], ["th", "columnheader"], ["td", "cell"]];
    table.setAttribute("role", "table");
    for (const [names, role] of roles) table.querySelectorAll(names).forEach((e) => e.setAttribute("role", role));
    for (const cell of table.querySelectorAll("td")) cell.dataset.head = heads[cell.cellIndex].textContent;
  }

  /** Makes blocks that are too wide for the page scroll by keyboard. */
  function markWideBlocks() {
    for (const block of document.querySelectorAll(".scroll, pre, .dpkb-picture")) {
      if (block.scrollWidth > block.clientWidth) {
        block.tabIndex = 0;
        if (!block.hasAttribute("role")) block.setAttribute("role", "group");
        if (!block.hasAttribute("aria-label")) block.setAttribute("aria-label", "wide: scrolls sideways");
      } else {
        block.removeAttribute("tabindex");
      }
    }
  }

  /** Opens the list of sections in a wide window, and closes it in a narrow one. */
  function adaptSectionList() {
    const sections = document.querySelector(".toc details"), wide = matchMedia("(min-width: 72em)");
    const adapt = () => { if (sections) sections.open = wide.matches; };
    wide.addEventListener("change", adapt);
    adapt();
  }

  addSearch();
  addChoice("language");
  addChoice("scheme");
  document.querySelectorAll("main pre").forEach(addCopyButton);
  document.querySelectorAll("main table").forEach(makeScrollable);
  adaptSectionList();
  markWideBlocks();
  unfoldTarget();
  addEventListener("hashchange", unfoldTarget);
  addEventListener("resize", markWideBlocks);
})();
