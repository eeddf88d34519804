/* Questions that a reader answers. What is in the page (question, options, explanations in a dropdown) is moved about, never copied. */
"use strict";

(() => {
  const words = (text, ...values) => Documentation.gettext(text).replace(/\{(\d)\}/g, (_, number) => values[number]);
  /* Labels and the order of options are the same in all languages, so that progress is, too. */
  const key = `quiz ${location.pathname.split("/").pop().replace(/\.html$/, "")}`;

  /* A browser that stores nothing has no answers, and what is not ours is none. */
  const load = () => {
    try {
      const stored = JSON.parse(localStorage.getItem(key));
      return stored && typeof stored === "object" && !Array.isArray(stored) ? stored : {};
    } catch (error) {
      return {};
    }
  };
  const save = (answers) => {
    try {
      localStorage.setItem(key, JSON.stringify(answers));
    } catch (error) {
      /* The answers then last as long as the page. */
    }
  };

  const element = (name, attributes, ...children) => {
    const made = document.createElement(name);
    for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
    made.append(...children);
    return made;
  };

  /* An option becomes a button, with a place below it that is read aloud when its explanation comes there. */
  const makeOption = (item, home) => {
    const text = [...item.children].flatMap((each) => (each.tagName === "P" ? [...each.childNodes] : [each]));
    const mark = element("span", { class: "option__mark", "aria-hidden": "true" });
    const button = element("button", { type: "button", class: "option", "aria-pressed": "false" }, mark, element("span", {}, ...text));
    const place = element("div", { class: "option__place", role: "status" });
    const why = element("div", { class: "option__why" }, ...home.childNodes);
    home.append(why);
    item.replaceChildren(button, place);
    return { button, mark, place, why, home };
  };

  const makeQuestion = (box) => {
    const [asked, list, folded] = box.children;
    const options = [...list.children].map((item, number) => makeOption(item, folded.querySelectorAll("ul > li")[number]));
    list.setAttribute("role", "group");
    list.setAttribute("aria-labelledby", asked.id);
    for (const item of list.children) item.setAttribute("role", "none");
    box.classList.add("question--live");
    return { id: asked.id, right: Number(box.dataset.right), options };
  };

  const show = (question, chosen) => {
    question.options.forEach((option, number) => {
      const open = chosen.includes(number);
      const state = number === question.right ? "right" : "wrong";
      option.button.setAttribute("aria-pressed", open);
      option.button.dataset.state = option.place.dataset.state = open ? state : "";
      option.mark.textContent = open ? (state === "right" ? "✓" : "✗") : "";
      const target = open ? option.place : option.home;
      if (option.why.parentNode !== target) target.append(option.why);
    });
  };

  const boxes = document.querySelectorAll(".question[data-right]");
  /* Without the script of all pages there are no words, and the answers stay as they are without scripts: folded. */
  if (!boxes.length || typeof Documentation === "undefined") return;
  const section = boxes[0].closest("section");
  const questions = [...boxes].map(makeQuestion);
  let answers = load();

  const chosenOf = (question) => (Array.isArray(answers[question.id]) ? answers[question.id] : []);
  const solved = (question) => chosenOf(question).includes(question.right);
  const score = element("span", { class: "quiz-progress__score", role: "status" });
  const again = element("button", { type: "button", class: "quiz-progress__again" }, words("Begin again"));
  const progress = element("div", { class: "quiz-progress" }, score, again);
  section.classList.add("has-quiz");

  const render = () => {
    questions.forEach((question) => show(question, chosenOf(question)));
    const right = words("Right: {0} of {1}", questions.filter(solved).length, questions.length);
    if (score.textContent !== right) score.textContent = right; /* or it would be read aloud again */
    progress.classList.toggle("quiz-progress--done", questions.every(solved));
    again.hidden = !questions.some((question) => chosenOf(question).length);
  };

  questions.forEach((question) => question.options.forEach((option, number) => option.button.addEventListener("click", () => {
    answers = load(); /* a page in another tab or language may have had some, too */
    answers[question.id] = [...new Set([...chosenOf(question), number])];
    save(answers);
    render();
  })));
  again.addEventListener("click", () => {
    answers = {};
    save(answers);
    render();
    questions[0].options[0].button.focus();
  });
  /* On paper all explanations are there. */
  window.addEventListener("beforeprint",
    () => questions.forEach((question) => show(question, question.options.map((_, number) => number))));
  window.addEventListener("afterprint", render);
  render();
  section.querySelector("h1, h2, h3").after(progress);

  /* Answers come from other tabs, and from where the reader has been before coming back. */
  const renew = () => {
    answers = load();
    render();
  };
  window.addEventListener("storage", (event) => { if (event.key === key || event.key === null) renew(); });
  window.addEventListener("pageshow", (event) => { if (event.persisted) renew(); });
})();
