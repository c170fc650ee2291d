// Package examples holds workflows to start from. They are part of the program,
// so that it has something to show on a machine that has nothing else.
package examples

import "embed"

// Files are the documents and their inputs, by folder.
//
//go:embed */*.yaml */*.json
var Files embed.FS
