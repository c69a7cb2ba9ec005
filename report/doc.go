// Package report turns an inferred model into the one versioned result that
// every output format renders: how much memory the model takes, to run and to
// train, what each number is made of, what was assumed, and what is unknown.
package report
