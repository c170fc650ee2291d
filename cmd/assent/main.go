// Command assent runs multi-agent workflows durably and stops them for a human exactly where the rules
// require it.
package main

import "github.com/assent-run/assent/internal/cli"

// Set when a release is built; see the Makefile.
var version, commit, date string

func main() { cli.Main(cli.Build{Version: version, Commit: commit, Date: date}) }
