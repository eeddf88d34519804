/* What the KV cache of a model costs with each of the four kinds of attention. */
"use strict";

(() => {
  const { number, fill, bytes, make, slider, choice, field, button, speaker, bars, start } = window.Interactive;
  const KINDS = ["MHA", "GQA", "MQA", "MLA"];
  const SIZES = ["layers", "heads", "d_head", "latent", "rope"];

  /* Numbers that one layer keeps of one token. */
  const kept = (model, kind) => {
    if (kind === "MLA") return model.latent + model.rope;
    return 2 * { MHA: model.heads, GQA: model.groups, MQA: 1 }[kind] * model.d_head;
  };
  const cacheBytes = (model, kind, { context, sequences, bytes: each }) => model.layers * kept(model, kind) * context * sequences * each;
  const divisors = (n) => Array.from({ length: n }, (_, place) => place + 1).filter((each) => n % each === 0);

  window.Interactive.figures.cache = { kept, cacheBytes, divisors };

  start("cache", (figure, stage, data) => {
    const { text, units, models } = data;
    const rows = [...stage.querySelectorAll("tbody tr")];
    const said = speaker();
    const shown = bars();
    const named = (name) => models.find((each) => each.name === name);
    let state, model;

    const preset = choice(text.model, [...models.map((each) => [each.name, `${each.name} (${each.kind})`]), ["", text.own]], "", (name) => {
      if (name) model = { ...named(name) };
      else model.name = text.own;
      fields();
      draw();
    });
    const edit = (name) => (value) => {
      model = { ...model, [name]: value, name: text.own };
      preset.set("");
      if (name === "heads") {
        model.groups = Math.max(...divisors(value).filter((each) => each <= model.groups));
        offerGroups();
      }
      draw();
    };
    const sizes = Object.fromEntries(SIZES.map((name) => [name,
      field(text[name], { min: name === "rope" ? 0 : 1, max: 65536, value: 1 }, text.allowed, edit(name))]));
    const groups = choice(text.groups, [], "", (value) => edit("groups")(Number(value)));
    const offerGroups = () => groups.offer(divisors(model.heads).map((each) => [each, number(each)]), model.groups);
    const power = (name, max, min = 0) => slider(text[name], { min, max, step: 1, value: 0 }, (value) => number(2 ** value), (value) => {
      state[name] = 2 ** value;
      draw();
    });
    const context = power("context", 20, 8);
    const sequences = power("sequences", 10);
    const bits = choice(text.bits, [[2, "16"], [1, "8"], [0.5, "4"]], 2, (value) => {
      state.bytes = Number(value);
      draw();
    });

    const fields = () => {
      for (const name of SIZES) sizes[name].set(model[name]);
      offerGroups();
    };
    const draw = (aloud = true) => {
      const found = KINDS.map((kind) => cacheBytes(model, kind, state));
      const largest = Math.max(...found);
      rows.forEach((row, place) => {
        const kind = KINDS[place];
        const token = cacheBytes(model, kind, { ...state, context: 1, sequences: 1 });
        const product = kind === "MLA" ? `${model.latent} + ${model.rope}` : `2 · ${kept(model, kind) / 2 / model.d_head} · ${model.d_head}`;
        const shownTexts = [product, bytes(token, units), bytes(found[place], units)];
        shownTexts.forEach((shownText, column) => { row.cells[column + 1].textContent = shownText; });
        row.classList.toggle("interactive-marked", kind === model.kind);
      });
      shown.update(KINDS.map((kind, place) => [kind, found[place] / largest, bytes(found[place], units), kind === model.kind]));
      const own = KINDS.indexOf(model.kind);
      said.say(fill(text.said,
        { model: model.name, kind: model.kind, token: bytes(cacheBytes(model, model.kind, { ...state, context: 1, sequences: 1 }), units),
        all: bytes(found[own], units), times: number(found[0] / found[own], { maximumSignificantDigits: 3 }) }), aloud);
    };
    const begin = (aloud) => {
      state = { ...data.start };
      model = { ...named(state.model) };
      preset.set(model.name);
      context.set(Math.log2(state.context));
      sequences.set(Math.log2(state.sequences));
      bits.set(state.bytes);
      fields();
      draw(aloud);
    };

    stage.before(make("div", { className: "interactive-controls" }, preset.box, bits.box, context.box, sequences.box),
      make("div", { className: "interactive-controls interactive-narrow" }, ...SIZES.slice(0, 3).map((name) => sizes[name].box), groups.box,
        sizes.latent.box, sizes.rope.box), make("div", { className: "interactive-row" }, button(text.reset, () => begin(true))));
    stage.after(shown.box, said.seen, said.heard);
    begin(false);
  });
})();
