// Where the theme keeps the reader's choice of colours: its own inline script, as a file for the CSP.
var __md_scope = new URL(document.currentScript.dataset.base + "/", location);
var __md_hash = (text) => [...text].reduce((sum, char) => (sum << 5) - sum + char.charCodeAt(0), 0);
var __md_get = (key, storage = localStorage, scope = __md_scope) => {
  try {
    return JSON.parse(storage.getItem(scope.pathname + "." + key));
  } catch {
    return null; // a browser that keeps nothing
  }
};
var __md_set = (key, value, storage = localStorage, scope = __md_scope) => {
  try {
    storage.setItem(scope.pathname + "." + key, JSON.stringify(value));
  } catch {
    // a browser that keeps nothing
  }
};
