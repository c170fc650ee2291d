// Package layout holds no code, only the test that keeps the architecture:
// which package may import which, and why.
package layout
