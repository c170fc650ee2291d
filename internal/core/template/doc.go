// Package template fills in short texts such as "Look up customer {{.id}}" with the arguments of a call.
//
// The language is a subset of Go's text/template: fields, variables, if, with, range, and the functions and, or,
// not, eq, ne, lt, le, gt, ge, len, index and printf. A template comes from the author of a document, its data
// from a model: neither can make it run away, and data is data, whatever it looks like. What is missing or null
// reads "…".
//
// Go's own interpreter calls methods by name, so a program that links it keeps every exported method of
// every type (see docs/decisions/0048-templates-without-reflection.md). This package shares its parser.
package template
