package report

import (
	"onnxmem/report/memory/devices"
)

// A DeviceCheck holds a report against the memory of one device.
type DeviceCheck struct {
	Name         string `json:"name"`
	Title        string `json:"title"`
	Bytes        int64  `json:"bytes"`
	ReserveBytes int64  `json:"reserve_bytes"` // kept for the runtime's context
	RunFits      *bool  `json:"run_fits"`      // nil: the peak is not known
	TrainingFits *bool  `json:"training_fits"`
}

// CheckDevice says whether the model fits on a device, to run and to train,
// with some memory kept for the runtime's context. Training has to fit with the
// segments that a caching allocator reserves, as in a [FitResult].
func (r *Result) CheckDevice(d devices.Device, reserve int64) {
	c := &DeviceCheck{Name: d.Name, Title: d.Title, Bytes: d.Bytes, ReserveBytes: reserve}
	fits := func(n *int64) *bool {
		if n == nil {
			return nil
		}
		ok := *n <= d.Bytes-reserve
		return &ok
	}
	c.RunFits = fits(r.Inference.PeakBytes)
	if r.Training != nil {
		c.TrainingFits = fits(r.Training.ReservedBytes)
	}
	r.Device = c
}
