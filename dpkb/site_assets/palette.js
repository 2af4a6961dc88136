// Takes up the colours chosen before, ahead of the first picture: the theme's inline script, as a file.
(function () {
  var palette = __md_get("__palette");
  if (!palette || !palette.color) return;
  if (palette.color.media === "(prefers-color-scheme)") {
    var scheme = matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
    var input = document.querySelector(`[data-md-color-media='(prefers-color-scheme: ${scheme})']`);
    for (var name of ["media", "scheme", "primary", "accent"]) {
      palette.color[name] = input.getAttribute("data-md-color-" + name);
    }
  }
  for (var [key, value] of Object.entries(palette.color)) {
    document.body.setAttribute("data-md-color-" + key, value);
  }
})();
