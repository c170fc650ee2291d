// Package tree reads YAML and JSON into one tree with the position of every value, so that problems found later
// can be shown at their line and column:
//
//	src := tree.NewSource("refund.yaml", data)
//	docs, problems := src.Read(tree.YAML)
//	raw := docs[0].Root.JSON()                    // digits and key order as written
//	spot := docs[0].Root.Find("steps[2].needs[0]") // the nearest node there is
//	fmt.Println(spot.Pos.Line, spot.Pos.Column)
//
// # Supported YAML
//
// Block and flow collections, plain, quoted and block scalars, comments and several documents, as in YAML 1.2.
// Plain words follow its core schema: true, false, null and numbers mean what they look like, while yes, no, on,
// off and 12:30 are strings. Numbers keep their digits: 0.10 and 9007199254740993 are preserved. A key is always a
// string.
//
// Some features are refused, with a position and a suggestion: anchors, aliases and merge keys (they let a small
// file expand to a huge one), tags and directives (not needed here), keys that are not strings, duplicate keys,
// tabs as indentation, and plain words that parsers disagree about, such as 007 or .inf. Valid but surely
// unintended strings, as in {a:b}, are refused as well.
//
// # Why our own reader
//
// A library (goccy/go-yaml 1.19.2) was tried first. It silently reads x<tab>y as xy and {to: [role:manager]} as
// {to: [{role: manager}]}, loses the key after a tab in double quotes, stops at the first error, reports wrong
// positions for block scalars, recurses without a limit, and took 73 s for 128 KB of empty lines. Of the 402 cases
// of the YAML test suite this package reads 287 as specified and refuses 107 for the reasons above; the other 8
// differ on purpose: empty documents are omitted, and tabs before brackets are refused only if they could be
// mistaken for indentation.
//
// # Guarantees
//
// Reading takes time and memory proportional to the size of the text, within the limits below. After an error it
// continues with the next entry of the same mapping or list, and with the next document, so one pass finds all
// errors. It never panics, whatever the bytes.
package tree

// Limits of a file. Each is tested at and over.
const (
	SizeMax      = 4 << 20 // bytes
	DocumentsMax = 1_000
	NodesMax     = 200_000 // values in all documents
	DepthMax     = 100     // nesting of mappings and lists
)

// problemsMax is how many problems of one document are reported.
const problemsMax = 20
