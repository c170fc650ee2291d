//go:build race

package enginetest

// largePairs makes a value of 2 MB, which stores keep in a file. The race detector takes minutes for more.
const largePairs = 700_000
