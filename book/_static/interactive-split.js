/* Splitting features into heads and merging them again: the numbers move, and below them is the order in which memory holds them. */
"use strict";

(() => {
  const { fill, make, slider, choice, button, speaker, start } = window.Interactive;
  const STAGES = ["whole", "cut", "apart", "merged"];
  const COLOURS = ["#a9cde6", "#f6d493", "#a6d9c8", "#f2b8a0", "#d9c2e9", "#d6d6d6"];

  /* At each stage the shape and the numbers in the order of memory. */
  const stages = (x, heads, way) => {
    const [tokens, width] = [x.length, x[0].length];
    const each = width / heads;
    const flat = x.flat();
    const whole = { shape: [tokens, width], memory: flat };
    const pick = (h, t, c) => (way === "right" ? x[t][h * each + c] : flat[(h * tokens + t) * each + c]);
    const range = (n) => [...Array(n).keys()];
    const apart = range(heads).flatMap((h) => range(tokens).flatMap((t) => range(each).map((c) => pick(h, t, c))));
    const merged = range(tokens).flatMap((t) => range(heads).flatMap((h) => range(each).map((c) => pick(h, t, c))));
    return [
      whole,
      way === "right" ? { shape: [tokens, heads, each], memory: flat } : whole,
      { shape: [heads, tokens, each], memory: apart },
      { shape: [tokens, width], memory: merged },
    ];
  };

  /* The order of memory as text, for those who do not see it: runs along the last axis and, where heads stand apart, the name of each before it. */
  const runs = (numbers, each) => Array.from({ length: numbers.length / each }, (_, n) => numbers.slice(n * each, (n + 1) * each));
  const order = (numbers, each, text) => runs(numbers, each).map((run) => run.join(text.comma)).join(text.semicolon);
  const orderOfHeads = (numbers, tokens, each, text) => runs(numbers, tokens * each)
    .map((head, n) => fill(text.of_head, { n, numbers: order(head, each, text) })).join(text.semicolon);

  window.Interactive.figures.split = { stages };

  start("split", (figure, stage, data) => {
    const { text, x } = data;
    const [tokens, width] = [x.length, x[0].length];
    const state = { ...data.start };
    const said = speaker();
    const written = (value) => String(value).padStart(2, "0");
    const cells = new Map(x.flat().map((value) => [value, make("span", { className: "interactive-cell" }, written(value))]));
    const slots = x.flat().map(() => make("span"));
    const names = Array.from({ length: width }, () => make("span", { className: "interactive-name" }));
    const floor = make("div", { className: "interactive-floor", "aria-hidden": "true" }, ...cells.values(), ...names);
    const memory = make("div", { className: "interactive-memory", "aria-hidden": "true" }, ...slots);
    const inWords = make("p", { className: "interactive-unseen visually-hidden" });

    const heads = choice(text.heads, data.heads.map((each) => [each, String(each)]), state.heads,
      (value) => change({ heads: Number(value) }));
    const way = choice(text.way, [["right", text.right], ["wrong", text.wrong]], state.way, (value) => change({ way: value }));
    const step = slider(text.stage, { min: 0, max: STAGES.length - 1, step: 1, value: state.stage },
      (value) => `${value + 1} / ${STAGES.length}`,
      (value) => change({ stage: value }));
    const move = (by) => {
      change({ stage: Math.max(0, Math.min(STAGES.length - 1, state.stage + by)) });
      step.set(state.stage);
    };
    const previous = button(text.previous, () => move(-1));
    const next = button(text.next, () => move(1));
    const change = (changed) => {
      Object.assign(state, changed);
      draw();
    };

    const draw = (aloud = true) => {
      const found = stages(x, state.heads, state.way);
      const each = width / state.heads;
      const now = found[state.stage];
      const colour = new Map(found[2].memory.map((value, place) => [value, COLOURS[Math.floor(place / (tokens * each))]]));
      const name = STAGES[state.stage];
      const gap = { whole: 0, cut: state.way === "right" ? 0.25 : 0, apart: 0.7, merged: 0 }[name];
      const side = Math.min(44, (floor.clientWidth || 320) / (width + 0.7 * (width - 1)));
      floor.style.height = `${side * (tokens + 1)}px`;
      now.memory.forEach((value, place) => {
        let [head, token, column] = [0, Math.floor(place / width), place % width];
        if (name === "apart") {
          [head, token, column] = [Math.floor(place / (tokens * each)), Math.floor(place / each) % tokens, place % each];
        } else {
          [head, column] = [Math.floor(column / each), column % each];
        }
        const left = (head * each + column + head * gap) * side;
        const cell = cells.get(value);
        cell.style.transform = `translate(${left}px, ${(token + 1) * side}px)`;
        cell.style.width = cell.style.height = `${side - 2}px`;
        cell.style.background = state.stage === 0 ? "" : colour.get(value);
        slots[place].textContent = written(value);
        slots[place].style.background = state.stage === 0 ? "" : colour.get(value);
      });
      names.forEach((label, head) => {
        label.textContent = name === "apart" && head < state.heads ? fill(state.heads > 3 ? "{n}" : text.head, { n: head }) : "";
        label.style.transform = `translate(${head * (each + gap) * side}px, 0)`;
      });
      for (const [each, off] of [[previous, state.stage === 0], [next, state.stage === STAGES.length - 1]]) {
        each.setAttribute("aria-disabled", String(off));
      }
      const said_ = { wrong: { cut: "uncut", apart: "apart_wrong", merged: "merged_wrong" }, right: {} }[state.way][name] || name;
      const shape = `(${now.shape.join(", ")})`;
      const numbers = name === "apart" ? orderOfHeads(now.memory, tokens, each, text) : order(now.memory, now.shape.at(-1), text);
      inWords.textContent = fill(text.order, { shape, numbers });
      said.say(fill(text[said_], { shape }), aloud);
    };

    stage.replaceChildren(floor, make("p", { className: "interactive-note" }, text.memory), memory, inWords);
    stage.before(make("div", { className: "interactive-controls" }, heads.box, way.box, step.box,
      make("div", { className: "interactive-row" }, previous, next)));
    stage.after(said.seen, said.heard);
    draw(false);
    addEventListener("resize", () => draw(false));
  });
})();
