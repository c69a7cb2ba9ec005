// The treemap of weights: as many levels as there is room for; a group that is
// chosen fills the frame.
function setUpTreemap(report, size) {
  const tensors = report.weights.tensors || [];
  if (!tensors.some((t) => t.bytes > 0)) return;
  const section = byID("weights"), frame = section.querySelector(".treemap"), tip = section.querySelector(".tip");
  section.hidden = false;
  const root = weightTree(tensors);
  // A level that all weights share says nothing: start below it.
  let start = root;
  while (start.children.size === 1 && !start.children.values().next().value.tensor) start = start.children.values().next().value;
  let path = [start];
  const describe = (node) => (node.tensor
    ? `${node.tensor.name}: ${node.tensor.dtype}[${node.tensor.shape.join(",")}], ${size(node.bytes)}, ${node.tensor.role || ""}${node.tensor.used_by ? ", read by " + node.tensor.used_by : ""}`
    : `${node.full}: ${count(node.count)} weights, ${size(node.bytes)}`);

  function draw() {
    const width = Math.max(frame.clientWidth, 200), height = width < 600 ? 360 : 420, here = path.at(-1);
    const svg = makeSVG("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "group", "aria-label": describe(here) });
    squarify([...here.children.values()], 0, 0, width, height).forEach((place, i) => svg.append(cell(place, path.length > 1 ? here.hue : i % 8, [])));
    frame.replaceChildren(svg);
    crumbs();
  }

  // cell draws a weight or a group and, where there is room, what is in it;
  // above are the groups around it that are drawn too.
  function cell({ item, x, y, w, h }, hue, above) {
    item.hue = hue;
    const opens = !item.tensor, inner = opens && above.length < 4 && w > 60 && h > 40;
    // Of nested groups the outer ones take the keyboard's focus.
    const focus = above.length === 0 ? { tabindex: 0, role: opens ? "button" : "img", "aria-label": describe(item) } : {};
    const g = makeSVG("g", { class: inner ? "group" : "cell", ...focus },
      makeSVG("title", {}, describe(item)), makeSVG("rect", { x, y, width: Math.max(w, 0), height: Math.max(h, 0), class: `h${hue}` }));
    const say = (event) => { event.stopPropagation(); tip.textContent = describe(item); };
    g.addEventListener("pointerover", say);
    g.addEventListener("focus", say);
    if (opens) {
      const open = (event) => { event.stopPropagation(); event.preventDefault(); go([...path, ...above, item]); };
      g.addEventListener("click", open);
      g.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") open(event); });
    }
    if (inner) {
      // Colours tell groups apart: one that fills the frame leaves them to its parts.
      const fills = item.bytes > 0.85 * path.at(-1).bytes;
      squarify([...item.children.values()], x + 2, y + 18, w - 4, h - 20).forEach((place, i) => g.append(cell(place, fills ? i % 8 : hue, [...above, item])));
    }
    label(g, item, x, y, w, h, inner);
    return g;
  }

  function go(next) {
    path = next;
    draw();
    frame.querySelector("[tabindex]")?.focus();
  }

  function label(g, item, x, y, w, h, heading) {
    const fits = Math.floor((w - 8) / (heading ? 7.6 : 6.8));
    if (h < 16 || fits < 3) return;
    const name = item.name.length <= fits ? item.name : item.name.slice(0, fits - 1) + "…";
    const sizeText = size(item.bytes);
    const oneLine = heading && item.name.length + sizeText.length + 2 <= fits;
    const text = makeSVG("text", { x: x + 4, y: y + 13 }, name);
    if (oneLine) text.append(makeSVG("tspan", { class: "size", dx: 8 }, sizeText));
    g.append(text);
    if (!heading && h > 32 && sizeText.length <= fits) g.append(makeSVG("text", { class: "size", x: x + 4, y: y + 27 }, sizeText));
  }

  function crumbs() {
    section.querySelector(".crumbs").replaceChildren(...path.flatMap((node, i) => {
      const name = `${i === 0 ? "all weights" : node.name} (${size(node.bytes)})`;
      if (i === path.length - 1) return [make("span", { "aria-current": "true" }, name)];
      return [make("button", { type: "button", onclick: () => go(path.slice(0, i + 1)) }, name), make("span", { "aria-hidden": "true" }, "›")];
    }));
  }

  let width = 0;
  new ResizeObserver(() => { if (frame.clientWidth !== width) { width = frame.clientWidth; draw(); } }).observe(frame);
}

// weightTree groups weights by the parts of their names, or, of weights that
// an exporter numbered, of the name of the node that reads them.
function weightTree(tensors) {
  const root = group("", "all weights");
  for (const tensor of tensors) {
    const numbered = /^(onnx::|val_\d|const|_v_|\d+$)/i.test(tensor.name) && tensor.used_by;
    const name = numbered ? tensor.used_by.replace(/^\//, "") + "/" + tensor.name : tensor.name;
    const parts = name.split(numbered ? /\// : /[./]/).filter(Boolean);
    let at = root;
    parts.slice(0, -1).forEach((part, i) => {
      if (!at.children.has(part)) at.children.set(part, group(part, parts.slice(0, i + 1).join(".")));
      at = at.children.get(part);
    });
    const leaf = parts.at(-1) || "(no name)";
    let key = "tensor " + leaf; // a tensor and a group may share a name
    while (at.children.has(key)) key += " ";
    at.children.set(key, { name: leaf, full: tensor.name, bytes: tensor.bytes, count: 1, tensor });
  }
  return total(root, true);
}

const group = (name, full) => ({ name, full, bytes: 0, count: 0, children: new Map() });

// total sums a tree and joins a group of a single thing with that thing; the
// root stays a group.
function total(node, isRoot = false) {
  if (node.tensor) return node;
  for (const [key, child] of node.children) node.children.set(key, total(child));
  const children = [...node.children.values()];
  if (children.length === 1 && !isRoot) return { ...children[0], name: `${node.name}.${children[0].name}` };
  node.bytes = children.reduce((sum, child) => sum + child.bytes, 0);
  node.count = children.reduce((sum, child) => sum + child.count, 0);
  return node;
}
