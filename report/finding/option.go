package finding

// An Option is a setting of the caller's: one that a finding suggests, or one
// that it is about. Programs show it in the way in which their users set it.
type Option struct {
	Name  OptionName `json:"name"`
	Value string     `json:"value"`
}

// An OptionName names an option.
type OptionName string

// The options that findings name.
const (
	Dim         OptionName = "dim" // SYMBOL=N
	InputShapes OptionName = "input-shapes"
	ReuseInputs OptionName = "reuse-inputs" // true or false
	Accumulate  OptionName = "accumulate"
	Attention   OptionName = "attention"
	BatchNorm   OptionName = "batchnorm"
	Checkpoint  OptionName = "checkpoint"
	Device      OptionName = "device"
	Dropout     OptionName = "dropout"
	Foreach     OptionName = "foreach" // true or false
	Freeze      OptionName = "freeze"
	Fused       OptionName = "fused" // true or false
	InPlace     OptionName = "inplace"
	LoRARank    OptionName = "lora-rank"
	Loss        OptionName = "loss"
	NoFusion    OptionName = "no-fusion" // true or false
	Optimizer   OptionName = "optimizer"
	Precision   OptionName = "precision"
	Trainable   OptionName = "trainable"
	Untie       OptionName = "untie" // true or false
)

// OptionNames lists the options.
func OptionNames() []OptionName {
	return []OptionName{
		Dim, InputShapes, ReuseInputs, Accumulate, Attention, BatchNorm, Checkpoint, Device, Dropout, Foreach, Freeze, Fused, InPlace, LoRARank, Loss, NoFusion, Optimizer, Precision, Trainable, Untie,
	}
}
