// Package mutant makes wrong models out of right ones, for tests: what may lie
// in a file that somebody edited, truncated or made up, beyond what is wrong in
// its bytes alone.
package mutant
