package tape

// An UnknownError says why the memory of training a model is not known.
type UnknownError struct {
	Node   string // label of the node in the way, "" where none is meant
	Reason string
}

func (e *UnknownError) Error() string {
	if e.Node != "" {
		return e.Node + ": " + e.Reason
	}
	return e.Reason
}
