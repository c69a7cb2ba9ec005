package onnxgraph

// This file reads what stands around the main graph: the model, its functions
// and its training part.

// readModel reads a ModelProto.
func (d *decoder) readModel() {
	m := d.model
	for d.Next() {
		switch d.Number() {
		case 1:
			m.IRVersion = d.Int64()
		case 2:
			m.ProducerName = d.Text()
		case 3:
			m.ProducerVersion = d.Text()
		case 4:
			m.Domain = d.Text()
		case 5:
			m.ModelVersion = d.Int64()
		case 6:
			m.DocString = d.Text()
		case 7:
			m.Graph = d.graph(m.Graph, -1)
		case 8:
			m.OpsetImports = d.opsetImports(m.OpsetImports)
		case 14:
			m.Metadata = d.stringEntries(m.Metadata)
		case 20:
			m.TrainingInfo = append(m.TrainingInfo, d.trainingInfo(len(m.TrainingInfo)))
		case 25:
			m.Functions = append(m.Functions, d.function(len(m.Functions)))
		case 26:
			m.Configurations = append(m.Configurations, d.deviceConfiguration(len(m.Configurations)))
		}
	}
}

// trainingInfo reads a TrainingInfoProto.
func (d *decoder) trainingInfo(index int) (t TrainingInfo) {
	d.Enter(index)
	for d.Next() {
		switch d.Number() {
		case 1:
			t.Initialization = d.graph(t.Initialization, -1)
		case 2:
			t.Algorithm = d.graph(t.Algorithm, -1)
		case 3:
			t.InitializationBindings = d.stringEntries(t.InitializationBindings)
		case 4:
			t.UpdateBindings = d.stringEntries(t.UpdateBindings)
		}
	}
	d.Leave()
	return t
}

// deviceConfiguration reads a DeviceConfigurationProto.
func (d *decoder) deviceConfiguration(index int) (c DeviceConfiguration) {
	d.Enter(index)
	for d.Next() {
		switch d.Number() {
		case 1:
			c.Name = d.Text()
		case 2:
			c.NumDevices = d.Int32()
		case 3:
			c.Devices = append(c.Devices, d.Text())
		}
	}
	d.Leave()
	return c
}

// function reads a FunctionProto.
func (d *decoder) function(index int) *Function {
	f := &Function{Extent: d.extent()}
	d.Enter(index)
	for d.Next() {
		switch d.Number() {
		case 1:
			f.Name = d.Text()
		case 4:
			f.Inputs = append(f.Inputs, d.Text())
		case 5:
			f.Outputs = append(f.Outputs, d.Text())
		case 6:
			f.AttributeNames = append(f.AttributeNames, d.Text())
		case 7:
			f.Nodes = append(f.Nodes, d.node(len(f.Nodes)))
		case 8:
			f.DocString = d.Text()
		case 9:
			f.OpsetImports = d.opsetImports(f.OpsetImports)
		case 10:
			f.Domain = d.Text()
		case 11:
			f.AttributeDefaults = append(f.AttributeDefaults, d.attribute(len(f.AttributeDefaults)))
		case 12:
			f.ValueInfos = append(f.ValueInfos, d.valueInfo(len(f.ValueInfos)))
		case 13:
			f.Overload = d.Text()
		case 14:
			f.Metadata = d.stringEntries(f.Metadata)
		}
	}
	d.Leave()
	return f
}
