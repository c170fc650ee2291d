// Package layout holds no code, only tests of the code as a whole: which package may
// import which and why, the sizes of packages and interfaces, the width of lines, the
// wording of messages and pages, and whether the pages name what exists.
package layout
