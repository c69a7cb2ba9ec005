package report_test

import (
	"testing"

	"onnxmem/report"
	"onnxmem/report/memory/devices"
)

// A device of 200 bytes, 50 of which are the context's: a run of 150 fits; a
// training whose peak is 100 does not, since its allocator reserves 160.
func TestCheckDevice(t *testing.T) {
	run, peak, reserved := int64(150), int64(100), int64(160)
	r := &report.Result{Inference: report.Inference{PeakBytes: &run}, Training: &report.Training{PeakBytes: &peak, ReservedBytes: &reserved}}
	r.CheckDevice(devices.Device{Name: "d", Bytes: 200}, 50)
	if d := r.Device; d.RunFits == nil || !*d.RunFits || d.TrainingFits == nil || *d.TrainingFits {
		t.Errorf("a run fits: %v; training fits: %v; must be true and false", d.RunFits, d.TrainingFits)
	}
	r.Inference.PeakBytes = nil
	r.CheckDevice(devices.Device{Name: "d", Bytes: 200}, 50)
	if r.Device.RunFits != nil {
		t.Error("what is not known fits or does not")
	}
}
