/* Explains terms in place: on hover and focus, and on a first tap; a second one, like a click, follows the link to the glossary.
   Where the chapter has explained a term before, it is no link and no stop for the keyboard. */
"use strict";

(() => {
  const data = document.getElementById("explanations");
  if (!data) return;
  const sentences = JSON.parse(data.textContent);
  const GAP = 8;
  const box = document.createElement("div");
  Object.assign(box, { id: "explanation", className: "explanation", hidden: true });
  box.setAttribute("role", "tooltip");
  document.body.append(box);
  document.documentElement.classList.add("explains");
  let shown = null;
  let leaving = 0;

  const termAt = (target) => (target instanceof Element ? target.closest(".explained") : null);

  const hide = () => {
    clearTimeout(leaving);
    box.hidden = true;
    shown?.removeAttribute("aria-describedby");
    shown = null;
  };

  /* Below the term's first line, or above where the window ends; never beyond its sides. */
  const place = (term) => {
    const at = term.getClientRects()[0];
    const width = document.documentElement.clientWidth;
    const left = Math.max(GAP, Math.min(at.left, width - box.offsetWidth - GAP));
    const below = at.bottom + GAP / 2;
    const top = below + box.offsetHeight > innerHeight ? at.top - box.offsetHeight - GAP / 2 : below;
    box.style.left = `${left + scrollX}px`;
    box.style.top = `${top + scrollY}px`;
  };

  const show = (term) => {
    clearTimeout(leaving);
    if (shown === term) return;
    hide();
    const sentence = sentences[term.dataset.term || term.hash.slice(1)];
    if (!sentence) return;
    box.textContent = sentence;
    box.hidden = false;
    shown = term;
    term.setAttribute("aria-describedby", box.id);
    place(term);
  };

  /* A moment's grace, so that the pointer can go from the term to its explanation. */
  const leave = () => {
    clearTimeout(leaving);
    leaving = setTimeout(hide, 250);
  };

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse") return;
    const term = termAt(event.target);
    if (term) show(term);
    else if (box.contains(event.target)) clearTimeout(leaving);
    else if (shown && document.activeElement !== shown) leave();
  });
  document.addEventListener("focusin", (event) => {
    const term = termAt(event.target);
    if (term) show(term);
    else hide();
  });
  document.addEventListener("focusout", (event) => { if (event.target === shown) leave(); });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  /* Phones make their window higher and lower while one scrolls; only another width moves the words. */
  let wide = innerWidth;
  window.addEventListener("resize", () => {
    if (innerWidth !== wide) hide();
    wide = innerWidth;
  });

  let firstTap = null;
  document.addEventListener("pointerdown", (event) => {
    const term = termAt(event.target);
    firstTap = term && event.pointerType !== "mouse" && shown !== term ? term : null;
    if (!term && !box.contains(event.target)) hide();
  });
  document.addEventListener("click", (event) => {
    const term = termAt(event.target);
    if (!term || term !== firstTap) return;
    event.preventDefault();
    show(term);
  });
})();
