// One slider and one number for each dynamic dimension. changed gets a Map of
// values.
function setUpSliders(memory, changed) {
  if (!memory.useful) return;
  const values = new Map(memory.symbols);
  const controls = document.querySelector("#sliders .controls");
  byID("sliders").hidden = false;
  document.querySelector("#sliders .lead").textContent = `Sizes of the dynamic dimensions. They change ${memory.changes.join(", ")}.`;
  let serial = 0;
  for (const [name, start] of memory.symbols) {
    const stops = sliderStops(start);
    const id = `dim-${serial++}`;
    const range = make("input", { type: "range", id, min: 0, max: stops.length - 1, step: 1 });
    const number = make("input", { type: "number", min: 1, max: 2 ** 31, step: 1, value: start, "aria-label": `${name}, exactly` });
    const show = (value, from) => {
      values.set(name, value);
      if (from !== number) number.value = value;
      if (from !== range) range.value = nearestStop(stops, value);
      range.setAttribute("aria-valuetext", `${name} = ${value}`);
      changed(values);
    };
    range.addEventListener("input", () => show(stops[Number(range.value)], range));
    number.addEventListener("input", () => {
      const value = Math.floor(Number(number.value));
      if (value >= 1 && value <= 2 ** 31) show(value, number);
    });
    range.value = nearestStop(stops, start);
    range.setAttribute("aria-valuetext", `${name} = ${start}`);
    controls.append(make("div", { class: "control" }, make("label", { for: id }, name), range, number));
  }
}

// sliderStops are round numbers from 1 to 8192, each about a third more than
// the last, and the value at the start.
function sliderStops(start) {
  const stops = new Set([start, 1, 2, 3]);
  for (let n = 4; n <= 8192; n *= 2) for (const part of [1, 1.25, 1.5, 1.75]) if (n * part <= 8192) stops.add(n * part);
  return [...stops].filter(Number.isInteger).sort((a, b) => a - b);
}

function nearestStop(stops, value) {
  let best = 0;
  stops.forEach((stop, i) => { if (Math.abs(stop - value) < Math.abs(stops[best] - value)) best = i; });
  return best;
}
