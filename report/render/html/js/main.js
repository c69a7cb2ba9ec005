// Puts the page together from the data in it.
const data = JSON.parse(byID("data").textContent);
const report = data.report, size = sizeFormatter(data.iec);
const memory = makeMemory(report);
const timeline = setUpTimeline(report, size);

timeline.show(memory.measured());
setUpTreemap(report, size);
setUpTraining(report, size);
setUpNodes(report, size, (step) => {
  timeline.choose(step);
  byID("timeline").scrollIntoView({ block: "nearest" });
});

setUpSliders(memory, (values) => {
  const now = memory.at(values);
  // A number without a formula does not change; the note says for which sizes it
  // holds.
  const show = (id, n, format) => { if (byID(id) && n !== null) byID(id).textContent = format(n); };
  show("peak", now.peak, size);
  show("inputs", now.inputs, size);
  show("activations", now.activations, size);
  show("macs", now.macs, (n) => amount(n, "MACs"));
  timeline.show(now);
  byID("sliders-note").textContent = slidersNote(report, memory, values);
});
setUpTheme(() => timeline.redraw());

function slidersNote(report, memory, values) {
  const start = [...memory.symbols].map(([name, n]) => `${name} = ${n}`).join(", ");
  if ([...memory.symbols].every(([name, n]) => values.get(name) === n)) return "";
  const rest = `Everything else on this page is for ${start}.`;
  return memory.follows ? rest : `${rest} The peak is the one of the same node: at other sizes another node may need more.`;
}
