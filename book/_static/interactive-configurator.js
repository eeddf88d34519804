/* Chooses heads, key/value heads and projections for a budget, a context and a machine, as book/configurator/configure.py does. */
"use strict";

(() => {
  const { number, fill, bytes, make, slider, choice, speaker, bars, start } = window.Interactive;

  /* Halves go to the even neighbour, as Python rounds. */
  const round = (value) => (Math.abs(value % 1) === 0.5 ? 2 * Math.round(value / 2) : Math.round(value));

  const stack = (parameters) => {
    const width = 128 * (parameters / (12 * 128 ** 2)) ** (1 / 3);
    const dHead = width >= 2048 ? 128 : 64;
    const step = width >= 512 ? 8 : 2;
    const heads = Math.max(2, step * round(width / dHead / step));
    const layers = Math.max(1, round(parameters / (12 * (heads * dHead) ** 2)));
    return [layers, heads, dHead];
  };
  const candidates = (heads) => [["MHA", heads], ...[8, 4].filter((g) => g < heads && heads % g === 0).map((g) => ["GQA", g]),
    ["MLA", null], ["MQA", 1]];
  const cachedNumbers = (kind, groups, dHead) => (kind === "MLA" ? 4 * dHead + Math.floor(dHead / 2) : 2 * groups * dHead);

  const projections = (kind, dModel, heads, dHead, groups) => {
    const wide = heads * dHead;
    if (kind !== "MLA") {
      const narrow = groups * dHead;
      return { w_q: [dModel, wide], w_k: [dModel, narrow], w_v: [dModel, narrow], w_o: [wide, dModel] };
    }
    const [latent, rope] = [4 * dHead, Math.floor(dHead / 2)];
    return { w_q: [dModel, heads * (dHead + rope)], w_dkv: [dModel, latent], w_kr: [dModel, rope], w_uk: [latent, wide],
      w_uv: [latent, wide],
      w_o: [wide, dModel] };
  };

  /* What was chosen, or { error, most }. `tried` are the kinds passed over and the one chosen, each with the bytes of its cache. */
  const configure = (parameters, context, target, constants) => {
    const [layers, heads, dHead] = stack(parameters);
    const room = target.memory * (1 - constants.spare) - parameters * target.bytes_per_weight;
    if (room <= 0) return { error: "weights", most: Math.trunc(target.memory * (1 - constants.spare) / target.bytes_per_weight) };
    const tried = [];
    for (const [kind, groups] of candidates(heads)) {
      const token = constants.cache_bytes * layers * cachedNumbers(kind, groups, dHead);
      const cache = token * context * target.sequences;
      tried.push({ kind, groups, cache });
      if (cache > room) continue;
      const dModel = heads * dHead;
      const matrices = projections(kind, dModel, heads, dHead, groups);
      const attention = Object.values(matrices).reduce((sum, [a, b]) => sum + a * b, kind === "MLA" ? 4 * dHead : 0);
      const all = layers * (attention + 8 * dModel ** 2);
      return { kind, layers, dModel, heads, dHead, groups, projections: matrices, parameters: all, token, cache, room, tried,
        weightBytes: round(all * target.bytes_per_weight) };
    }
    const least = cachedNumbers("MQA", 1, dHead);
    return { error: "cache", room, tried, most: Math.trunc(room / (constants.cache_bytes * layers * least * target.sequences)) };
  };

  /* The reasons, as sentences. */
  const reasons = (found, context, target, text, units) => {
    const named = ({ kind, groups }) => (kind === "GQA" ? fill(text.gqa, { groups }) : kind);
    const size = (value) => bytes(value, units);
    return [
      fill(text.stack, { layers: found.layers, width: number(found.dModel), ratio: Math.trunc(found.dModel / found.layers) }),
      fill(text.heads, { heads: found.heads, d_head: found.dHead }),
      ...found.tried.slice(0, -1).map((each) => fill(text.passed, { name: named(each), cache: size(each.cache), room: size(found.room) })),
      fill(text.fits, { name: named(found), token: size(found.token), cache: size(found.cache), sequences: target.sequences,
        context: number(context) }),
      ...(found.kind === "MLA" ? [text.absorbed] : []),
      ...(found.kind === "MQA" ? [text.last] : []),
    ];
  };

  window.Interactive.figures.configurator = { configure, reasons };

  start("configurator", (figure, stage, data) => {
    const { text, units, targets, budgets } = data;
    const state = { ...data.start };
    const heading = stage.querySelector("p");
    const table = stage.querySelector("table");
    const said = speaker();
    const shown = bars();
    const list = make("ul", { className: "interactive-reasons" });
    const why = make("p", { className: "interactive-note interactive-strong" }, text.reasons);
    const compact = (value) => number(value, { notation: "compact", compactDisplay: "long", maximumSignificantDigits: 3 });
    const named = ({ kind, groups }) => (kind === "GQA" ? fill(text.gqa, { groups }) : kind);
    const change = (changed) => {
      Object.assign(state, changed);
      draw();
    };

    const parameters = slider(text.parameters, { min: 0, max: budgets.length - 1, step: 1, value: budgets.indexOf(state.parameters) },
      (place) => compact(budgets[place]), (place) => change({ parameters: budgets[place] }));
    const context = slider(text.context, { min: 8, max: 20, step: 1, value: Math.log2(state.context) }, (value) => number(2 ** value),
      (value) => change({ context: 2 ** value }));
    const target = choice(text.target,
      targets.map((each) => [each.name, fill(text.machine, { machine: each.label, memory: bytes(each.memory, units) })]), state.target,
      (value) => change({ target: value }));

    const draw = (aloud = true) => {
      const machine = targets.find((each) => each.name === state.target);
      const found = configure(state.parameters, state.context, machine, data);
      const error = found.error && fill(text[found.error],
        { parameters: number(state.parameters), context: number(state.context), most: number(found.most),
        bytes: number(machine.bytes_per_weight) });
      const title = error || fill(text.chosen, { kind: named(found), layers: found.layers, heads: found.heads, d_head: found.dHead });
      heading.textContent = title;
      table.hidden = list.hidden = why.hidden = Boolean(error);
      if (!error) {
        table.tBodies[0].replaceChildren(...Object.entries(found.projections).map(([name, sizes]) => make("tr", {},
          make("th", { scope: "row" }, name), ...sizes.map((each) => make("td", {}, number(each))))));
        list.replaceChildren(...reasons(found, state.context, machine, text, units).map((each) => make("li", {}, each)));
      }
      const tried = found.tried || [];
      const largest = Math.max(found.room || 0, ...tried.map((each) => each.cache));
      shown.update(found.room ? [[text.room, found.room / largest, bytes(found.room, units), true],
        ...tried.map((each) => [each.kind === "GQA" ? `GQA (${each.groups})` : each.kind, each.cache / largest,
          bytes(each.cache, units)])] : []);
      said.say(title, aloud);
    };

    stage.before(make("div", { className: "interactive-controls" }, parameters.box, context.box, target.box));
    stage.after(make("p", { className: "interactive-note" }, text.bars), shown.box, why, list, said.heard);
    draw(false);
  });
})();
