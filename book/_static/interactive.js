/* What the interactive figures share: their data, numbers in the page's language, controls that have labels. */
"use strict";

window.Interactive = (() => {
  const language = document.documentElement.lang || "en";
  const figures = {};

  const number = (value, options = {}) => new Intl.NumberFormat(language, options).format(value).replace("-", "\u2212");
  const fixed = (value, digits) => number(value, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const fill = (template, values) => template.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));

  /* Sentences one after the other; Chinese puts no space between them. */
  const sentences = (...all) => all.filter(Boolean).join(language.startsWith("zh") ? "" : " ");

  /* Bytes in the unit that fits; units are the page's words for bytes, KiB, MiB and so on. */
  const bytes = (value, units) => {
    let place = 0;
    while (value >= 1024 && place + 1 < units.length) {
      value /= 1024;
      place += 1;
    }
    const digits = value >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 };
    return `${number(value, { ...digits, roundingMode: "halfEven" })}\u00a0${units[place]}`;
  };

  /* An element: attributes are properties where there is one of that name, children are elements or text. */
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name in element) element[name] = value;
      else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  };

  const slider = (text, { min, max, step, value }, show, changed) => {
    // Seen beside the slider, and spoken by it: read as a part of its label, or when it changes, it would be heard twice.
    const output = make("span", { className: "interactive-value", "aria-hidden": "true" });
    const input = make("input", { type: "range", min, max, step, value });
    const update = () => {
      output.textContent = show(Number(input.value));
      input.setAttribute("aria-valuetext", output.textContent);
    };
    input.addEventListener("input", () => {
      update();
      changed(Number(input.value));
    });
    const set = (to) => {
      input.value = to;
      update();
    };
    update();
    return { box: make("label", { className: "interactive-control" }, make("span", {}, text), input, output), input, set };
  };

  /* A list to choose from. Options are [value, text] or [value, text, group]. */
  const choice = (text, options, value, changed) => {
    const input = make("select");
    const offer = (offered, chosen) => {
      input.replaceChildren();
      const groups = new Map();
      for (const [each, shown, group] of offered) {
        if (group && !groups.has(group)) groups.set(group, input.appendChild(make("optgroup", { label: group })));
        (groups.get(group) || input).append(make("option", { value: String(each) }, shown));
      }
      input.value = String(chosen);
    };
    offer(options, value);
    input.addEventListener("change", () => changed(input.value));
    return { box: make("label", { className: "interactive-control" }, make("span", {}, text), input), input, offer,
      set: (to) => { input.value = String(to); } };
  };

  /* A whole number to type in. What is not one between min and max is not taken: `allowed` says what is, and the last good number comes back when the
     reader goes on. */
  let fields = 0;
  const field = (text, { min, max, value }, allowed, changed) => {
    fields += 1;
    const hint = make("span", { className: "interactive-refused", id: `interactive-refused-${fields}`, role: "status" });
    const input = make("input", { type: "number", min, max, step: 1, value, inputMode: "numeric", "aria-describedby": hint.id });
    let last = value;
    const mark = (good) => {
      input.setAttribute("aria-invalid", String(!good));
      const said = good ? "" : fill(allowed, { min: number(min), max: number(max) });
      if (hint.textContent !== said) hint.textContent = said;
    };
    const set = (to) => {
      input.value = last = to;
      mark(true);
    };
    input.addEventListener("input", () => {
      const typed = input.valueAsNumber;
      const good = Number.isInteger(typed) && typed >= min && typed <= max;
      mark(good);
      if (!good) return;
      last = typed;
      changed(typed);
    });
    input.addEventListener("blur", () => set(last));
    return { box: make("div", { className: "interactive-control" }, make("label", { htmlFor: `interactive-field-${fields}` }, text),
      Object.assign(input, { id: `interactive-field-${fields}` }), hint), input, set };
  };

  const button = (text, pressed) => {
    const made = make("button", { type: "button", className: "interactive-button" }, text);
    made.addEventListener("click", pressed);
    return made;
  };

  /* A sentence that all can read at once, and that is read aloud when the reader pauses. What has been read aloud goes again, or the sentence would
     stand there twice for those who listen. */
  const speaker = () => {
    const seen = make("p", { className: "interactive-said" });
    const heard = make("p", { className: "visually-hidden", role: "status" });
    let timer;
    const say = (text, aloud = true) => {
      seen.textContent = text;
      if (!aloud) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        heard.textContent = text;
        timer = setTimeout(() => { heard.textContent = ""; }, 7000);
      }, 500);
    };
    return { seen, heard, say };
  };

  /* Bars with a name and a number each; `update` takes [name, share of the width, number as text]. */
  const bars = () => {
    const box = make("div", { className: "interactive-bars", "aria-hidden": "true" });
    const update = (rows) => {
      while (box.children.length < rows.length) {
        box.append(make("div", {}, make("span"), make("span", { className: "interactive-bar" }, make("i")), make("span")));
      }
      while (box.children.length > rows.length) box.lastChild.remove();
      rows.forEach(([name, share, text, mark], place) => {
        const [first, bar, last] = box.children[place].children;
        first.textContent = name;
        bar.firstChild.style.width = `${(100 * share).toFixed(2)}%`;
        last.textContent = text;
        box.children[place].classList.toggle("interactive-marked", Boolean(mark));
      });
    };
    return { box, update };
  };

  const start = (name, setUp) => {
    for (const figure of document.querySelectorAll(`[data-interactive="${name}"]`)) {
      const data = JSON.parse(figure.querySelector('script[type="application/json"]').textContent);
      setUp(figure, figure.querySelector(".interactive-stage"), data);
      figure.classList.add("interactive-alive");
    }
  };

  return { number, fixed, fill, sentences, bytes, make, slider, choice, field, button, speaker, bars, start, figures };
})();
