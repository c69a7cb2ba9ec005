package finding

// A Code names one kind of finding or diagnostic.
type Code string

// A Severity ranks a finding.
type Severity string

// The severities.
const (
	Note    Severity = "note"    // explains or qualifies a number
	Warning Severity = "warning" // a number may be far from what is wanted
	Error   Severity = "error"   // something is wrong, or a number is missing
)

// A Finding is one thing that a report says: a code and its arguments. The
// registry ([Find]) says what a code means; the constants of the codes say
// which arguments it has. All sizes are bytes. The zero value of an argument
// means that the code has none.
type Finding struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	// Message is the finding in plain English. It is empty in the results of the
	// library; render fills it in JSON.
	Message string `json:"message,omitempty"`

	Node    string `json:"node,omitempty"`    // label of the node that it is about
	Op      string `json:"op,omitempty"`      // operator that it is about
	Tensor  string `json:"tensor,omitempty"`  // tensor that it is about
	Related string `json:"related,omitempty"` // the other tensor or node
	Symbol  string `json:"symbol,omitempty"`  // dynamic dimension
	Size    int64  `json:"size,omitempty"`    // of Symbol

	Count       int64   `json:"count,omitempty"`
	Elements    int64   `json:"elements,omitempty"`
	Bytes       int64   `json:"bytes,omitempty"`        // all that it is about
	TensorBytes int64   `json:"tensor_bytes,omitempty"` // Tensor alone
	Peak        *Change `json:"peak_bytes,omitempty"`   // what a change does to a peak

	// Options are the options that the finding suggests or is about.
	Options []Option `json:"options,omitempty"`
	// Detail is what another part of the program or the model says: a type, an
	// error of inference.
	Detail string `json:"detail,omitempty"`
}

// A Change is a number of bytes before and after a change.
type Change struct {
	Before int64 `json:"before"`
	After  int64 `json:"after"`
}

// New returns a finding of a code with the severity that the registry gives it.
func New(c Code) Finding {
	f := Finding{Code: c, Severity: Note}
	if e, ok := Find(string(c)); ok {
		f.Severity = e.Severity
	}
	return f
}
