// Sizes and counts as the program's text output prints them.
function sizeFormatter(iec) {
  const base = iec ? 1024 : 1000;
  const units = iec ? ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"] : ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
  return (bytes) => {
    if (bytes === null || bytes === undefined) return "?";
    const [value, unit] = scale(bytes, base, units.length);
    const text = (unit === 0 ? String(Math.round(value)) : significant(value)) + " " + units[unit];
    return bytes >= saturated ? `more than ${text}` : text;
  };
}

// saturated stands for all sizes that are larger than an int64 holds.
const saturated = 2 ** 63;

// scale divides a number by base until it prints as less than base.
function scale(n, base, units) {
  let value = n, unit = 0;
  while (unit < units - 1 && (value >= base || (unit > 0 && Number(significant(value)) >= base))) { value /= base; unit++; }
  return [value, unit];
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
  const [value, unit] = scale(n, 1000, units.length);
  return unit === 0 ? String(Math.round(value)) : significant(value) + units[unit];
}

// amount is a magnitude of something: 522.1 MMACs, 40 MACs.
const amount = (n, what) => magnitude(n).replace(/([0-9?])$/, "$1 ") + what;

const count = (n) => (n === null || n === undefined ? "?" : n.toLocaleString("en-US"));
