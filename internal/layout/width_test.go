package layout

import (
	"bytes"
	"go/scanner"
	"go/token"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	widthMax = 120
	// tokenMax is how long something may be that cannot be broken before it is no
	// fault of the line.
	tokenMax = 60
)

// TestLinesFit keeps lines as wide as two files side by side on a screen. Texts in
// backquotes on several lines are shown as they are, and what has no blank cannot be
// broken. In tests, a text in backquotes may also be long: it is often a whole document.
func TestLinesFit(t *testing.T) {
	goFiles(t, func(name string, source []byte) {
		unbreakable := unbreakable(source, strings.HasSuffix(name, "_test.go"))
		for i, line := range bytes.Split(source, []byte("\n")) {
			if n := utf8.RuneCount(line); n > widthMax && !unbreakable[i+1] {
				t.Errorf("%s:%d is %d wide, %d at most", name, i+1, n, widthMax)
			}
		}
	})
}

// unbreakable are the lines of a file with something on them that has to be long.
func unbreakable(source []byte, inTest bool) map[int]bool {
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, scanner.ScanComments)
	lines := map[int]bool{}
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return lines
		}
		first := file.Line(pos)
		raw := tok == token.STRING && text[0] == '`'
		long := len(text) > tokenMax && raw && inTest
		if long || raw && strings.Contains(text, "\n") || longestWord(text) > tokenMax {
			for line := first; line <= first+strings.Count(text, "\n"); line++ {
				lines[line] = true
			}
		}
	}
}

func longestWord(text string) (most int) {
	for word := range strings.FieldsSeq(text) {
		most = max(most, len(word))
	}
	return most
}
