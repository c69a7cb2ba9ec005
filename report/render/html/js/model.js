// The memory of a run as a function of the dynamic dimensions: each storage's
// size from its formula, the timeline from their lifetimes, the peak from the
// timeline.
function makeMemory(report) {
  const inference = report.inference, steps = inference.steps || [], lifetimes = inference.lifetimes || [];
  const symbols = new Map(Object.entries(report.formula.symbols || {}));
  const sizes = lifetimes.map((l) => (l.formula ? compileFormula(l.formula) : null));
  const total = (name) => (report.formula[name] ? compileFormula(report.formula[name]) : null);
  const totals = { inputs: total("inputs_bytes"), activations: total("activations_bytes"), peak: total("peak_bytes"), macs: total("macs") };
  // Without a formula for every storage the timeline can't follow.
  const follows = symbols.size > 0 && sizes.every((f) => f !== null && !Number.isNaN(f(symbols))) && steps.every((s) => !s.inner_bytes);
  const inputsFreed = lifetimes.some((l) => l.input);

  function measured() {
    return {
      timeline: inference.timeline || [], bytes: lifetimes.map((l) => l.bytes), peak: inference.peak_bytes,
      inputs: report.inputs.bytes, activations: inference.activations_bytes, macs: report.compute.macs,
    };
  }

  function at(values) {
    const evaluate = (f) => { const n = f ? f(values) : NaN; return Number.isNaN(n) ? null : n; };
    // The formula of the peak leaves out what is the peak at tiny sizes only.
    const holds = (v) => [...symbols.keys()].every((name) => v.get(name) >= (report.formula.peak_bytes_from || 1));
    const now = {
      timeline: inference.timeline || [], bytes: lifetimes.map((l) => l.bytes), peak: holds(values) ? evaluate(totals.peak) : null,
      inputs: evaluate(totals.inputs), activations: evaluate(totals.activations), macs: evaluate(totals.macs),
    };
    if (!follows) return now;
    now.bytes = sizes.map((f) => f(values));
    const change = new Array(steps.length + 1).fill(0);
    lifetimes.forEach((l, i) => { change[l.first] += now.bytes[i]; change[l.last + 1] -= now.bytes[i]; });
    let live = 0;
    now.timeline = steps.map((_, i) => (live += change[i]));
    if (report.weights.bytes !== null && (inputsFreed || now.inputs !== null)) {
      now.peak = report.weights.bytes + (inputsFreed ? 0 : now.inputs) + now.timeline.reduce((a, b) => Math.max(a, b), 0);
    }
    return now;
  }

  const hasCompute = totals.macs && report.compute.macs !== null;
  // What the sliders can change, in words.
  const changes = [[follows || totals.peak, "the peak"], [totals.inputs, "the inputs"], [totals.activations, "the activations"],
    [hasCompute, "the compute"], [follows, "the timeline"]].filter(([can]) => can).map(([, name]) => name);
  const useful = symbols.size > 0 && Boolean(follows || totals.peak || totals.activations || hasCompute);
  return { symbols, follows, at, measured, changes, useful };
}
