// Expressions over dynamic dimensions: names, integers, + - * / // % **, parentheses,
// floor, ceil, min, max, mod, abs, with Python's precedence. compile returns a
// function from a Map of values to a number, which is NaN for names that it
// does not hold; null when the text is no expression.
function compileFormula(text) {
  const tokens = String(text).match(/[\p{L}\p{N}\p{M}_.$:\u0080-\uffff]+|\*\*|\/\/|[-+*/%(),]|\S/gu) || [];
  let at = 0;
  const take = (...wanted) => (wanted.includes(tokens[at]) ? tokens[at++] : null);
  const expect = (wanted) => { if (!take(wanted)) throw new SyntaxError(`want ${wanted}`); };

  // Quotients of whole numbers are rounded to doubles; whole results must not
  // fall to the next number below for that.
  const slack = 1e-9;
  const operators = new Map([
    ["+", (a, b) => a + b], ["-", (a, b) => a - b], ["*", (a, b) => a * b], ["/", (a, b) => a / b],
    ["//", (a, b) => Math.floor(a / b + slack)], ["%", (a, b) => a - b * Math.floor(a / b + slack)],
  ]);
  const functions = new Map([
    ["floor", (a) => Math.floor(a + slack)], ["ceil", (a) => Math.ceil(a - slack)], ["abs", Math.abs],
    ["min", Math.min], ["max", Math.max], ["mod", operators.get("%")],
  ]);

  function binary(next, ...names) {
    let left = next();
    for (let name; (name = take(...names));) {
      const a = left, b = next(), apply = operators.get(name);
      left = (values) => apply(a(values), b(values));
    }
    return left;
  }
  const sum = () => binary(product, "+", "-");
  const product = () => binary(signed, "*", "/", "//", "%");
  function signed() {
    if (take("-")) { const a = signed(); return (values) => -a(values); }
    if (take("+")) return signed();
    const base = atom();
    if (!take("**")) return base;
    const exponent = signed();
    return (values) => base(values) ** exponent(values);
  }
  function atom() {
    if (take("(")) { const inner = sum(); expect(")"); return inner; }
    const token = tokens[at++];
    if (token === undefined || /^[-+*/%(),]/.test(token)) throw new SyntaxError("want an operand");
    if (/^[0-9]+$/.test(token)) { const n = Number(token); return () => n; }
    if (functions.has(token) && tokens[at] === "(") {
      at++;
      const operands = [sum()];
      while (take(",")) operands.push(sum());
      expect(")");
      const apply = functions.get(token);
      return (values) => apply(...operands.map((operand) => operand(values)));
    }
    return (values) => (values.has(token) ? values.get(token) : NaN);
  }

  try {
    const whole = sum();
    return at === tokens.length ? whole : null;
  } catch {
    return null;
  }
}
