// Package tree reads YAML and JSON into one tree that remembers where
// everything stands, so that whatever is found wrong later can be shown at its
// line and column:
//
//	src := tree.NewSource("refund.yaml", data)
//	docs, problems := src.Read(tree.YAML)
//	raw := docs[0].Root.JSON()                    // digits and key order as written
//	spot := docs[0].Root.Find("steps[2].needs[0]") // the nearest node there is
//	fmt.Println(spot.Pos.Line, spot.Pos.Column)
//
// # What of YAML is read
//
// Block and flow collections, plain, quoted and block texts, comments and
// several documents, as YAML 1.2 has them. Plain words follow its core schema:
// true, false, null and numbers mean what they look like, while yes, no, on, off
// and 12:30 are texts. Numbers keep their digits: 0.10 and 9007199254740993 are
// not touched. A key is a text, whatever it looks like.
//
// Some things are refused, with a position and what to write instead: anchors,
// aliases and merge keys (they let a small file stand for a huge one), tags and
// directives (nothing here needs them), keys that are not texts, keys given
// twice, tabs as indentation, and plain words that readers disagree about, such
// as 007 or .inf. Where YAML allows a text that nobody means, as in {a:b}, that
// is refused, too.
//
// # Why a reader of our own
//
// The library at hand (goccy/go-yaml 1.19.2) was tried first. It reads x<tab>y as
// xy and {to: [role:manager]} as {to: [{role: manager}]} without a word, loses the
// next key behind a tab in double quotes, stops at the first mistake, gives block
// texts wrong positions, recurses without a limit, and took 73 s for 128 KB of
// empty lines. Of the 402 cases of the YAML test suite this package reads 287 as
// the suite says and refuses 107 for what is listed above; the other 8 differ on
// purpose: empty documents are left out, and tabs before brackets are judged by
// whether they can be mistaken for indentation.
//
// # What holds
//
// Reading takes time and memory in proportion to the size of the text, within
// the limits below. It goes on after a mistake with the next entry of the same
// mapping or list, and with the next document, so that one reading finds them
// all. Nothing panics, whatever the bytes.
package tree

// Limits of a file. Each is tested at and over.
const (
	SizeMax      = 4 << 20 // bytes
	DocumentsMax = 1_000
	NodesMax     = 200_000 // values in all documents
	DepthMax     = 100     // mappings and lists in each other
)

// problemsMax is how many mistakes of one document are told.
const problemsMax = 20
