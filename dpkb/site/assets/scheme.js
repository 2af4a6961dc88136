// Takes up the colours chosen before, ahead of the first picture. Without a choice the system's hold.
(function () {
  "use strict";

  try {
    const chosen = localStorage.getItem("dpkb-scheme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.scheme = chosen;
  } catch {
    // a browser that keeps nothing
  }
})();
