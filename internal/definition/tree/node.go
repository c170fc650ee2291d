package tree

import (
	"encoding/json"

	"github.com/assent-run/assent/internal/core/value"
)

// Kind is the kind of a node.
type Kind uint8

const (
	Null Kind = iota
	Bool
	Number
	Text
	List
	Map
)

func (k Kind) String() string {
	return [...]string{"nothing", "true or false", "a number", "text", "a list", "a mapping"}[min(k, Map)]
}

// Style is how a string was written.
type Style uint8

const (
	Plain Style = iota
	Single
	Double
	Literal // |
	Folded  // >
)

// Pos is a place in a file. Both count from 1; a column is one character.
type Pos struct{ Line, Column int }

// Node is a value and its position. Text is a string unescaped, or the JSON literal of a number or boolean.
type Node struct {
	Kind    Kind
	Style   Style
	Pos     Pos
	Text    string
	Items   []*Node  // of a list
	Members []Member // of a mapping, in the order written
	Source  *Source

	raw    string // a one-line string as in the file, including quotes
	indent int    // of the lines of a literal text
	silent bool   // nothing is written here: `key:` alone
}

// Member is one key and its value.
type Member struct {
	Key   string
	Pos   Pos // of the key
	Value *Node
}

// Get returns the value of a key, or nil.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	for i := range n.Members {
		if n.Members[i].Key == key {
			return n.Members[i].Value
		}
	}
	return nil
}

// JSON writes the tree as compact JSON, with numbers and the order of keys as written.
func (n *Node) JSON() json.RawMessage { return n.appendJSON(nil) }

func (n *Node) appendJSON(dst []byte) []byte {
	switch n.Kind {
	case Text:
		return append(dst, value.Quote(n.Text)...)
	case Number, Bool:
		return append(dst, n.Text...)
	case List:
		dst = append(dst, '[')
		for i, item := range n.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.appendJSON(dst)
		}
		return append(dst, ']')
	case Map:
		dst = append(dst, '{')
		for i, m := range n.Members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, value.Quote(m.Key)...)
			dst = append(dst, ':')
			dst = m.Value.appendJSON(dst)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}
