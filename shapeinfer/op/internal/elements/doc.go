// Package elements gives the known elements of an operator's outputs: element
// by element with numpy's broadcasting, or picked from an input by strides.
package elements
