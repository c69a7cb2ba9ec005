package main

// heapStart is how much the program may allocate, in bytes, before the garbage
// collector runs for the first time. Most models are done with by then.
const heapStart = 16 << 20

// startHeap returns memory that nobody touches, so that it takes no room: the
// collector runs when the heap has doubled, and this is the first half. A larger
// heap is collected as ever, which another GOGC would not do.
func startHeap() []byte { return make([]byte, heapStart) }
