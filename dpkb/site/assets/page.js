// What every page can do beyond being read: colours, copy buttons, wide blocks by keyboard, the list of parts.
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
        // a browser that keeps nothing: the choice holds for this page
      }
    });
    bar.append(control);
  }

  // A page from a folder, or over plain http, may have no clipboard of the new kind.
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const field = Object.assign(document.createElement("textarea"), { value: text, readOnly: true });
      field.className = "aside";
      document.body.append(field);
      field.select();
      const done = document.execCommand("copy");
      field.remove();
      return done;
    }
  }

  function addCopyButton(pre) {
    const control = button("copy", "Copy");
    let timer = 0;
    control.setAttribute("aria-live", "polite");
    control.addEventListener("click", async () => {
      const done = await copy(pre.textContent.replace(/\n$/, ""));
      control.focus();
      control.textContent = done ? "Copied" : "Select it, then Ctrl-C";
      clearTimeout(timer);
      timer = setTimeout(() => { control.textContent = "Copy"; }, 2000);
    });
    pre.parentElement.append(control);
  }

  function wrap(table) {
    const place = document.createElement("div");
    place.className = "scroll";
    table.replaceWith(place);
    place.append(table);
  }

  // What is wider than its place scrolls by the keyboard too.
  function markWide() {
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

  function followWidth() {
    const parts = document.querySelector(".toc details"), wide = matchMedia("(min-width: 72em)");
    const follow = () => { if (parts) parts.open = wide.matches; };
    wide.addEventListener("change", follow);
    follow();
  }

  addSchemeButton();
  document.querySelectorAll("main pre").forEach(addCopyButton);
  document.querySelectorAll("main table").forEach(wrap);
  followWidth();
  markWide();
  addEventListener("resize", markWide);
})();
