package ort

import "fmt"

// tensorBodies move elements or convert them.
func tensorBodies() []functionBody {
	return []functionBody{
		{name: "CastLike", since: 15, inputs: "input like", outputs: "output", text: func(c *bodyCall) string {
			return fmt.Sprintf("output = Cast <to=%d> (input)", c.dtype(1))
		}},
		{name: "CenterCropPad", since: 18, inputs: "input_data shape", outputs: "output_data", text: centerCropPad},
		{name: "SpaceToDepth", since: 28, inputs: "input", outputs: "output", text: func(c *bodyCall) string {
			perm := "0, 3, 5, 1, 2, 4"
			if c.text("mode", "DCR") == "CRD" {
				perm = "0, 1, 3, 5, 2, 4"
			}
			return blocks(c, `
			H_block = Div (H, blocksize)
			W_block = Div (W, blocksize)
			C_block = Mul (C, block_area)`, "N, C, H_block, blocksize, W_block, blocksize", perm)
		}},
		{name: "DepthToSpace", since: 28, inputs: "input", outputs: "output", text: func(c *bodyCall) string {
			shape, perm := "N, blocksize, blocksize, C_block, H, W", "0, 3, 4, 1, 5, 2"
			if c.text("mode", "DCR") == "CRD" {
				shape, perm = "N, C_block, blocksize, blocksize, H, W", "0, 1, 4, 2, 5, 3"
			}
			return blocks(c, `
			H_block = Mul (H, blocksize)
			W_block = Mul (W, blocksize)
			C_block = Div (C, block_area)`, shape, perm)
		}},
	}
}

// blocks moves between space and depth, by a transposition of six dims.
func blocks(c *bodyCall, dims, shape, perm string) string {
	size := c.integer("blocksize", 0)
	if size <= 0 {
		return ""
	}
	return fmt.Sprintf(`
			blocksize = ints (%d)
			block_area = ints (%d)
			zero = ints (0)
			one = ints (1)
			two = ints (2)
			three = ints (3)
			four = ints (4)
			input_shape = Shape (input)
			N = Slice (input_shape, zero, one)
			C = Slice (input_shape, one, two)
			H = Slice (input_shape, two, three)
			W = Slice (input_shape, three, four)
			%s
			tmp_shape = Concat <axis=0> (%s)
			tmp = Reshape <allowzero=1> (input, tmp_shape)
			tmp_transposed = Transpose <perm=[%s]> (tmp)
			output_shape = Concat <axis=0> (N, C_block, H_block, W_block)
			output = Reshape <allowzero=1> (tmp_transposed, output_shape)`, size, size*size, dims, shape, perm)
}

// centerCropPad pads and then slices, all dims or those of axes.
func centerCropPad(c *bodyCall) string {
	axes := c.node.Attribute("axes")
	if axes == nil {
		return `
			k2 = ints (2)
			x_shape = Shape (input_data)` + paddedCrop("") + `
			x_shape2 = Shape (padded_input)` + croppedPad("")
	}
	return fmt.Sprintf(`
			k2 = ints (2)
			axes_input = ints (%s)
			x_shape_alldims = Shape (input_data)
			x_shape = Gather (x_shape_alldims, axes_input)`, joined(axes.Ints)) + paddedCrop(", , axes_input") + `
			x_shape_alldims2 = Shape (padded_input)
			x_shape2 = Gather (x_shape_alldims2, axes_input)` + croppedPad(", axes_input")
}

func paddedCrop(axes string) string {
	return `
			padded_sh = Max (x_shape, shape)
			pad_amount = Sub (padded_sh, x_shape)
			pad_amount_left = Div (pad_amount, k2)
			pad_amount_right = Sub (pad_amount, pad_amount_left)
			pads = Concat <axis=0> (pad_amount_left, pad_amount_right)
			padded_input = Pad (input_data, pads` + axes + `)`
}

func croppedPad(axes string) string {
	return `
			sh_diff = Sub (x_shape2, shape)
			start_dims = Div (sh_diff, k2)
			end_dims = Add (start_dims, shape)
			output_data = Slice (padded_input, start_dims, end_dims` + axes + `)`
}
