// The chart of memory over the nodes, and what is live at the chosen node.
function setUpTimeline(report, size) {
  const section = byID("timeline"), frame = section.querySelector(".chart");
  const steps = report.inference.steps || [], lifetimes = report.inference.lifetimes || [];
  if (steps.length === 0) return { show() {}, redraw() {}, choose() {} };
  section.hidden = false;
  const unknown = lifetimes.filter((l) => l.at_least).length;
  if (unknown > 0) section.querySelector(".lead").append(` ${count(unknown)} tensors have unknown sizes and count with their lower bound.`);
  let now = { timeline: report.inference.timeline, bytes: [] }, chosen = 0, chart = null;
  const peakStep = () => now.timeline.reduce((best, n, i) => (n > now.timeline[best] ? i : best), 0);

  function draw() {
    if (chart) chart.destroy();
    const text = cssColor("--quiet"), line = cssColor("--line");
    const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line }, font: "12px system-ui, sans-serif" };
    chart = new uPlot({
      width: Math.max(frame.clientWidth, 200), height: 300, legend: { show: false },
      cursor: { drag: { x: false, y: false }, y: false, points: { show: false } },
      scales: { x: { time: false, range: (_, min, max) => [min, Math.max(max, min + 1)] }, y: { range: (_, min, max) => [0, Math.max(max, 1) * 1.08] } },
      axes: [
        { ...axis, values: (_, ticks) => ticks.map((t) => (Number.isInteger(t) ? count(t) : "")) },
        { ...axis, size: 76, values: (_, ticks) => ticks.map((t) => size(t).replace(/\.0* /, " ").replace(/(\.\d*?)0+ /, "$1 ")), incrs: byteSteps() },
      ],
      series: [{}, { stroke: cssColor("--accent"), width: 1.5, fill: cssColor("--accent-soft"), paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } }],
      hooks: { draw: [markChosen], setCursor: [(u) => { if (u.cursor.left >= 0) choose(Math.floor(u.posToVal(u.cursor.left, "x")) - 1, true); }] },
    }, points(), frame);
  }

  // A node spans from its number to the next; the last point ends the last node.
  const points = () => [[...steps, null].map((_, i) => i + 1), [...now.timeline, now.timeline.at(-1)]];

  // markChosen draws the peak's level and the chosen node.
  function markChosen(u) {
    const { ctx, bbox } = u, top = now.timeline[peakStep()];
    const x = u.valToPos(chosen + 1.5, "x", true), y = u.valToPos(top, "y", true);
    ctx.save();
    ctx.lineWidth = devicePixelRatio;
    ctx.strokeStyle = cssColor("--peak");
    ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath(); ctx.moveTo(bbox.left, y); ctx.lineTo(bbox.left + bbox.width, y); ctx.stroke();
    ctx.setLineDash([]);
    ctx.strokeStyle = cssColor("--text");
    ctx.beginPath(); ctx.moveTo(x, bbox.top); ctx.lineTo(x, bbox.top + bbox.height); ctx.stroke();
    ctx.restore();
  }

  function choose(i, fromPointer) {
    chosen = Math.min(Math.max(i, 0), steps.length - 1);
    describeStep();
    if (chart) chart.redraw(false, false);
    if (!fromPointer) chart?.setCursor({ left: -10, top: -10 }, false);
  }

  function describeStep() {
    const step = steps[chosen], bytes = now.timeline[chosen];
    frame.setAttribute("aria-valuemax", steps.length);
    frame.setAttribute("aria-valuenow", chosen + 1);
    frame.setAttribute("aria-valuetext", `${chosen + 1}: ${step.name}, ${step.op}, ${size(bytes)}`);
    section.querySelector(".step h3").textContent = step.name;
    section.querySelector(".step .lead").textContent =
      `${step.op}, node ${count(chosen + 1)} of ${count(steps.length)}: ${size(bytes)} live${bytes === now.timeline[peakStep()] ? ", the peak" : ""}`;
    const live = lifetimes.map((l, i) => ({ l, bytes: now.bytes[i] })).filter(({ l, bytes }) => l.first <= chosen && chosen <= l.last && (bytes > 0 || l.at_least));
    live.sort((a, b) => b.bytes - a.bytes);
    const rows = live.slice(0, 10).map(({ l, bytes }) => row(l.name, (l.at_least ? "≥ " : "") + size(bytes), l.output ? "output" : steps[l.last].name));
    if (step.inner_bytes) rows.push(row("in its subgraph", size(step.inner_bytes), ""));
    if (live.length > 10) rows.push(row(`and ${count(live.length - 10)} more`, size(live.slice(10).reduce((sum, a) => sum + a.bytes, 0)), ""));
    section.querySelector(".step tbody").replaceChildren(...rows);
  }

  const row = (name, amount, neededBy) => make("tr", {},
    make("td", { title: name }, tail(name)), make("td", { class: "number" }, amount), make("td", { title: neededBy }, tail(neededBy)));

  // Names of one model differ in their ends: those stay, as far as half of the
  // frame has room for them.
  const tail = (name) => {
    const room = Math.max(12, Math.floor((section.querySelector(".step").clientWidth - 100) / 2 / 7.4));
    return name.length <= room ? name : "…" + name.slice(1 - room);
  };

  frame.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.round(steps.length / 20));
    const moves = new Map([["ArrowLeft", chosen - 1], ["ArrowDown", chosen - 1], ["ArrowRight", chosen + 1], ["ArrowUp", chosen + 1],
      ["PageDown", chosen - page], ["PageUp", chosen + page], ["Home", 0], ["End", steps.length - 1], ["p", peakStep()], ["P", peakStep()]]);
    if (!moves.has(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    choose(moves.get(event.key));
  });
  let width = 0;
  new ResizeObserver(() => { if (frame.clientWidth !== width) { width = frame.clientWidth; draw(); } }).observe(frame);

  return {
    redraw: draw,
    choose,
    show(next, keep) {
      now = next;
      if (!keep) chosen = peakStep();
      if (chart) chart.setData(points());
      describeStep();
    },
  };
}

// byteSteps are the distances between ticks that read well in bytes.
function byteSteps() {
  const list = [];
  for (let n = 1; n < 1e18; n *= 10) list.push(n, 2 * n, 5 * n);
  return list;
}
