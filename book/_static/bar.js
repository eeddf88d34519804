/* The buttons above the text say to those who listen what they have done, and dialogs are closed when the page is left. */
"use strict";

(() => {
  const root = document.documentElement;
  const wide = matchMedia("(min-width: 992px)"); /* as the theme has it: from there on the table of contents stands beside the text */
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const dialogs = [...document.querySelectorAll("dialog")];
  const [search, contents, sections] = ["search-dialog", "primary-sidebar-modal", "secondary-sidebar-modal"].map((name) => document.getElementById(`pst-${name}`));
  const beside = document.getElementById("pst-primary-sidebar");
  const toggles = [[".primary-toggle", contents], [".secondary-toggle", sections]];
  const colours = document.querySelector(".theme-switch-button");
  const name = colours?.getAttribute("aria-label");

  search?.setAttribute("aria-label", document.querySelector(".search-button__button")?.getAttribute("aria-label") ?? "");
  contents?.setAttribute("aria-label", document.querySelector(".bd-docs-nav")?.getAttribute("aria-label") ?? "");
  sections?.setAttribute("aria-labelledby", document.getElementById("pst-page-toc-nav")?.getAttribute("aria-labelledby") ?? "");

  const tell = () => {
    for (const [toggle, dialog] of toggles) {
      const open = dialog?.open || (dialog === contents && wide.matches && !beside?.classList.contains("pst-sidebar-hidden"));
      for (const each of document.querySelectorAll(toggle)) each.setAttribute("aria-expanded", String(Boolean(open)));
    }
    const mode = colours?.querySelector(`[data-mode="${root.dataset.mode}"]`)?.title;
    if (mode) colours.setAttribute("aria-label", `${name}${root.lang.startsWith("zh") ? "：" : ": "}${mode}`);
  };
  const watch = new MutationObserver(tell);
  watch.observe(root, { attributes: true, attributeFilter: ["data-mode"] });
  if (beside) watch.observe(beside, { attributes: true, attributeFilter: ["class"] });
  for (const each of dialogs) watch.observe(each, { attributes: true, attributeFilter: ["open"] });
  wide.addEventListener?.("change", tell);
  tell();

  window.addEventListener("pagehide", () => {
    for (const each of dialogs) if (each.open) each.close();
  });

  /* The colours may have been chosen in another tab, or on the page that the reader comes back from. */
  const dress = () => {
    const mode = localStorage.getItem("mode") || "auto";
    if (mode === root.dataset.mode) return;
    root.dataset.mode = mode;
    root.dataset.theme = mode === "auto" ? (dark.matches ? "dark" : "light") : mode;
  };
  window.addEventListener("pageshow", (event) => { if (event.persisted) dress(); });
  window.addEventListener("storage", (event) => { if (event.key === "mode" || event.key === null) dress(); });
})();
