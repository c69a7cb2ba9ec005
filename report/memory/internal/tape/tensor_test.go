package tape

import (
	"testing"
)

// TestViews holds the rule of torch.Tensor.view on tensors as PyTorch prints
// their strides.
func TestViews(t *testing.T) {
	dense := Dense(Tensor{Dims: []int64{2, 3, 4}, Size: 4})
	turned := dense.Permuted([]int{1, 0, 2}) // strides 4, 12, 1
	wide := Dense(Tensor{Dims: []int64{2, 1, 4}, Size: 4})
	repeated := wide.Expanded([]int64{2, 3, 4}) // strides 4, 0, 1
	for _, c := range []struct {
		name    string
		t       Tensor
		dims    []int64
		strides []int64 // nil: takes a copy
	}{
		{"rows of a dense tensor", dense, []int64{6, 4}, []int64{4, 1}},
		{"all of it", dense, []int64{24}, []int64{1}},
		{"other splits", dense, []int64{3, 2, 2, 2}, []int64{8, 4, 2, 1}},
		{"a new axis", dense, []int64{2, 1, 3, 4}, []int64{12, 12, 4, 1}},
		{"turned axes do not merge", turned, []int64{6, 4}, nil},
		{"but split", turned, []int64{3, 2, 2, 2}, []int64{4, 12, 2, 1}},
		{"repeats do not merge", repeated, []int64{6, 4}, nil},
		{"nothing at all", Dense(Tensor{Dims: []int64{0, 3}}), []int64{3, 0}, []int64{1, 1}},
	} {
		got, ok := viewStrides(&c.t, c.dims)
		if ok != (c.strides != nil) {
			t.Errorf("%s: a view: %v", c.name, ok)
			continue
		}
		for i := range c.strides {
			if got[i] != c.strides[i] && c.dims[i] != 1 {
				t.Errorf("%s: strides %v, must be %v", c.name, got, c.strides)
				break
			}
		}
	}
	if !dense.Contiguous() || turned.Contiguous() || repeated.Contiguous() {
		t.Error("contiguity")
	}
	for _, c := range []struct {
		name          string
		dims, strides []int64
		gaps          int
	}{
		{"x", []int64{2, 5, 7, 3}, []int64{105, 21, 3, 1}, 0},
		{"x.permute(0, 3, 1, 2)", []int64{2, 3, 5, 7}, []int64{105, 1, 21, 3}, 0},
		{"x[:, 0]", []int64{2, 7, 3}, []int64{105, 3, 1}, 1},
		{"x[:, 1:]", []int64{2, 4, 7, 3}, []int64{105, 21, 3, 1}, 1},
		{"x[:, :4, :6]", []int64{2, 4, 6, 3}, []int64{105, 21, 3, 1}, 2},
	} {
		if v := (Tensor{Dims: c.dims, Strides: c.strides}); v.gaps() != c.gaps {
			t.Errorf("%s: %d gaps, must be %d", c.name, v.gaps(), c.gaps)
		}
	}
	if s := likeStrides(&turned); s[0] != 4 || s[1] != 12 || s[2] != 1 {
		t.Errorf("an elementwise result keeps the order of axes: %v", s)
	}
	image := Dense(Tensor{Dims: []int64{2, 4, 5, 3}, Size: 4})
	image = image.Permuted([]int{0, 3, 1, 2})
	if !image.channelsLast() {
		t.Error("NHWC seen as NCHW is channels last")
	}
}
