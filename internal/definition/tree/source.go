package tree

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/phrase"
)

// Format is the syntax of documents.
type Format uint8

const (
	YAML Format = iota
	JSON
)

// Source is the text of one file.
type Source struct {
	Name string
	text string // every line ends in \n alone
	size int    // bytes of the original file

	once  sync.Once
	lines []string // split on first use
}

// NewSource takes a file's bytes. Line ends of all systems, a byte order mark and a missing last line end are
// accepted.
func NewSource(name string, data []byte) *Source {
	s := &Source{Name: name, size: len(data)}
	if len(data) > SizeMax {
		return s // refused by Read
	}
	s.text = strings.TrimPrefix(string(data), "\uFEFF")
	if strings.Contains(s.text, "\r") {
		s.text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s.text)
	}
	if s.text != "" && !strings.HasSuffix(s.text, "\n") {
		s.text += "\n"
	}
	return s
}

// Document is the text between two --- lines. If it is broken, the tree contains the parts that could be read.
type Document struct {
	Root   *Node
	Broken bool
	// Text is the document as written in a YAML file, with its comments: the whole file if it contains no other.
	// A document in JSON has none.
	Text string
}

// Problem is a syntax error.
type Problem struct {
	Pos
	Message string
}

// Read reads all documents and lists every error, in the order of the file. Empty documents are omitted.
func (s *Source) Read(f Format) ([]Document, []Problem) {
	if p := s.unreadable(f); p != nil {
		return nil, []Problem{*p}
	}
	r := &reader{Source: s, src: s.text, end: len(s.text), mark: mark{line: 1, column: 1}}
	var docs []Document
	if f == JSON {
		docs = r.json()
	} else {
		if docs = r.yaml(); len(docs) == 1 {
			docs[0].Text = s.text
		}
	}
	slices.SortStableFunc(r.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return docs, r.problems
}

// unreadable reports why a file is not text. JSON may contain more characters than YAML: programs write it, and
// people read it less closely.
func (s *Source) unreadable(f Format) *Problem {
	if s.size > SizeMax {
		return &Problem{Pos{1, 1}, fmt.Sprintf("the file has %s; the maximum is %s", phrase.Bytes(s.size),
			phrase.Bytes(SizeMax))}
	}
	line, start := 1, 0
	for i := 0; i < len(s.text); {
		c := s.text[i]
		if c >= ' ' && c < 0x7f || c == '\t' {
			i++
			continue
		}
		if c == '\n' {
			i++
			line, start = line+1, i
			continue
		}
		r, size := utf8.DecodeRuneInString(s.text[i:])
		if why := unprintable(r, size); why != "" && (f == YAML || r < ' ' || r == utf8.RuneError) {
			return &Problem{Pos{line, utf8.RuneCountInString(s.text[start:i]) + 1}, why}
		}
		i += size
	}
	return nil
}

// unprintable explains why a character cannot appear in a file, or is "".
func unprintable(r rune, size int) string {
	switch {
	case r == utf8.RuneError && size == 1:
		return "the file is not valid UTF-8: save it in that encoding"
	case r == 0:
		return "the file contains a zero byte: is it a text file in UTF-8?"
	case r < ' ' || r >= 0x7f && r < 0xA0 && r != 0x85 || r == 0xFEFF || r == 0xFFFE || r == 0xFFFF:
		return fmt.Sprintf(`the character U+%04X cannot be seen: write "\u%04x" in double quotes if it is meant`, r, r)
	}
	return ""
}

// Excerpt shows a line with a caret under the column:
//
//	3 | title: Refund: urgent
//	  |              ^
//
// It is cut to the surroundings of the column.
func (s *Source) Excerpt(p Pos) string {
	line := s.Line(p.Line)
	if p.Line < 1 || p.Column < 1 {
		return ""
	}
	const around = 60
	chars := []rune(line)
	from := max(0, p.Column-1-around)
	to := min(len(chars), p.Column-1+around)
	if from > to || line == "" {
		return ""
	}
	shown, before := string(chars[from:to]), p.Column-1-from
	if from > 0 {
		shown, before = "…"+shown, before+1
	}
	if to < len(chars) {
		shown += "…"
	}
	shown = strings.ReplaceAll(shown, "\t", " ")
	number := fmt.Sprint(p.Line)
	return fmt.Sprintf("%s | %s\n%s | %s^", number, shown, strings.Repeat(" ", len(number)), strings.Repeat(" ", before))
}

// Line returns one line without its end, counted from 1; "" if there is none.
func (s *Source) Line(n int) string {
	s.once.Do(func() { s.lines = strings.Split(s.text, "\n") })
	if n < 1 || n > len(s.lines) {
		return ""
	}
	return s.lines[n-1]
}
