package onnxgraph

import "encoding/binary"

// A packer puts the low bits of numbers one after another, lowest bit first:
// for whole bytes that is little-endian order, for 6-bit floats the bit stream
// that raw_data holds.
type packer struct {
	bits int
	out  []byte
	acc  uint64 // bits of an unfinished byte
	held int    // their number
}

func (p *packer) add(v uint64) {
	switch p.bits {
	case 8:
		p.out = append(p.out, byte(v))
	case 16:
		p.out = binary.LittleEndian.AppendUint16(p.out, uint16(v))
	case 32:
		p.out = binary.LittleEndian.AppendUint32(p.out, uint32(v))
	case 64:
		p.out = binary.LittleEndian.AppendUint64(p.out, v)
	default: // less than a byte
		p.acc |= v & (1<<p.bits - 1) << p.held
		for p.held += p.bits; p.held >= 8; p.held -= 8 {
			p.out = append(p.out, byte(p.acc))
			p.acc >>= 8
		}
	}
}

// rest returns what is left, with the last byte padded with zero bits.
func (p *packer) rest() []byte {
	if p.held > 0 {
		p.out = append(p.out, byte(p.acc))
		p.acc, p.held = 0, 0
	}
	return p.out
}
