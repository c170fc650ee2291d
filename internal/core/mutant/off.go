//go:build !mutant

package mutant

// Is reports whether a bug is planted: never, in an ordinary build.
func Is(Bug) bool { return false }
