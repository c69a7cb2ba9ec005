package render

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"onnxmem/report"
	"onnxmem/report/memory/training"
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

// An answer is one of the numbers that people came for, and what it is made of.
type answer struct{ what, number, why string }

// answers lists them; those that begin with spaces explain the one before.
func (t *reportText) answers(r *report.Result) []answer {
	var rows []answer
	add := func(what, number, why string) { rows = append(rows, answer{what, number, why}) }

	p, inf := r.Parameters, r.Inference
	add("weights", t.sizeOrUnknown(r.Weights.Bytes, r.Weights.BytesAtLeast), "initializers: "+dtypes(r.Parameters.ByDType))
	add("parameters", Count(p.Trainable), parameterText(p))
	add("inference peak", t.sizeOrUnknown(inf.PeakBytes, inf.PeakAtLeast), t.peakText(r))
	if rt := inf.Runtime; rt != nil {
		add("  "+runtimeTitle(rt), t.sizeOrUnknown(rt.Bytes, rt.BytesAtLeast), t.runtimeText(rt))
	}
	add("  no reuse", t.sizeOrUnknown(inf.SumBytes, inf.SumAtLeast), "weights + inputs + all activations")
	t.planRows(add, inf)
	t.trainingRows(add, r)
	t.computeRows(add, r)
	t.deviceRow(add, r)
	return rows
}

func parameterText(p report.Parameters) string {
	s := "trainable; the file stores " + Count(p.Count)
	var parts []string
	if p.Buffers > 0 {
		parts = append(parts, Count(p.Buffers)+" buffers")
	}
	if p.Constants > 0 {
		parts = append(parts, Count(p.Constants)+" constants")
	}
	if len(parts) > 0 {
		s += ", including " + enumerated(parts)
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
		return "the size of some tensors is not known"
	}
	s := "weights + inputs " + t.size(*r.Inputs.Bytes) + " + activations " + t.size(*inf.PeakActivationBytes)
	if inf.PeakNode != "" {
		s += " at " + inf.PeakNode
	}
	return s
}

// runtimeTitle is the name of a runtime as people know it.
func runtimeTitle(rt *report.Runtime) string { return cmp.Or(rt.Title, rt.Name) }

// runtimeText says what a runtime's number is made of and what it holds for.
func (t *reportText) runtimeText(rt *report.Runtime) string {
	var parts []string
	switch {
	case rt.ActivationBytes != nil:
		parts = append(parts, "weights + inputs + "+t.size(*rt.ActivationBytes)+" of activations")
	case rt.Reason != nil:
		parts = append(parts, t.style.Message(*rt.Reason))
	}
	for _, name := range slices.Sorted(maps.Keys(rt.Settings)) {
		parts = append(parts, name+"="+rt.Settings[name])
	}
	if !rt.Measured {
		parts = append(parts, "not measured")
	}
	return strings.Join(parts, "; ")
}

func (t *reportText) planRows(add func(what, number, why string), inf report.Inference) {
	if inf.ArenaBytes != nil && inf.PeakActivationBytes != nil {
		why := "activations in one block, the smallest possible"
		if *inf.ArenaBytes > *inf.PeakActivationBytes {
			why = "activations in one block; the lower bound is " + t.size(*inf.PeakActivationBytes)
		}
		add("  arena (static plan)", t.size(*inf.ArenaBytes), why)
	}
	if inf.BestOrderBytes != nil && inf.PeakActivationBytes != nil && *inf.BestOrderBytes < *inf.PeakActivationBytes {
		add("  best order", t.size(*inf.BestOrderBytes), "activations at the peak with another order of nodes: "+
			t.size(*inf.PeakActivationBytes-*inf.BestOrderBytes)+" less")
	}
}

func (t *reportText) trainingRows(add func(what, number, why string), r *report.Result) {
	tr := r.Training
	if tr == nil {
		return
	}
	if tr.PeakBytes != nil || tr.Reason != nil {
		why := ""
		switch {
		case tr.PeakBytes != nil:
			why = "in the " + phaseName(tr.PeakPhase) + ": " + t.breakdown(tr.AtPeak)
		case tr.Reason != nil:
			why = t.style.Message(*tr.Reason)
		}
		add("training peak ("+trainingName(tr)+")", t.sizeOrUnknown(tr.PeakBytes, nil), why)
	}
	if t.style.Train && tr.SavedBytes != nil {
		add("  saved for backward", t.size(*tr.SavedBytes), "activations that the backward pass needs")
		if tr.FirstStepPeakBytes != nil {
			add("  first step", t.size(*tr.FirstStepPeakBytes), "the optimizer has no state yet")
		}
		if tr.ReservedBytes != nil {
			add("  reserved", t.size(*tr.ReservedBytes), "by the caching allocator, in whole segments")
		}
	}
	add("  rule of thumb", t.sizeOrUnknown(tr.RuleOfThumbBytes, nil), "parameters x (2 + optimizer states) + other weights + 2 x activations + inputs")
}

// phaseName is a phase of a training step in prose.
func phaseName(phase string) string {
	switch phase {
	case training.PhaseForward, training.PhaseBackward:
		return phase + " pass"
	}
	return "optimizer step"
}

// trainingName says how the model is trained: Adam, fp32.
func trainingName(tr *report.Training) string {
	return cmp.Or(optimizerTitles[tr.Optimizer], tr.Optimizer) + ", " + cmp.Or(tr.Precision, "fp32")
}

var optimizerTitles = map[string]string{
	"adam": "Adam", "adamw": "AdamW", "sgd": "SGD", "momentum": "SGD with momentum", "nesterov": "SGD with Nesterov momentum", "amsgrad": "AMSGrad",
	"adagrad": "Adagrad", "rmsprop": "RMSprop", "rmsprop-centered": "centered RMSprop", "rmsprop-momentum": "RMSprop with momentum",
	"rmsprop-centered-momentum": "centered RMSprop with momentum", "adadelta": "Adadelta", "adamax": "Adamax", "nadam": "NAdam", "radam": "RAdam",
	"rprop": "Rprop", "asgd": "ASGD", "lion": "Lion", "lamb": "LAMB", "sophia": "Sophia", "adafactor": "Adafactor", "adam8bit": "8-bit Adam",
	"adamw8bit": "8-bit AdamW", "muon": "Muon",
}

// breakdown lists the parts of a peak, largest first.
func (t *reportText) breakdown(parts map[string]int64) string {
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
	training.PartParameter: "parameters", training.PartBuffer: "buffers", training.PartGradient: "gradients", training.PartActivation: "activations",
	training.PartTemporary: "temporary", training.PartOptimizerStates: "optimizer states", training.PartInput: "inputs",
}

func (t *reportText) computeRows(add func(what, number, why string), r *report.Result) {
	if r.Compute.MACs != nil {
		add("compute", amount(*r.Compute.MACs, "MACs"), amount(*r.Compute.FLOPs, "FLOPs")+" (2 x MACs) per run, in convolutions, matrix products, attention and recurrent layers")
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
			return what + " is unknown"
		case *fits:
			return what + " fits"
		}
		return what + " does not fit"
	}
	add("device "+d.Name, t.size(d.Bytes), say("inference", d.RunFits)+"; "+say("training", d.TrainingFits)+"; "+t.size(d.ReserveBytes)+" kept for the runtime's context")
}
