/* On every page: a button for the colours, copy buttons, scrolling by keyboard, the list of sections. */
(function () {
  "use strict";

  const SCHEMES = { "": "Colours: system", light: "Colours: light", dark: "Colours: dark" };
  const root = document.documentElement;

  function button(className, text) {
    return Object.assign(document.createElement("button"), { type: "button", className, textContent: text });
  }

  function addSchemeButton() {
    const bar = document.querySelector(".top");
    if (!bar) return;
    const names = Object.keys(SCHEMES);
    const control = button("scheme", SCHEMES[root.dataset.scheme || ""]);
    control.addEventListener("click", () => {
      const next = names[(names.indexOf(root.dataset.scheme || "") + 1) % names.length];
      if (next) root.dataset.scheme = next;
      else delete root.dataset.scheme;
      control.textContent = SCHEMES[next];
      try {
        localStorage.setItem("dpkb-scheme", next);
      } catch {
        // The browser stores nothing: the choice is for this page only.
      }
    });
    bar.append(control);
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

  /** Puts a table into a block that scrolls. */
  function makeScrollable(table) {
    const block = document.createElement("div");
    block.className = "scroll";
    table.replaceWith(block);
    block.append(table);
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

  addSchemeButton();
  document.querySelectorAll("main pre").forEach(addCopyButton);
  document.querySelectorAll("main table").forEach(makeScrollable);
  adaptSectionList();
  markWideBlocks();
  addEventListener("resize", markWideBlocks);
})();
