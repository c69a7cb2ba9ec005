// Package finding holds what a report says beside its numbers, as data: codes
// with typed arguments, and one registry that explains every code, those of
// diagnostics included.
//
// A [Finding] holds no sentence, no unit and no flag of a command line:
// [onnxmem/report/render] makes text of it. Codes are append-only: one that was
// published keeps its meaning.
package finding
