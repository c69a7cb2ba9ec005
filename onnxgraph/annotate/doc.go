// Package annotate writes types into a model file without loading it: the file
// is copied by ranges, and only the ValueInfoProtos that change, and the
// lengths of the messages around them, are written anew. Weights, unknown
// fields and everything else come out byte for byte, and a file of any size
// costs the memory of its types alone.
package annotate
