// The table of nodes: sort by a column's head, filter by text and operator.
function setUpNodes(report, size, choose) {
  const nodes = (report.nodes || []).map((n, i) => ({ ...n, index: i + 1, type: (n.output_shapes || []).join(" ") }));
  if (nodes.length === 0) return;
  const section = byID("nodes"), form = section.querySelector("form"), more = section.querySelector(".more");
  section.hidden = false;
  const columns = nodeColumns(nodes, size);
  const stepOf = new Map((report.inference.steps || []).map((s, i) => [s.name, i]));
  const most = new Map(columns.map((c) => [c.key, Math.max(1, ...nodes.map((n) => (c.share && n[c.key]) || 0))]));
  let sort = { key: "index", descending: false }, limit = 500;

  const heads = columns.map((column) => {
    const head = make("th", { scope: "col", class: column.number ? "number" : "" },
      make("button", { type: "button", title: column.title || `Sort by ${column.name}` }, column.name));
    head.firstChild.addEventListener("click", () => {
      // Numbers are most useful from the largest down.
      const descending = sort.key === column.key ? !sort.descending : Boolean(column.number) && column.key !== "index";
      sort = { key: column.key, descending };
      draw();
    });
    return head;
  });
  section.querySelector("thead tr").replaceChildren(...heads);

  const ops = [...new Set(nodes.map((n) => n.op))].sort();
  form.elements.op.append(...ops.map((op) => make("option", { value: op }, op)));
  form.addEventListener("input", () => { limit = 500; draw(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  more.addEventListener("click", () => { limit = Infinity; draw(); });

  function draw() {
    const text = form.elements.text.value.trim().toLowerCase(), op = form.elements.op.value;
    const found = nodes.filter((n) => (op === "" || n.op === op) &&
      (text === "" || [n.name, n.op, n.type, ...(n.outputs || [])].some((s) => s.toLowerCase().includes(text))));
    found.sort(comparison(sort));
    heads.forEach((head, i) => {
      if (columns[i].key === sort.key) head.setAttribute("aria-sort", sort.descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    section.querySelector("tbody").replaceChildren(...found.slice(0, limit).map(row));
    form.querySelector("output").textContent = found.length === nodes.length ? `${count(nodes.length)} nodes` : `${count(found.length)} of ${count(nodes.length)} nodes`;
    more.hidden = found.length <= limit;
    more.textContent = `Show all ${count(found.length)}`;
  }

  function row(node) {
    return make("tr", {}, ...columns.map((column) => {
      const value = node[column.key], shown = column.show ? column.show(value) : String(value);
      const cell = make("td", { class: column.class || (column.number ? "number" : "") });
      if (column.key === "name" && stepOf.has(value)) {
        cell.append(make("button", { type: "button", title: "Show in the timeline", onclick: () => choose(stepOf.get(value)) }, shown));
      } else {
        cell.append(shown);
      }
      if (column.share && value > 0) {
        cell.classList.add("share");
        cell.style.setProperty("--share", `${(100 * value) / most.get(column.key)}%`);
      }
      return cell;
    }));
  }
  draw();
}

function nodeColumns(nodes, size) {
  const dash = (format) => (value) => (value === 0 ? "" : format(value));
  const columns = [
    { key: "index", name: "#", number: true, title: "Order in the file" },
    { key: "name", name: "Node", class: "name" },
    { key: "op", name: "Operator" },
    { key: "type", name: "Output", class: "type" },
    { key: "params", name: "Parameters", number: true, show: dash(count) },
    { key: "weight_bytes", name: "Weights", number: true, share: true, show: dash(size) },
    { key: "output_bytes", name: "Output size", number: true, share: true, show: size },
  ];
  if (nodes.some((n) => n.saved_bytes)) columns.push({ key: "saved_bytes", name: "Saved for backward", number: true, share: true, show: dash(size) });
  columns.push({ key: "macs", name: "MACs", number: true, share: true, show: dash(magnitude) });
  return columns;
}

// comparison sorts what is not known last, either way.
function comparison({ key, descending }) {
  const sign = descending ? -1 : 1;
  const missing = (v) => v === null || v === undefined;
  return (a, b) => {
    const x = a[key], y = b[key];
    if (missing(x) || missing(y)) return missing(x) - missing(y) || a.index - b.index;
    const order = typeof x === "number" ? x - y : String(x).localeCompare(String(y), "en", { numeric: true });
    return sign * order || a.index - b.index;
  };
}
