// Squarified treemap (Bruls, Huizing and van Wijk, "Squarified Treemaps",
// 2000): places items, largest first, into a rectangle in rows whose cells are
// as square as can be. Each item has a bytes field; places are {item, x, y, w, h}.
function squarify(items, x, y, w, h) {
  const rest = items.filter((item) => item.bytes > 0).sort((a, b) => b.bytes - a.bytes);
  const total = rest.reduce((sum, item) => sum + item.bytes, 0), places = [];
  if (total === 0 || w <= 0 || h <= 0) return places;
  const scale = (w * h) / total;
  for (let at = 0; at < rest.length;) {
    const side = Math.min(w, h);
    let area = rest[at].bytes * scale, end = at + 1;
    const largest = area;
    while (end < rest.length && w > 0 && h > 0) {
      const next = rest[end].bytes * scale;
      if (worstRatio(largest, next, area + next, side) > worstRatio(largest, rest[end - 1].bytes * scale, area, side)) break;
      area += next;
      end++;
    }
    const depth = side > 0 ? area / side : 0, along = w >= h;
    let offset = 0;
    for (const item of rest.slice(at, end)) {
      const length = area > 0 ? (side * item.bytes * scale) / area : 0;
      places.push(along ? { item, x, y: y + offset, w: depth, h: length } : { item, x: x + offset, y, w: length, h: depth });
      offset += length;
    }
    if (along) { x += depth; w -= depth; } else { y += depth; h -= depth; }
    at = end;
  }
  return places;
}

function worstRatio(largest, smallest, sum, side) {
  const square = side * side;
  return Math.max((square * largest) / (sum * sum), (sum * sum) / (square * smallest));
}
