/* The softmax that takes keys in tile by tile, one step at a time. */
"use strict";

(() => {
  const { fixed, fill, sentences, make, choice, button, speaker, start } = window.Interactive;
  const PAUSE = 1400; // milliseconds between two steps that play by themselves

  /* After each tile: the largest score m, the factor of the earlier sums, the sums l and u, and the output so far. */
  const steps = (scores, values, tile) => {
    let [m, l, u] = [-Infinity, 0, 0];
    const found = [];
    for (let begin = 0; begin < scores.length; begin += tile) {
      const block = scores.slice(begin, begin + tile);
      const larger = Math.max(m, ...block);
      const shrink = Math.exp(m - larger);
      const powers = block.map((score) => Math.exp(score - larger));
      l = shrink * l + powers.reduce((a, b) => a + b, 0);
      u = shrink * u + powers.reduce((sum, power, place) => sum + power * values[begin + place], 0);
      m = larger;
      found.push({ m, shrink, l, u, output: u / l });
    }
    return found;
  };

  window.Interactive.figures.online = { steps };

  start("online", (figure, stage, data) => {
    const { text, scores, values } = data;
    const body = stage.querySelector("tbody");
    const said = speaker();
    const state = { tile: data.start.tile, step: 0 };
    const whole = steps(scores, values, scores.length)[0].output;
    let found, timer;

    const columns = scores.map((score) => {
      const bar = make("i");
      return { bar, box: make("div", {}, make("span", {}, bar), make("small", {}, fixed(score, 1))) };
    });
    const picture = make("div", { className: "interactive-columns", "aria-hidden": "true" }, ...columns.map((each) => each.box));
    const size = choice(text.size, data.tiles.map((each) => [each, String(each)]), state.tile, (value) => {
      stop();
      Object.assign(state, { tile: Number(value), step: 0 });
      compute();
      draw();
    });
    const go = (step) => {
      state.step = Math.max(0, Math.min(found.length, step));
      draw();
    };
    const stop = () => {
      clearInterval(timer);
      timer = undefined;
      play.textContent = text.play;
    };
    const previous = button(text.previous, () => { stop(); go(state.step - 1); });
    const next = button(text.next, () => { stop(); go(state.step + 1); });
    const play = button(text.play, () => {
      if (timer) return stop();
      if (state.step === found.length) go(0);
      play.textContent = text.pause;
      timer = setInterval(() => {
        go(state.step + 1);
        if (state.step === found.length) stop();
      }, PAUSE);
    });
    const reset = button(text.reset, () => { stop(); go(0); });

    const compute = () => {
      found = steps(scores, values, state.tile);
      body.replaceChildren(...found.map((step, place) => make("tr", {}, make("th", { scope: "row" }, String(place + 1)),
        ...["m", "shrink", "l", "u", "output"].map(
          (name) => make("td", {}, place === 0 && name === "shrink" ? "–" : fixed(step[name], 3))))));
    };
    const sentence = (step) => {
      const numbers = { step: state.step, steps: found.length, m: fixed(step.m, 3), l: fixed(step.l, 3), u: fixed(step.u, 3),
        shrink: fixed(step.shrink, 3) };
      const ending = state.step === found.length ? fill(text.done, { output: fixed(step.output, 3), whole: fixed(whole, 3) }) : "";
      return sentences(fill(state.step === 1 ? text.first : step.shrink === 1 ? text.same : text.shrunk, numbers), ending);
    };
    const draw = (aloud = true) => {
      const step = found[state.step - 1];
      const stopAt = state.step * state.tile;
      columns.forEach(({ bar, box }, place) => {
        bar.style.height = `${place < stopAt ? 100 * Math.exp(scores[place] - step.m) : 0}%`;
        box.classList.toggle("interactive-now", place < stopAt && place >= stopAt - state.tile);
        box.classList.toggle("interactive-past", place < stopAt - state.tile);
        box.classList.toggle("interactive-edge", place % state.tile === 0);
      });
      [...body.rows].forEach((row, place) => {
        row.classList.toggle("interactive-later", place >= state.step);
        row.classList.toggle("interactive-marked", place === state.step - 1);
      });
      /* A button that has the focus and can do no more stays a button, or the focus would be lost. */
      for (const [each, off] of [[previous, state.step === 0], [next, state.step === found.length]]) {
        each.setAttribute("aria-disabled", String(off));
      }
      said.say(step ? sentence(step) : text.empty, aloud);
    };

    stage.before(make("div", { className: "interactive-controls" }, size.box),
      make("div", { className: "interactive-row" }, previous, next, play, reset),
      make("p", { className: "interactive-note" }, text.bars), picture, said.seen, said.heard);
    compute();
    draw(false);

    /* On paper all tiles have been taken in; afterwards the reader is back at the step of before. */
    let before;
    addEventListener("beforeprint", () => {
      stop();
      before ??= state.step;
      state.step = found.length;
      draw(false);
    });
    addEventListener("afterprint", () => {
      if (before === undefined) return;
      [state.step, before] = [before, undefined];
      draw(false);
    });
  });
})();
