// Package dim holds symbolic dimensions: what is known of the size of a tensor's axis, or of a small integer value,
// before the model runs.
//
// A [Dim] is an integer, an expression over named symbols, or unknown. Symbols stand for integers of at least 1, those
// made by [DataDependent] for integers within their own bounds; simplification relies on that, and takes every quotient at
// values where its divisor is not 0. An operation that does not fit int64, divides by 0, or grows beyond the limits of
// the package (256 terms, 24 nested functions, exponents of 64) is unknown, and so is every operation on unknown.
// Nothing rounds, nothing panics.
//
// # Canonical form
//
// An expression is a sum of terms. A term is a rational coefficient times a product of powers of atoms, a negative
// power being a divisor. Atoms are symbols, floor(x), min(...), max(...), and sums as divisors. Terms are sorted by
// degree, then by name, without repetition, so that two ways to write a polynomial give one form:
//
//	(a + b)*c, c*b + a*c               a*c + b*c
//	batch*seq*768/(batch*12)           64*seq
//
// Everything else is brought back to these atoms:
//
//   - ceil(x) is -floor(-x); x // y is floor(x/y); x % y is x - y*floor(x/y).
//   - Out of a floor goes every term that is an integer. What stays is brought over one denominator n, with a constant
//     from 0 to n-1 and a positive first coefficient, as floor(x/n) = -floor((-x + n - 1)/n) for an integer x. The
//     output size of a strided convolution, floor((h - 1)/2) + 1, and ceil(h/2) therefore are one expression.
//   - A floor within a floor dissolves, floor((floor(x) + y)/n) = floor((x + y)/n) for an integer y: halving five times
//     gives ceil(h/32).
//   - min and max drop the arguments that others decide (min(s, s + p) is s), contain no min or max of the same kind, and
//     carry no addend, positive factor or sign that their arguments share.
//   - Over a sum stands only the remainder of the division by it: x*y/(y + 1) is x - x/(y + 1).
//
// Equal forms have equal text. In text a floor may appear as ceil, a difference as mod, a max as abs; [Parse] reads it
// back to the same form. Identities between a floor and its mirror image, such as floor(h/2) + ceil(h/2) = h, and between
// the min and the max of two are left open in the form but decided by [Equal] and [Compare].
//
// # Bounds
//
// [Compare], [LessEq] and the bounds of a Dim are proofs: interval arithmetic over the terms, once more about the lower
// bounds of the symbols, then with floors replaced by their arguments, min and max split into cases, and bounded
// symbols replaced by their bounds. Where no proof is found in a bounded number of steps the answer is that it is not
// known.
package dim
