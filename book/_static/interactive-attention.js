/* One head of attention, row by row: choose who asks, the head, the mask, the temperature and the scale. */
"use strict";

(() => {
  const { fixed, number, fill, make, slider, choice, button, speaker, bars, start } = window.Interactive;

  const sees = (mask, window, i, j) => mask === "none" || (j <= i && (mask === "causal" || i - j < window));

  /* Weights of one row of scores; what a query may not see is null among them and gets 0. */
  const softmax = (scores) => {
    const largest = Math.max(...scores.filter((score) => score !== null));
    const powers = scores.map((score) => (score === null ? 0 : Math.exp(score - largest)));
    const sum = powers.reduce((a, b) => a + b, 0);
    return powers.map((power) => power / sum);
  };

  const weights = (head, { mask, temperature, exponent }, window) => {
    const divisor = temperature * head.d ** exponent;
    return head.scores.map((row, i) => softmax(row.map((score, j) => (sees(mask, window, i, j) ? score / divisor : null))));
  };

  /* Over how many equal keys a row would be as spread out: e to the power of its entropy. */
  const spread = (row) => Math.exp(-row.reduce((sum, weight) => sum + (weight > 0 ? weight * Math.log(weight) : 0), 0));

  window.Interactive.figures.attention = { weights, spread };

  start("attention", (figure, stage, data) => {
    const { text, heads } = data;
    const state = { ...data.start };
    const rows = [...stage.querySelectorAll("tbody tr")];
    const columns = [...stage.querySelectorAll("thead th")].slice(1);
    const said = speaker();
    const shown = bars();
    const formula = make("p", { className: "interactive-note" });
    const rowName = make("p", { className: "interactive-note interactive-strong" });

    const pickers = rows.map((row, place) => {
      const picker = button("", () => pick(place));
      row.cells[0].replaceChildren(picker);
      row.addEventListener("click", () => pick(place));
      return picker;
    });
    const pick = (place) => {
      state.query = place;
      draw();
    };

    const head = choice(text.head, heads.map((each, place) => [place, each.name, each.group]), state.head,
      (value) => change({ head: Number(value) }));
    const masks = [["none", text.none], ["causal", text.causal], ["window", fill(text.window, { n: data.window })]];
    const mask = choice(text.mask, masks, state.mask, (value) => change({ mask: value }));
    const temperature = slider(text.temperature, { min: -1, max: 1, step: 0.1, value: Math.log10(state.temperature) },
      (value) => fixed(10 ** value, 2), (value) => change({ temperature: 10 ** value }));
    const exponent = slider(text.exponent, { min: 0, max: 1, step: 0.05, value: state.exponent },
      (value) => fixed(value, 2), (value) => change({ exponent: value }));
    const reset = button(text.reset, () => {
      Object.assign(state, data.start);
      head.set(state.head);
      mask.set(state.mask);
      temperature.set(Math.log10(state.temperature));
      exponent.set(state.exponent);
      draw();
    });
    const change = (changed) => {
      Object.assign(state, changed);
      draw();
    };

    const draw = (aloud = true) => {
      const chosen = heads[state.head];
      const found = weights(chosen, state, data.window);
      columns.forEach((column, j) => { column.textContent = chosen.tokens[j]; });
      rows.forEach((row, i) => {
        pickers[i].textContent = chosen.tokens[i];
        pickers[i].setAttribute("aria-pressed", String(i === state.query));
        row.classList.toggle("interactive-marked", i === state.query);
        [...row.cells].slice(1).forEach((cell, j) => {
          const hidden = !sees(state.mask, data.window, i, j);
          cell.style.setProperty("--w", found[i][j].toFixed(3));
          cell.textContent = hidden ? "–" : fixed(found[i][j], 2);
        });
      });
      const row = found[state.query];
      const most = row.indexOf(Math.max(...row));
      const divisor = state.temperature * chosen.d ** state.exponent;
      rowName.textContent = fill(text.row, { query: chosen.tokens[state.query] });
      shown.update(row.map((weight, j) => [chosen.tokens[j], weight, fixed(weight, 2), j === most]));
      formula.textContent = fill(text.formula, { d: chosen.d, divisor: number(divisor, { maximumSignificantDigits: 3 }) });
      said.say(fill(text.said, { query: chosen.tokens[state.query], key: chosen.tokens[most], weight: fixed(row[most], 2),
        spread: fixed(spread(row), 1) }), aloud);
    };

    stage.before(make("div", { className: "interactive-controls" }, head.box, mask.box, temperature.box, exponent.box, reset), formula);
    stage.after(rowName, shown.box, said.seen, said.heard);
    draw(false);
  });
})();
