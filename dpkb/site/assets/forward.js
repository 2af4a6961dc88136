// A page of a permanent link: opens the entry's own page. Without JavaScript its link is there to follow.
location.replace(document.querySelector("link[rel=canonical]").href);
