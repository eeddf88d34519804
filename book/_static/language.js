/* Small helps that the pages do without where JavaScript is off. */
"use strict";

/* The language that a reader chooses is remembered for the first page, and the section is kept. */
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-language]");
  if (!link) return;
  try {
    localStorage.setItem("language", link.dataset.language);
  } catch (error) {
    /* A browser that stores nothing still follows the link. */
  }
  if ("samePage" in link.dataset) link.hash = location.hash;
});

/* An open list of languages, or of ways to run the page, closes on Escape, when one clicks or goes elsewhere, and when the page is left. */
const switchers = () => document.querySelectorAll("details.language-switcher[open], details.launch[open]");
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const switcher of switchers()) {
    switcher.open = false;
    switcher.querySelector("summary").focus();
  }
});
const closeOthers = (place) => {
  for (const switcher of switchers()) if (!switcher.contains(place)) switcher.open = false;
};
document.addEventListener("click", (event) => closeOthers(event.target));
document.addEventListener("focusin", (event) => closeOthers(event.target));
window.addEventListener("pagehide", () => closeOthers(null)); /* or they would lie over the text when the reader comes back */

/* What an address leads to on this page, if anything. */
const targetOf = (address) => {
  try {
    return document.getElementById(decodeURIComponent(address.hash.slice(1)));
  } catch (error) {
    return null; /* an address such as #100% */
  }
};

/* On a phone the list of sections lies over the page, and goes when one has been chosen. The theme then gives the focus back to the list's button;
   but the reader is at the section. */
document.addEventListener("click", (event) => {
  const link = event.target.closest('dialog a[href^="#"]');
  if (!link) return;
  const dialog = link.closest("dialog");
  const section = targetOf(link);
  dialog.addEventListener("close", () => {
    const heading = section?.querySelector("h1, h2, h3, h4");
    if (!heading) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    section.scrollIntoView();
  }, { once: true });
  dialog.close();
});

/* Browsers do not let a page that was opened as a file run a notebook. */
if (location.protocol === "file:") {
  document.querySelectorAll(".launch :is([data-launch='browser'], [data-launch='exercise'])").forEach((link) => link.closest("li").remove());
  for (const list of document.querySelectorAll(".launch")) if (!list.querySelector("li")) list.remove();
}

/* A link into a closed answer opens it. */
const openTarget = () => {
  for (let box = targetOf(location)?.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
};
window.addEventListener("hashchange", openTarget);
openTarget();

/* On paper all answers are open and colours are those for a white page; afterwards everything is as it was. */
let beforePaper = null;
window.addEventListener("beforeprint", () => {
  if (beforePaper) return;
  const closed = [...document.querySelectorAll("article details:not(.hide, [open])")];
  beforePaper = { closed, theme: document.documentElement.dataset.theme };
  closed.forEach((box) => { box.open = true; });
  document.documentElement.dataset.theme = "light";
});
window.addEventListener("afterprint", () => {
  if (!beforePaper) return;
  beforePaper.closed.forEach((box) => { box.open = false; });
  document.documentElement.dataset.theme = beforePaper.theme;
  beforePaper = null;
});

/* What is wider than its place scrolls there, and a keyboard reaches it. Of a hundred places all are measured before anything is changed: a change in
   between would have the page laid out anew for each. Then the reader has a turn, who may be scrolling already. */
const WIDE = "article span.math, article .formula, article div.output, article pre, article .pst-scrollable-table-container";
const AT_ONCE = 100;
const letScroll = (all) => {
  const measured = all.slice(0, AT_ONCE).map((each) => [each, each.scrollWidth - each.clientWidth]);
  for (const [each, beyond] of measured) {
    const wide = beyond > (each.matches(".formula, pre, .pst-scrollable-table-container") ? 1 : 12);
    if (wide === each.classList.contains("scrolls")) continue;
    each.classList.toggle("scrolls", wide);
    if (wide && !each.closest("button, a, summary")) each.tabIndex = 0;
    else each.removeAttribute("tabindex");
  }
  if (all.length > AT_ONCE) setTimeout(letScroll, 0, all.slice(AT_ONCE));
};
/* What is folded away, or not laid out yet, is measured when it is there. */
const letScrollIn = (place, how) => letScroll([...place.querySelectorAll(WIDE)].filter((each) => each.checkVisibility?.(how) ?? true));
const letAllScroll = () => letScrollIn(document, { contentVisibilityAuto: true });
document.addEventListener("toggle", letAllScroll, true);
window.addEventListener("resize", () => requestAnimationFrame(letAllScroll));
window.addEventListener("load", () => setTimeout(letAllScroll));
document.fonts?.ready.then(() => setTimeout(letAllScroll)); /* formulas change their width with their font */

/* A long page is not laid out at once (book.css): first what the reader sees, then a section whenever there is nothing else to do. */
const waiting = [...document.querySelectorAll("article > section > section")];
const whenIdle = (what) => (window.requestIdleCallback ?? setTimeout)(what);
const layOutNext = () => {
  const section = waiting.shift();
  if (!section) return;
  section.classList.add("laid-out");
  letScrollIn(section);
  whenIdle(layOutNext);
};
window.addEventListener("load", () => whenIdle(layOutNext));
