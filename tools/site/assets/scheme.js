/* Applies the colours that the reader has chosen, before the page is drawn. The default is the system's. */
(function () {
  "use strict";

  try {
    const chosen = localStorage.getItem("dpkb-scheme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.scheme = chosen;
  } catch {
    // The browser stores nothing.
  }
})();
