// Package app holds the use cases: authorise, then command, then engine. The
// API, MCP and the command line go through it, so what one can do all can do,
// and what is forbidden is forbidden everywhere.
package app
