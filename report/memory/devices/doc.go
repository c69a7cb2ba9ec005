// Package devices lists accelerators and the memory on them.
package devices
