/* The search page: what it shows of a hit, where the focus is, and which words the next page marks. */
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  /* The page's text, without the buttons and lists around it. */
  const textOf = Search.htmlToText;
  Search.htmlToText = (source, anchor) => {
    const page = new DOMParser().parseFromString(source, "text/html");
    const around = ".bd-header-article, .prev-next-footer, #jb-print-docs-body, .bd-sidebar-secondary, .bd-footer-content, .headerlink";
    page.querySelectorAll(around).forEach((element) => element.remove());
    return textOf(page.documentElement.outerHTML, anchor);
  };

  /* The theme looks for the field in the dialog, which is closed. */
  if (!new URLSearchParams(location.search).get("q")) document.querySelector(".bd-search-container input[name=q]")?.focus();

  /* The words that were looked for are marked on the page of a hit, and on no other that comes next. */
  let chosen = false;
  document.addEventListener("click", (event) => { chosen = Boolean(event.target.closest("#search-results a")); });
  window.addEventListener("pagehide", () => { if (!chosen) localStorage.removeItem("sphinx_highlight_terms"); });
});
