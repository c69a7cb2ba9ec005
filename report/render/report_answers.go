package render

import (
	"fmt"
	"slices"
	"strings"

	"onnxmem/report"
)

// about says what the file is, in a few words each.
func (t *reportText) about(r *report.Result) []string {
	parts := []string{}
	if p := strings.TrimSpace(r.Model.Producer); p != "" {
		parts = append(parts, "from "+p)
	}
	parts = append(parts, fmt.Sprintf("IR %d", r.Model.IRVersion))
	domains := make([]string, 0, len(r.Model.Opsets))
	for d := range r.Model.Opsets {
		domains = append(domains, d)
	}
	slices.Sort(domains)
	for _, d := range domains {
		name := d
		if name == "" {
			name = "ai.onnx"
		}
		parts = append(parts, fmt.Sprintf("%s %d", name, r.Model.Opsets[d]))
	}
	return append(parts, Count(int64(r.Model.Nodes))+" nodes", "file "+t.size(r.Model.Bytes))
}

// openDims says what the dims count as that the model leaves open: "batch = 1".
func openDims(r *report.Result) string {
	var list []string
	for name, n := range r.Formula.Symbols {
		list = append(list, fmt.Sprintf("%s = %d", name, n))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// An answer is one of the numbers that people came for, and what it is made of.
type answer struct{ what, number, why string }

// answers lists them; those that begin with spaces explain the one before.
func (t *reportText) answers(r *report.Result) []answer {
	var rows []answer
	add := func(what, number, why string) { rows = append(rows, answer{what, number, why}) }

	p, inf := r.Parameters, r.Inference
	add("weights", sizeOrUnknown(r.Weights.Bytes, r.Weights.BytesAtLeast, t.style.IEC), "stored constants: "+dtypes(r.Parameters.ByDType))
	add("parameters", Count(p.Trainable), parameterText(p))
	add("to run: peak", sizeOrUnknown(inf.PeakBytes, inf.PeakAtLeast, t.style.IEC), t.peakText(r))
	if rt := inf.Runtime; rt != nil {
		why := rt.Reason
		if rt.ActivationBytes != nil {
			why = "weights + inputs + " + t.size(*rt.ActivationBytes) + " of node outputs as it plans them"
		}
		if !rt.Measured {
			why += " (not measured)"
		}
		add("  in "+rt.Name, sizeOrUnknown(rt.Bytes, rt.BytesAtLeast, t.style.IEC), why)
	}
	add("  without any reuse", sizeOrUnknown(inf.SumBytes, inf.SumAtLeast, t.style.IEC), "weights + inputs + every node output")
	t.planRows(add, inf)
	t.trainingRows(add, r)
	t.computeRows(add, r)
	t.deviceRow(add, r)
	return rows
}

func parameterText(p report.Parameters) string {
	s := "elements that train; stored: " + Count(p.Count)
	var parts []string
	if p.Buffers > 0 {
		parts = append(parts, Count(p.Buffers)+" buffers")
	}
	if p.Constants > 0 {
		parts = append(parts, Count(p.Constants)+" constants")
	}
	if len(parts) > 0 {
		s += ", of these " + strings.Join(parts, ", ")
	}
	return s
}

func dtypes(counts map[string]int64) string {
	names := make([]string, 0, len(counts))
	for d := range counts {
		names = append(names, d)
	}
	slices.SortFunc(names, func(a, b string) int {
		if counts[a] != counts[b] {
			return int(min(max(counts[b]-counts[a], -1), 1))
		}
		return strings.Compare(a, b)
	})
	for i, d := range names {
		names[i] = Count(counts[d]) + " " + d
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func (t *reportText) peakText(r *report.Result) string {
	inf := r.Inference
	if inf.PeakActivationBytes == nil || r.Inputs.Bytes == nil {
		return "some tensors' sizes are not known"
	}
	s := "weights + inputs " + t.size(*r.Inputs.Bytes) + " + node outputs " + t.size(*inf.PeakActivationBytes)
	if inf.PeakNode != "" {
		s += " at " + inf.PeakNode
	}
	return s
}

func (t *reportText) planRows(add func(what, number, why string), inf report.Inference) {
	if inf.ArenaBytes != nil && inf.PeakActivationBytes != nil {
		why := "node outputs placed in one block; the least possible is " + t.size(*inf.PeakActivationBytes)
		add("  as one arena", t.size(*inf.ArenaBytes), why)
	}
	if inf.BestOrderBytes != nil && inf.PeakActivationBytes != nil && *inf.BestOrderBytes < *inf.PeakActivationBytes {
		add("  in the best order", t.size(*inf.BestOrderBytes), "node outputs at the peak if the nodes ran in another order: "+
			t.size(*inf.PeakActivationBytes-*inf.BestOrderBytes)+" less")
	}
}

func (t *reportText) trainingRows(add func(what, number, why string), r *report.Result) {
	tr := r.Training
	if tr == nil {
		return
	}
	name := "to train: " + tr.Optimizer
	if tr.Precision != "" && tr.Precision != "fp32" {
		name += ", " + tr.Precision
	}
	if tr.PeakBytes != nil || tr.Reason != "" {
		why := tr.Reason
		if tr.PeakBytes != nil {
			why = "peak in the " + tr.PeakPhase + ": " + t.split(tr.AtPeak)
		}
		add(name, sizeOrUnknown(tr.PeakBytes, nil, t.style.IEC), why)
	}
	if t.style.Train && tr.SavedBytes != nil {
		add("  kept for backward", t.size(*tr.SavedBytes), "activations that the derivatives need")
		if tr.FirstStepPeakBytes != nil {
			add("  in the first step", t.size(*tr.FirstStepPeakBytes), "the optimizer has no state yet")
		}
		if tr.ReservedBytes != nil {
			add("  reserved", t.size(*tr.ReservedBytes), "in the blocks that a caching allocator takes from the device")
		}
	}
	add("  rule of thumb", sizeOrUnknown(tr.ClassicBytes, nil, t.style.IEC), "parameters x (2 + optimizer states) + other weights + 2 x node outputs + inputs")
}

// split lists the parts of a peak, largest first.
func (t *reportText) split(parts map[string]int64) string {
	names := make([]string, 0, len(parts))
	for n, v := range parts {
		if v > 0 {
			names = append(names, n)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if parts[a] != parts[b] {
			return int(min(max(parts[b]-parts[a], -1), 1))
		}
		return strings.Compare(a, b)
	})
	for i, n := range names {
		names[i] = partNames[n] + " " + t.size(parts[n])
	}
	return strings.Join(names, ", ")
}

var partNames = map[string]string{
	"parameter": "parameters", "buffer": "buffers", "gradient": "gradients", "activation": "activations",
	"temp": "temporary", "optstate": "optimizer states", "input": "inputs",
}

func (t *reportText) computeRows(add func(what, number, why string), r *report.Result) {
	if r.Compute.MACs != nil {
		add("compute", magnitude(*r.Compute.MACs)+"MACs", magnitude(*r.Compute.FLOPs)+"FLOPs (2 x MACs) a run, in convolutions, matrix products, attention and recurrence")
	}
}

func (t *reportText) deviceRow(add func(what, number, why string), r *report.Result) {
	d := r.Device
	if d == nil {
		return
	}
	say := func(what string, fits *bool) string {
		switch {
		case fits == nil:
			return what + ": not known"
		case *fits:
			return what + " fits"
		}
		return what + " does not fit"
	}
	add("on "+d.Name, Size(d.Bytes, true), say("a run", d.RunFits)+"; "+say("training", d.TrainingFits)+"; "+t.size(d.ReserveBytes)+" kept for the runtime's context")
}
