package memory

import (
	"fmt"
	"strings"
)

// An OptionError is a value of an option that does not exist.
type OptionError struct {
	Option, Value string
	Known         []string // what the option takes
}

// Error implements error.
func (e *OptionError) Error() string {
	return fmt.Sprintf("%s %q: must be one of %s", e.Option, e.Value, strings.Join(e.Known, ", "))
}
