package modeltest

import "onnxmem/onnxgraph"

// A Home is one of the places in which a model can have a tensor.
type Home struct {
	Name  string
	Model func(Tensor) *Builder
}

// Homes lists the places in which a model can have a tensor, for tests of what
// must find all of them.
func Homes() []Home {
	plain := func() *Builder {
		return New(17).Input("x", onnxgraph.Float, 2).Node("Relu", []string{"x"}, []string{"y"}).Output("y")
	}
	other := func() Tensor { return NewTensor("other", []int64{1}, []int64{0}) }
	holder := func(a Attr) *Builder { return Body().Node("Holder", nil, []string{"held"}, a) }
	homes := []Home{
		{"initializer", func(t Tensor) *Builder { return plain().InitTensor(t) }},
		{"sparse values", func(t Tensor) *Builder { return plain().SparseInit([]int64{2}, t, other()) }},
		{"sparse indices", func(t Tensor) *Builder { return plain().SparseInit([]int64{2}, other(), t) }},
		{"sparse values without indices", func(t Tensor) *Builder { return plain().SparseInit([]int64{2}, t, Tensor{}) }},
		{"sparse indices without values", func(t Tensor) *Builder { return plain().SparseInit([]int64{2}, Tensor{}, t) }},
		{"subgraph", func(t Tensor) *Builder {
			return plain().Node("Holder", nil, []string{"z"}, Subgraph("body", Body().InitTensor(t)))
		}},
		{"training initialization", func(t Tensor) *Builder { return plain().Training(Body().InitTensor(t), nil) }},
		{"training algorithm", func(t Tensor) *Builder { return plain().Training(nil, Body().InitTensor(t)) }},
	}
	for name, attr := range map[string]func(Tensor) Attr{
		"tensor":                   func(t Tensor) Attr { return TensorAttr("a", t) },
		"tensors":                  func(t Tensor) Attr { return TensorsAttr("a", other(), t) },
		"sparse tensor":            func(t Tensor) Attr { return SparseAttr("a", []int64{2}, t, Tensor{}) },
		"sparse tensors":           func(t Tensor) Attr { return SparsesAttr("a", []int64{2}, other(), t) },
		"initializer in graph":     func(t Tensor) Attr { return Subgraph("a", Body().InitTensor(t)) },
		"attribute in graphs":      func(t Tensor) Attr { return Subgraphs("a", Body(), holder(TensorAttr("b", t))) },
		"sparse in graph in graph": func(t Tensor) Attr { return Subgraph("a", holder(Subgraph("b", Body().SparseInit(nil, t, Tensor{})))) },
	} {
		homes = append(homes,
			Home{name + " of a node", func(t Tensor) *Builder { return plain().Node("Holder", nil, []string{"z"}, attr(t)) }},
			Home{name + " in a function", func(t Tensor) *Builder { return plain().Function("d", "F", holder(attr(t))) }},
			Home{name + " as a function's default", func(t Tensor) *Builder { return plain().Function("d", "F", Body().Default(attr(t))) }},
			Home{name + " in training", func(t Tensor) *Builder { return plain().Training(nil, holder(attr(t))) }},
		)
	}
	return homes
}
