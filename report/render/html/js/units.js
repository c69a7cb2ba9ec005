// Sizes and counts as the program's text output prints them.
function sizeFormatter(iec) {
  const base = iec ? 1024 : 1000;
  const units = iec ? ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"] : ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
  return (bytes) => {
    if (bytes === null || bytes === undefined) return "?";
    let value = bytes, unit = 0;
    while (value >= base && unit < units.length - 1) { value /= base; unit++; }
    return (unit === 0 ? String(Math.round(value)) : significant(value)) + " " + units[unit];
  };
}

function significant(x) {
  if (x >= 999.95) return x.toFixed(0);
  if (x >= 99.995) return x.toFixed(1);
  if (x >= 9.9995) return x.toFixed(2);
  return x.toFixed(3);
}

function magnitude(n) {
  if (n === null || n === undefined) return "?";
  const units = ["", " k", " M", " G", " T", " P", " E"];
  let value = n, unit = 0;
  while (value >= 1000 && unit < units.length - 1) { value /= 1000; unit++; }
  return unit === 0 ? String(Math.round(value)) : significant(value) + units[unit];
}

const count = (n) => (n === null || n === undefined ? "?" : n.toLocaleString("en-US"));
