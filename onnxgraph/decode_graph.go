package onnxgraph

// This file reads graphs, their nodes and the types that they declare.

// graph reads a GraphProto into g, which is nil unless the file repeats it.
func (d *decoder) graph(g *Graph, index int) *Graph {
	if g == nil {
		g = new(Graph)
	}
	g.Extents = append(g.Extents, d.extent())
	d.Enter(index)
	for d.Next() {
		switch d.Number() {
		case 1:
			g.Nodes = append(g.Nodes, d.node(len(g.Nodes)))
		case 2:
			g.Name = d.Text()
		case 5:
			g.Initializers = append(g.Initializers, d.tensor(nil, len(g.Initializers)))
		case 10:
			g.DocString = d.Text()
		case 11:
			g.Inputs = append(g.Inputs, d.valueInfo(len(g.Inputs)))
		case 12:
			g.Outputs = append(g.Outputs, d.valueInfo(len(g.Outputs)))
		case 13:
			g.ValueInfos = append(g.ValueInfos, d.valueInfo(len(g.ValueInfos)))
		case 14:
			g.QuantizationEntries = append(g.QuantizationEntries, d.quantizationAnnotation(len(g.QuantizationEntries)))
		case 15:
			g.SparseInitializers = append(g.SparseInitializers, d.sparseTensor(nil, len(g.SparseInitializers)))
		case 16:
			g.Metadata = d.stringEntries(g.Metadata)
		}
	}
	d.Leave()
	return g
}

// node reads a NodeProto.
func (d *decoder) node(index int) *Node {
	n := d.nodes.new()
	n.Extent = d.extent()
	attrs, ins, outs := d.attrs.mark(), d.inputs.mark(), d.outputs.mark()
	d.Enter(index)
	for d.Next() {
		switch d.Number() {
		case 1:
			d.inputs.push(d.Text())
		case 2:
			d.outputs.push(d.Text())
		case 3:
			n.Name = d.Text()
		case 4:
			n.OpType = d.Text()
		case 5:
			d.attrs.push(d.attribute(d.attrs.mark() - attrs))
		case 6:
			n.DocString = d.Text()
		case 7:
			n.Domain = d.Text()
		case 8:
			n.Overload = d.Text()
		case 9:
			n.Metadata = d.stringEntries(n.Metadata)
		case 10:
			n.DeviceConfigurations = append(n.DeviceConfigurations, d.nodeDeviceConfiguration(len(n.DeviceConfigurations)))
		}
	}
	d.Leave()
	n.Inputs, n.Outputs, n.Attributes = d.inputs.take(ins), d.outputs.take(outs), d.attrs.take(attrs)
	return n
}

// valueInfo reads a ValueInfoProto.
func (d *decoder) valueInfo(index int) *ValueInfo {
	v := d.values.new()
	v.Extent = d.extent()
	d.Enter(index)
	for d.Next() {
		switch d.Number() {
		case 1:
			v.Name = d.Text()
		case 2:
			v.Type = d.typ(v.Type, -1)
		case 3:
			v.DocString = d.Text()
		case 4:
			v.Metadata = d.stringEntries(v.Metadata)
		}
	}
	d.Leave()
	return v
}

// quantizationAnnotation reads a TensorAnnotation.
func (d *decoder) quantizationAnnotation(index int) (q QuantizationAnnotation) {
	d.Enter(index)
	for d.Next() {
		switch d.Number() {
		case 1:
			q.TensorName = d.Text()
		case 2:
			q.Parameters = d.stringEntries(q.Parameters)
		}
	}
	d.Leave()
	return q
}
