// Package examples contains workflows to start from. They are embedded in the program, so that it has
// something to show on an empty machine.
package examples

import "embed"

// Files are the documents and their inputs, by directory.
//
//go:embed */*.yaml */*.json
var Files embed.FS
