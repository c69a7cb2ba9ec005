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
  const show = (id, text) => { if (byID(id)) byID(id).textContent = text; };
  const orUnknown = (n, format) => (n === null ? "unknown" : format(n));
  show("peak", orUnknown(now.peak, size));
  show("inputs", orUnknown(now.inputs, size));
  show("activations", orUnknown(now.activations, size));
  show("macs", orUnknown(now.macs, (n) => magnitude(n) + "MACs"));
  timeline.show(now);
  byID("sliders-note").textContent = slidersNote(report, memory, values);
});
setUpTheme(() => timeline.redraw());

function slidersNote(report, memory, values) {
  const start = [...memory.symbols].map(([name, n]) => `${name} = ${n}`).join(", ");
  if ([...memory.symbols].every(([name, n]) => values.get(name) === n)) return "";
  return memory.follows
    ? `All else on this page, training and the table of nodes too, is for ${start}.`
    : `The timeline, training and the table of nodes stay at ${start}, and the peak is that of the same moment: for other sizes another moment may be higher.`;
}
