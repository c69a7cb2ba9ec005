package dim

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ParseError tells why a text is not an expression, and where.
type ParseError struct {
	Text   string // the whole text
	Offset int    // of the offending byte
	Reason string
}

// Error names the text, the byte offset and the reason.
func (e *ParseError) Error() string {
	text := e.Text
	if len(text) > 80 {
		text = text[:80] + "..."
	}
	return fmt.Sprintf("dimension expression %q, byte %d: %s", text, e.Offset, e.Reason)
}

// Limits on the text, so that no input takes long or nests deep.
const (
	maxText    = 4096
	maxNesting = 64
)

// Parse reads an expression: names, integers, + - * / // % **, parentheses, and floor, ceil, min, max, mod, abs. The
// quotient / is exact, // rounds down, % is [Mod]; the precedence is that of Python. So are the functions that
// PyTorch prints, FloorDiv, PythonMod, CeilToInt and so on, decimals such as 0.5, and 16s0 for 16*s0. Names consist of letters, digits,
// _ . $ : and any character beyond ASCII. Every name is a [Symbol]. The error is a *[ParseError].
func Parse(s string) (Dim, error) {
	p := parser{text: s}
	if len(s) > maxText {
		return Dim{}, p.fail(maxText, "longer than %d bytes", maxText)
	}
	if !utf8.ValidString(s) {
		return Dim{}, p.fail(strings.IndexRune(s, utf8.RuneError), "not valid UTF-8")
	}
	p.next()
	d, err := p.sum()
	if err != nil {
		return Dim{}, err
	}
	if p.token != "" {
		return Dim{}, p.fail(p.at, "unexpected %q", p.token)
	}
	return d, nil
}

// parser is a recursive descent over one token of lookahead.
type parser struct {
	text  string
	token string // the current token, empty at the end
	at    int    // its offset
	end   int    // the offset after it
	depth int
}

func (p *parser) fail(at int, format string, args ...any) error {
	return &ParseError{Text: p.text, Offset: max(at, 0), Reason: fmt.Sprintf(format, args...)}
}

func isNameByte(c byte) bool {
	return c >= utf8.RuneSelf || c == '_' || c == '.' || c == '$' || c == ':' ||
		'0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func (p *parser) next() {
	i := p.end
	for i < len(p.text) && strings.IndexByte(" \t\r\n", p.text[i]) >= 0 {
		i++
	}
	p.at = i
	switch {
	case i == len(p.text):
	case isNameByte(p.text[i]):
		for i < len(p.text) && isNameByte(p.text[i]) {
			i++
		}
	case strings.HasPrefix(p.text[i:], "**") || strings.HasPrefix(p.text[i:], "//"):
		i += 2
	default:
		i++
	}
	p.token, p.end = p.text[p.at:i], i
}

// operate applies an operator whose operands are known; a result that is unknown did not fit or divided by zero.
func (p *parser) operate(at int, op string, a, b Dim) (Dim, error) {
	var d Dim
	switch op {
	case "+":
		d = Add(a, b)
	case "-":
		d = Sub(a, b)
	case "*":
		d = Mul(a, b)
	case "/":
		d = Div(a, b)
	case "//":
		d = FloorDiv(a, b)
	case "%", "mod":
		d = Mod(a, b)
	}
	if d.e != nil {
		return d, nil
	}
	if n, ok := b.Int(); ok && n == 0 && op != "+" && op != "-" && op != "*" {
		return Dim{}, p.fail(at, "division by zero")
	}
	return Dim{}, p.fail(at, "the result of %q is too large", op)
}

func (p *parser) sum() (Dim, error) {
	if p.depth++; p.depth > maxNesting {
		return Dim{}, p.fail(p.at, "nested deeper than %d", maxNesting)
	}
	defer func() { p.depth-- }()
	return p.binary([]string{"+", "-"}, p.product)
}

func (p *parser) product() (Dim, error) {
	return p.binary([]string{"*", "/", "//", "%"}, p.signed)
}

func (p *parser) binary(operators []string, operand func() (Dim, error)) (Dim, error) {
	d, err := operand()
	for err == nil {
		op, at := p.token, p.at
		found := false
		for _, o := range operators {
			found = found || o == op
		}
		if !found {
			return d, nil
		}
		p.next()
		var right Dim
		if right, err = operand(); err == nil {
			d, err = p.operate(at, op, d, right)
		}
	}
	return Dim{}, err
}

// signed reads any number of signs before a power: -a**2 is -(a**2).
func (p *parser) signed() (Dim, error) {
	negative := false
	for p.token == "-" || p.token == "+" {
		negative = negative != (p.token == "-")
		p.next()
	}
	// The smallest integer has no positive counterpart.
	if negative && p.token == "9223372036854775808" {
		p.next()
		return Int(-1 << 63), nil
	}
	at := p.at
	d, err := p.power()
	if err != nil || !negative {
		return d, err
	}
	if d = Neg(d); d.e == nil {
		return Dim{}, p.fail(at, "the result of \"-\" is too large")
	}
	return d, nil
}

func (p *parser) power() (Dim, error) {
	base, err := p.primary()
	if err != nil || p.token != "**" {
		return base, err
	}
	at := p.at
	if p.depth++; p.depth > maxNesting {
		return Dim{}, p.fail(p.at, "nested deeper than %d", maxNesting)
	}
	defer func() { p.depth-- }()
	p.next()
	exponent, err := p.signed()
	if err != nil {
		return Dim{}, err
	}
	n, ok := exponent.Int()
	if !ok || n != int64(int(n)) {
		return Dim{}, p.fail(at, "the exponent is not an integer")
	}
	d := Pow(base, int(n))
	if d.e != nil {
		return d, nil
	}
	if z, ok := base.Int(); ok && z == 0 {
		return Dim{}, p.fail(at, "division by zero")
	}
	return Dim{}, p.fail(at, "the result of \"**\" is too large")
}

func (p *parser) primary() (Dim, error) {
	token, at := p.token, p.at
	switch {
	case token == "":
		return Dim{}, p.fail(at, "unexpected end")
	case token == "(":
		p.next()
		d, err := p.sum()
		if err != nil {
			return Dim{}, err
		}
		return d, p.expect(")")
	case !isNameByte(token[0]):
		return Dim{}, p.fail(at, "unexpected %q", token)
	}
	p.next()
	if '0' <= token[0] && token[0] <= '9' {
		return p.number(token, at)
	}
	if p.token == "(" {
		return p.call(token, at)
	}
	return Symbol(token), nil
}

func (p *parser) expect(token string) error {
	if p.token != token {
		found := strconv.Quote(p.token)
		if p.token == "" {
			found = "the end"
		}
		return p.fail(p.at, "expected %q, found %s", token, found)
	}
	p.next()
	return nil
}

// number reads a token that begins with a digit: an integer, a decimal, a number
// of times a symbol as in 16s0, or a name such as 3d_points.
func (p *parser) number(token string, at int) (Dim, error) {
	if strings.Trim(token, "0123456789") == "" {
		n, err := strconv.ParseInt(token, 10, 64)
		if err != nil {
			return Dim{}, p.fail(at, "%s does not fit 64 bits", token)
		}
		return Int(n), nil
	}
	if whole, decimals, ok := strings.Cut(token, "."); ok && strings.Trim(whole+decimals, "0123456789") == "" {
		return p.decimal(token, whole, decimals, at)
	}
	if n, symbol, ok := timesSymbol(token); ok {
		return p.operate(at, "*", Int(n), Symbol(symbol))
	}
	if _, err := strconv.ParseFloat(token, 64); err == nil || strings.Trim(token, "0123456789.") == "" {
		return Dim{}, p.fail(at, "%s is not an integer; write a fraction", token)
	}
	return Symbol(token), nil
}

// decimal reads a number such as 0.5 exactly: symbolic algebra systems write
// floor(0.5*h).
func (p *parser) decimal(token, whole, decimals string, at int) (Dim, error) {
	decimals = strings.TrimRight(decimals, "0")
	n, err := strconv.ParseInt(whole+decimals, 10, 64)
	if err != nil || len(decimals) > 15 {
		return Dim{}, p.fail(at, "%s does not fit 64 bits", token)
	}
	denominator := int64(1)
	for range len(decimals) {
		denominator *= 10
	}
	return Rat(n, denominator), nil
}

// timesSymbol reads 16s0 and 2u5: a number of times one of the symbols that
// PyTorch makes for sizes.
func timesSymbol(token string) (n int64, symbol string, ok bool) {
	digits := strings.TrimLeft(token, "0123456789")
	if len(digits) < 2 || digits[0] != 's' && digits[0] != 'u' || strings.Trim(digits[1:], "0123456789") != "" {
		return 0, "", false
	}
	n, err := strconv.ParseInt(token[:len(token)-len(digits)], 10, 64)
	return n, digits, err == nil
}

// call reads the arguments of a function.
func (p *parser) call(name string, at int) (Dim, error) {
	p.next()
	var args []Dim
	for {
		d, err := p.sum()
		if err != nil {
			return Dim{}, err
		}
		args = append(args, d)
		if p.token != "," {
			break
		}
		p.next()
	}
	if err := p.expect(")"); err != nil {
		return Dim{}, err
	}
	return p.apply(strings.ToLower(name), at, args)
}

// apply calls a function by its name. Letter case does not count, as symbolic
// algebra systems write Min and Mod.
func (p *parser) apply(name string, at int, args []Dim) (Dim, error) {
	f, ok := functions[name]
	if !ok {
		return Dim{}, p.fail(at, "no function %q", name)
	}
	if f.arguments > 0 && len(args) != f.arguments {
		return Dim{}, p.fail(at, "%s takes %d arguments, not %d", name, f.arguments, len(args))
	}
	if f.operator != "" {
		return p.operate(at, f.operator, args[0], args[1])
	}
	if d := f.of(args); d.e != nil {
		return d, nil
	}
	return Dim{}, p.fail(at, "the result of %s is too large", name)
}

// A function is what an expression may call; operator, where it is set, is the
// operator of the same meaning.
type function struct {
	arguments int // 0: any number, but one at least
	operator  string
	of        func([]Dim) Dim
}

func ofOne(f func(Dim) Dim) function {
	return function{1, "", func(args []Dim) Dim { return f(args[0]) }}
}

func same(d Dim) Dim { return d }

// functions are those of SymPy and of PyTorch's torch.utils._sympy.functions, by
// lower case.
var functions = map[string]function{
	"floor": ofOne(Floor), "floortoint": ofOne(Floor),
	"ceil": ofOne(Ceil), "ceiling": ofOne(Ceil), "ceiltoint": ofOne(Ceil),
	"trunc": ofOne(Trunc), "trunctoint": ofOne(Trunc), "trunctofloat": ofOne(Trunc), "int": ofOne(Trunc),
	"round": ofOne(Round), "roundtoint": ofOne(Round),
	"abs":      ofOne(Abs),
	"identity": ofOne(same), "tofloat": ofOne(same), "float": ofOne(same),
	"mod": {2, "mod", nil}, "pythonmod": {2, "mod", nil},
	"floordiv": {2, "//", nil}, "cleandiv": {2, "//", nil}, "inttruediv": {2, "/", nil}, "floattruediv": {2, "/", nil}, "truediv": {2, "/", nil},
	"ceildiv":         {2, "", func(args []Dim) Dim { return CeilDiv(args[0], args[1]) }},
	"modularindexing": {3, "", func(args []Dim) Dim { return Mod(FloorDiv(args[0], args[1]), args[2]) }},
	"pow":             {2, "", power}, "powbynatural": {2, "", power},
	"min": {0, "", func(args []Dim) Dim { return extremum(minAtom, args) }},
	"max": {0, "", func(args []Dim) Dim { return extremum(maxAtom, args) }},
}

// power is args[0] to the power args[1], a number.
func power(args []Dim) Dim {
	n, ok := args[1].Int()
	if !ok || n != int64(int(n)) {
		return Dim{}
	}
	return Pow(args[0], int(n))
}
