package onnxgraph

// This file reads where nodes of a multi-device model run (IR version 11).

// nodeDeviceConfiguration reads a NodeDeviceConfigurationProto.
func (d *decoder) nodeDeviceConfiguration(index int) (c NodeDeviceConfiguration) {
	d.Enter(index)
	for d.Next() {
		switch d.Number() {
		case 1:
			c.ConfigurationID = d.Text()
		case 2:
			c.ShardingSpecs = append(c.ShardingSpecs, d.shardingSpec(len(c.ShardingSpecs)))
		case 3:
			c.PipelineStage, c.HasPipelineStage = d.Int32(), true
		}
	}
	d.Leave()
	return c
}

// shardingSpec reads a ShardingSpecProto.
func (d *decoder) shardingSpec(index int) (s ShardingSpec) {
	d.Enter(index)
	for d.Next() {
		switch d.Number() {
		case 1:
			s.TensorName = d.Text()
		case 2:
			s.Devices = d.AppendInt64s(s.Devices)
		case 3:
			s.DeviceGroups = append(s.DeviceGroups, d.deviceGroup(len(s.DeviceGroups)))
		case 4:
			s.ShardedDims = append(s.ShardedDims, d.shardedDim(len(s.ShardedDims)))
		}
	}
	d.Leave()
	return s
}

// deviceGroup reads an IntIntListEntryProto.
func (d *decoder) deviceGroup(index int) (g DeviceGroup) {
	d.Enter(index)
	for d.Next() {
		switch d.Number() {
		case 1:
			g.Key = d.Int64()
		case 2:
			g.Values = d.AppendInt64s(g.Values)
		}
	}
	d.Leave()
	return g
}

// shardedDim reads a ShardedDimProto.
func (d *decoder) shardedDim(index int) (s ShardedDim) {
	d.Enter(index)
	for d.Next() {
		switch d.Number() {
		case 1:
			s.Axis = d.Int64()
		case 2:
			s.Shards = append(s.Shards, d.simpleShardedDim(len(s.Shards)))
		}
	}
	d.Leave()
	return s
}

// simpleShardedDim reads a SimpleShardedDimProto.
func (d *decoder) simpleShardedDim(index int) (s SimpleShardedDim) {
	d.Enter(index)
	for d.Next() {
		switch d.Number() {
		case 1:
			d.dimValue(&s.Dim)
		case 2:
			d.dimParam(&s.Dim)
		case 3:
			s.NumShards = d.Int64()
		}
	}
	d.Leave()
	return s
}
