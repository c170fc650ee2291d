//go:build !race

package enginetest

// largePairs makes a value of 9 MB.
const largePairs = 3_000_000
