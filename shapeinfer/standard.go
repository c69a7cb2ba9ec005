package shapeinfer

import "onnxmem/shapeinfer/internal/schema"

// DeclaredOperators returns how many operators of a domain ONNX and ONNX
// Runtime declare, and how many versions of them in all. The default domain has
// the empty name. Both are 0 for a domain without published declarations.
func DeclaredOperators(domain string) (operators, versions int) {
	return schema.Count(domain)
}
