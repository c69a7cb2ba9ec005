package annotate_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"onnxmem/onnxgraph"
	"onnxmem/onnxgraph/annotate"
	"onnxmem/onnxgraph/modeltest"
)

// field encodes a bytes field.
func field(number protowire.Number, value string) string {
	return string(protowire.AppendString(protowire.AppendTag(nil, number, protowire.BytesType), value))
}

// TestBytes holds whole files, written out by hand, against what comes out.
func TestBytes(t *testing.T) {
	float1n := modeltest.TensorType(onnxgraph.Float, 1, "n")
	typ := field(1, "\x08\x01"+field(2, field(1, "\x08\x01")+field(1, "\x12\x01n")))
	value := func(name, rest string) string { return field(1, name) + rest }
	for name, c := range map[string]struct{ before, after string }{
		"an entry is added": {
			"\x08\x08" + field(7, "") + "\x28\x07",
			"\x08\x08" + field(7, field(13, value("new", field(2, typ)))) + "\x28\x07",
		},
		"an output gets its type": {
			"\x08\x08" + field(7, field(12, value("y", ""))) + "\x28\x07",
			"\x08\x08" + field(7, field(12, value("y", field(2, typ)))+field(13, value("new", field(2, typ)))) + "\x28\x07",
		},
		"the graph's length takes another byte": {
			"\x08\x08" + field(7, field(2, strings.Repeat("g", 120))),
			"\x08\x08" + field(7, field(2, strings.Repeat("g", 120))+field(13, value("new", field(2, typ)))),
		},
		"unknown fields and denotations stay": {
			field(7, field(12, value("y", field(50, "u")+field(2, field(1, "\x08\x07"+field(51, "v")+field(2, field(52, "w")+field(1, "\x12\x01x"+field(3, "N"))+field(1, "\x08\x05\x98\x06\x01")))+field(6, "D"))))),
			field(7, field(12, value("y", field(50, "u")+field(2, field(1, field(51, "v")+field(2, field(52, "w")+field(1, field(3, "N")+"\x08\x01")+field(1, "\x98\x06\x01\x12\x01n"))+"\x08\x01")+field(6, "D"))))+
				field(13, value("new", field(2, typ)))),
		},
		"another kind of type": {
			field(7, field(12, value("y", field(2, field(4, field(1, typ)))))),
			field(7, field(12, value("y", field(2, typ)))+field(13, value("new", field(2, typ)))),
		},
		"another rank": {
			field(7, field(12, value("y", field(2, field(1, "\x08\x01"+field(2, field(1, "\x08\x01"))))))),
			field(7, field(12, value("y", field(2, typ)))+field(13, value("new", field(2, typ)))),
		},
		// 0x82 0x80 0x00 is 2 in three bytes: legal, and kept where nothing changes.
		"lengths longer than need be": {
			"\x3a\x86\x80\x00" + "\x62\x83\x00\x0a\x01y" + "\x32\x82\x80\x00dd",
			field(7, field(12, value("y", field(2, typ)))+field(13, value("new", field(2, typ)))) + "\x32\x82\x80\x00dd",
		},
		"two parts of one graph": {
			field(7, field(12, value("y", ""))+field(2, "g")) + "\x08\x08" + field(7, field(12, value("z", ""))),
			field(7, field(12, value("y", field(2, typ)))+field(2, "g")) + "\x08\x08" + field(7, field(12, value("z", field(2, typ)))+field(13, value("new", field(2, typ)))),
		},
	} {
		m := read(t, []byte(c.before))
		s := annotate.Scope{Graph: m.Graph, Set: map[*onnxgraph.ValueInfo]*onnxgraph.Type{}, Add: []*onnxgraph.ValueInfo{{Name: "new", Type: float1n}}}
		for _, v := range m.Graph.Outputs {
			s.Set[v] = float1n
		}
		if got := string(write(t, []byte(c.before), m, []annotate.Scope{s})); got != c.after {
			t.Errorf("%s:\n%q, want\n%q", name, got, c.after)
		}
	}
}

// TestNothingToDo: types that are there already change no byte.
func TestNothingToDo(t *testing.T) {
	file := nested()
	m := read(t, file)
	var scopes []annotate.Scope
	eachGraph(m, func(g *onnxgraph.Graph) {
		s := annotate.Scope{Graph: g, Set: map[*onnxgraph.ValueInfo]*onnxgraph.Type{}}
		for _, list := range [][]*onnxgraph.ValueInfo{g.Inputs, g.Outputs, g.ValueInfos} {
			for _, v := range list {
				if v.Type != nil {
					s.Set[v] = v.Type
				}
			}
		}
		scopes = append(scopes, s)
	})
	p, err := annotate.NewPlan(bytes.NewReader(file), m, scopes)
	if err != nil || p.Changed() || p.Size() != int64(len(file)) {
		t.Errorf("changed: %v, %d bytes of %d, %v", p.Changed(), p.Size(), len(file), err)
	}
}

// TestTooDeep: a type that would nest deeper than readers go is left out.
func TestTooDeep(t *testing.T) {
	for levels := 25; levels <= 32; levels++ {
		graph := field(12, field(1, "y"))
		for range levels {
			graph = field(1, field(5, field(6, graph)))
		}
		file := []byte(field(7, graph))
		m := read(t, file)
		out := write(t, file, m, everywhere(m, 3))
		// The innermost graph is 1 + 3*levels deep, the dim of a
		// sequence in it seven deeper: entry, type, sequence, type, tensor, shape, dim.
		innermost := 0
		eachGraph(read(t, out), func(g *onnxgraph.Graph) { innermost = len(g.ValueInfos) })
		if levels <= 30 && innermost != 1 || levels == 32 && innermost != 0 {
			t.Errorf("%d levels: %d entries innermost", levels, innermost)
		}
	}
}

// TestOtherFile: a file that changed since it was read is refused.
func TestOtherFile(t *testing.T) {
	file := nested()
	m := read(t, file)
	if _, err := annotate.NewPlan(bytes.NewReader(make([]byte, len(file))), m, everywhere(m, 0)); err == nil {
		t.Error("a file of zeros was taken")
	}
	if _, err := annotate.NewPlan(bytes.NewReader(file[:9]), m, everywhere(m, 0)); err == nil {
		t.Error("a file of nine bytes was taken")
	}
	p, err := annotate.NewPlan(bytes.NewReader(file), m, nil)
	if err != nil {
		t.Fatal(err)
	}
	short, err := annotate.NewPlan(shrinking{bytes.NewReader(file)}, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.WriteTo(io.Discard); err != nil {
		t.Error(err)
	}
	if _, err := short.WriteTo(io.Discard); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that ends early: %v", err)
	}
	if _, err := p.WriteTo(failing{}); !errors.Is(err, errFull) {
		t.Errorf("a full disk: %v", err)
	}
}

// shrinking loses its second half.
type shrinking struct{ *bytes.Reader }

func (s shrinking) ReadAt(p []byte, off int64) (int, error) {
	half := s.Size() / 2
	if off >= half {
		return 0, io.EOF
	}
	return s.Reader.ReadAt(p[:min(int64(len(p)), half-off)], off)
}

var errFull = errors.New("full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }
