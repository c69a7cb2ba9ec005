// Package ort estimates what ONNX Runtime's CPU provider takes for the node
// outputs of one run, by following what it does: the graph as it is after
// loading with optimisations off, the order in which it runs the nodes, and
// the plan by which it hands buffers on.
//
// The steps are those of ONNX Runtime 1.32 as its sources describe them
// (core/session/inference_session.cc, core/framework/allocation_planner.cc,
// core/graph/graph_viewer.cc, core/optimizer/insert_cast_transformer.cc), with
// the tables of its kernels (which inputs they may write over, which element
// types they take) found by running every operator:
//
//   - [load] makes the graph that is executed: local functions are inlined, and
//     standard functions without a kernel for their version and types;
//     dequantised values are made again for each reader, Casts surround float16
//     nodes without a kernel, and Casts that cancel out go.
//   - [executionOrder] is a reverse depth-first search from the nodes that nobody
//     reads.
//   - [makePlan] gives each value a buffer: the graph's outputs one of their
//     own, views that of their input, some kernels that of an input nobody
//     needs any more, else one that became free and is provably as large, else
//     a new one. What counts as provable is what the runtime's own inference
//     knows when it loads the model, which is less than ours.
//   - [run] then allocates exact sizes and follows what is in use.
//
// Operators that generate text token by token are followed to a lower limit only.
//
// Scratch memory inside kernels, prepacked weights and the rounding of the
// arena are not in it.
package ort
