// Training by phase: how high memory goes in each, and what the peak is made of.
const trainingParts = [
  ["parameter", "parameters"], ["gradient", "gradients"], ["optimizer_states", "optimizer states"], ["activation", "activations"],
  ["temporary", "temporary"], ["buffer", "buffers"], ["input", "inputs"],
];

function setUpTraining(report, size) {
  const training = report.training;
  if (!training || (!training.timeline && training.rule_of_thumb_bytes === null)) return;
  const section = byID("training"), frame = section.querySelector(".phases");
  section.hidden = false;
  section.querySelector(".lead").textContent = trainingLead(report, size);
  showAdvice(section.querySelector(".advice"), training.advice || [], size);
  const line = training.timeline;
  if (!line) return;
  const rows = [
    ["initial", line.initial], ["forward", line.max_forward], ["after forward", line.end_forward], ["backward", line.max_backward],
    ["after backward", line.after_backward], ["step", line.max_step], ["after step", line.after_step],
  ].filter(([, bytes]) => bytes !== undefined);
  const parts = trainingParts.map(([key, name], i) => ({ name, bytes: (training.at_peak || {})[key] || 0, i })).filter((p) => p.bytes > 0);
  const legend = parts.map((p) => make("li", {}, make("span", { class: `key key${p.i}`, "aria-hidden": "true" }, "■"), `${p.name} ${size(p.bytes)}`));
  section.querySelector(".legend").replaceChildren(...legend);

  function draw() {
    const width = Math.max(frame.clientWidth, 240), left = 130, right = 84, step = 26, most = Math.max(training.peak_bytes || 0, ...rows.map(([, n]) => n), 1);
    const scale = (n) => ((width - left - right) * n) / most;
    const svg = makeSVG("svg", { viewBox: `0 0 ${width} ${(rows.length + 1) * step + 14}`, role: "img", "aria-label": rows.map(([name, n]) => `${name}: ${size(n)}`).join(", ") });
    rows.forEach(([name, bytes], i) => {
      const y = i * step, peak = name === training.peak_phase;
      svg.append(makeSVG("text", { x: 0, y: y + 16 }, name), makeSVG("rect", { class: peak ? "bar top" : "bar", x: left, y: y + 4, width: scale(bytes), height: step - 9, rx: 2 }),
        makeSVG("text", { x: left + scale(bytes) + 6, y: y + 16, class: peak ? "" : "quiet" }, size(bytes)));
    });
    const y = rows.length * step + 10;
    svg.append(makeSVG("line", { x1: 0, x2: width, y1: y - 4, y2: y - 4 }), makeSVG("text", { x: 0, y: y + 16 }, "at the peak"));
    let x = left;
    for (const p of parts) {
      svg.append(makeSVG("rect", { class: `p${p.i}`, x, y: y + 4, width: Math.max(scale(p.bytes) - 1, 0.5), height: step - 9 }, makeSVG("title", {}, `${p.name}: ${size(p.bytes)}`)));
      x += scale(p.bytes);
    }
    frame.replaceChildren(svg);
  }
  let width = 0;
  new ResizeObserver(() => { if (frame.clientWidth !== width) { width = frame.clientWidth; draw(); } }).observe(frame);
}

function showAdvice(frame, advice, size) {
  frame.hidden = advice.length === 0;
  frame.querySelector("tbody").replaceChildren(...advice.map((a) => make("tr", {},
    make("td", { class: "number" }, size(a.saves_bytes)), make("td", { class: "number" }, size(a.peak_bytes)),
    make("td", {}, a.message), make("td", {}, a.cost || ""))));
}

function trainingLead(report, size) {
  const training = report.training, words = [`${training.optimizer}, ${training.precision}.`];
  if (training.peak_bytes !== null) {
    words.push(`Peak: ${size(training.peak_bytes)}, ${training.peak_phase}${training.peak_node ? " of " + training.peak_node : ""}.`);
    if (training.first_step_peak_bytes !== null) words.push(`First step, without optimizer state: ${size(training.first_step_peak_bytes)}.`);
  } else if (training.reason) {
    words.push(`The peak is unknown: ${training.reason.message}.`);
  }
  if (training.rule_of_thumb_bytes !== null) words.push(`Rule of thumb, parameters x (2 + optimizer states) + other weights + 2 x activations + inputs: ${size(training.rule_of_thumb_bytes)}.`);
  const dims = Object.entries(report.formula.symbols || {}).map(([name, n]) => `${name} = ${n}`);
  if (dims.length > 0) words.push(`These numbers are for ${dims.join(", ")}; the sliders do not change them.`);
  return words.join(" ");
}
