//go:build mutant

package mutant

// Active is the bug that is planted now. Tests set it before they start anything.
var Active Bug

// Is reports whether this bug is planted.
func Is(b Bug) bool { return b == Active }
