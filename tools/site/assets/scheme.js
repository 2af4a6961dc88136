/* Applies the colours and the language that the reader has chosen, before the page is drawn. */
(function () {
  "use strict";

  try {
    const chosen = localStorage.getItem("dpkb-scheme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.scheme = chosen;
    if (localStorage.getItem("dpkb-language") === "zh") document.documentElement.dataset.language = "zh";
  } catch {
    // The browser stores nothing.
  }
})();
