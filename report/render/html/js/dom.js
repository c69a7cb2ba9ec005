// Small helpers to build the page. Text from the model only ever becomes text
// nodes and attribute values, never markup.
const byID = (id) => document.getElementById(id);

function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function makeSVG(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

const cssColor = (name) => {
  // A custom property holds light-dark(...), which only a real property resolves.
  const probe = byID("nodes");
  const before = probe.style.outlineColor;
  probe.style.outlineColor = `var(${name})`;
  const color = getComputedStyle(probe).outlineColor;
  probe.style.outlineColor = before;
  return color;
};
