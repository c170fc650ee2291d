//go:build race

package e2e

// raced means that the race detector watches the tests. It then watches the program, too.
const raced = true
