package weights

import "onnxmem/report/memory/internal/enum"

func batchNormModes() *enum.Names {
	return &enum.Names{Option: "batchnorm", Values: []string{"auto", "folded", "none"}}
}

// ParseBatchNormMode is the value of a name. The error is a
// [*memory.OptionError].
func ParseBatchNormMode(name string) (BatchNormMode, error) {
	v, err := batchNormModes().Parse(name)
	return BatchNormMode(v), err
}

// Values lists the names that [ParseBatchNormMode] takes, the default first.
func (BatchNormMode) Values() []string { return batchNormModes().Values }

// String is the name that [ParseBatchNormMode] takes.
func (m BatchNormMode) String() string { return batchNormModes().String(uint8(m)) }

// MarshalText implements [encoding.TextMarshaler].
func (m BatchNormMode) MarshalText() ([]byte, error) { return batchNormModes().MarshalText(uint8(m)) }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (m *BatchNormMode) UnmarshalText(name []byte) error {
	return enum.Unmarshal(m, ParseBatchNormMode, name)
}
