/* On the page with the permanent address of an entry: opens its page. Without JavaScript there is a link. */
location.replace(document.querySelector("link[rel=canonical]").href);
