// What is wider than its place scrolls by the keyboard too.
(function () {
  "use strict";

  function mark() {
    for (const block of document.querySelectorAll("pre > code, .md-typeset__table, .md-typeset__scrollwrap")) {
      if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
      else block.removeAttribute("tabindex");
    }
  }

  addEventListener("load", mark);
  addEventListener("resize", mark);
})();
