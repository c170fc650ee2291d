package tree

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/value"
)

// WriteYAML writes a JSON value as YAML in block style, with numbers and the order of keys unchanged. Reading the
// result returns the same value. Strings are quoted only where a reader of YAML 1.2 or 1.1 would misread them, and
// multi-line strings are written as blocks.
func WriteYAML(raw json.RawMessage) []byte {
	w := writer{}
	switch value.KindOf(raw) {
	case value.KindObject, value.KindArray:
		w.container(raw, 0)
	default:
		w.scalar(raw, 0)
	}
	if !strings.HasSuffix(string(w.out), "\n") {
		w.out = append(w.out, '\n')
	}
	return w.out
}

type writer struct{ out []byte }

func (w *writer) indent(n int) {
	for range n {
		w.out = append(w.out, ' ')
	}
}

// container writes a mapping or list whose first line is already indented.
func (w *writer) container(raw json.RawMessage, indent int) {
	first := true
	begin := func() {
		if !first {
			w.endLine()
			w.indent(indent)
		}
		first = false
	}
	if value.KindOf(raw) == value.KindArray {
		for _, item := range value.Elements(raw) {
			begin()
			w.out = append(w.out, '-', ' ')
			if filled(item) {
				w.container(item, indent+2)
			} else {
				w.scalar(item, indent)
			}
		}
	} else {
		for key, val := range value.Members(raw) {
			begin()
			w.text(key)
			w.out = append(w.out, ':')
			if filled(val) {
				w.endLine()
				w.indent(indent + 2)
				w.container(val, indent+2)
			} else {
				w.out = append(w.out, ' ')
				w.scalar(val, indent)
			}
		}
	}
	if first {
		w.empty(raw)
	}
}

// endLine ends a line unless a block text has done so.
func (w *writer) endLine() {
	if len(w.out) > 0 && w.out[len(w.out)-1] != '\n' {
		w.out = append(w.out, '\n')
	}
}

// filled reports whether raw is a mapping or list with elements.
func filled(raw json.RawMessage) bool {
	switch value.KindOf(raw) {
	case value.KindObject:
		for range value.Members(raw) {
			return true
		}
	case value.KindArray:
		return len(value.Elements(raw)) > 0
	}
	return false
}

func (w *writer) empty(raw json.RawMessage) {
	if value.KindOf(raw) == value.KindArray {
		w.out = append(w.out, "[]"...)
	} else {
		w.out = append(w.out, "{}"...)
	}
}

func (w *writer) scalar(raw json.RawMessage, indent int) {
	switch value.KindOf(raw) {
	case value.KindObject, value.KindArray:
		w.empty(raw)
	case value.String:
		s, _ := value.Text(raw)
		if isBlock(s) {
			w.block(s, indent+2)
		} else {
			w.text(s)
		}
	default:
		w.out = append(w.out, strings.TrimSpace(string(raw))...)
	}
}

// isBlock reports whether a string is best written line by line: it has several lines, and none that an editor
// might change on its own.
func isBlock(s string) bool {
	if !strings.Contains(strings.TrimRight(s, "\n"), "\n") || strings.ContainsAny(s[:1], " \n\t") || !visible(s, "\n\t") {
		return false
	}
	for line := range strings.Lines(s) {
		if line = strings.TrimSuffix(line, "\n"); strings.TrimRight(line, " \t") != line {
			return false
		}
	}
	return true
}

func (w *writer) block(s string, indent int) {
	body := strings.TrimRight(s, "\n")
	switch len(s) - len(body) {
	case 0:
		w.out = append(w.out, "|-\n"...)
	case 1:
		w.out = append(w.out, "|\n"...)
	default:
		w.out = append(w.out, "|+\n"...)
	}
	for line := range strings.Lines(s) {
		if line != "\n" {
			w.indent(indent)
		}
		w.out = append(w.out, line...)
	}
	w.endLine()
}

// text writes a string on one line.
func (w *writer) text(s string) {
	switch {
	case isPlain(s):
		w.out = append(w.out, s...)
	case visible(s, "") && strings.ContainsAny(s, `"\`):
		w.out = append(w.out, "'"+strings.ReplaceAll(s, "'", "''")+"'"...)
	default:
		w.quote(s)
	}
}

func (w *writer) quote(s string) {
	w.out = append(w.out, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			w.out = append(w.out, '\\', byte(r))
		case r == '\n':
			w.out = append(w.out, `\n`...)
		case r == '\t':
			w.out = append(w.out, `\t`...)
		case !visibleRune(r) && r < 0x100:
			w.out = fmt.Appendf(w.out, `\x%02x`, r)
		case !visibleRune(r):
			w.out = fmt.Appendf(w.out, `\u%04x`, r)
		default:
			w.out = utf8.AppendRune(w.out, r)
		}
	}
	w.out = append(w.out, '"')
}

// visible reports whether a string can appear in a file unescaped.
func visible(s, but string) bool {
	for _, r := range s {
		if !visibleRune(r) && !strings.ContainsRune(but, r) {
			return false
		}
	}
	return true
}

// visibleRune excludes characters that other readers treat as a line end.
func visibleRune(r rune) bool {
	return r != '\t' && r != '\n' && r != 0x85 && r != 0x2028 && r != 0x2029 && unprintable(r, 2) == ""
}

// misread are plain strings that some reader takes for something else: numbers, dates and words of YAML 1.1 and
// 1.2.
var misread = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:` +
		`~|=|<<|null|Null|NULL|true|True|TRUE|false|False|FALSE|` +
		`y|Y|yes|Yes|YES|n|N|no|No|NO|on|On|ON|off|Off|OFF|` +
		`[-+]?0b[01_]+|[-+]?0[xX][0-9a-fA-F_]+|0o[0-7]+|[-+]?[0-9][0-9_]*|` +
		`[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?|` +
		`[-+]?(?:[0-9][0-9_]*)?\.[0-9_.]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+|` +
		`[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)|` +
		`[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ].*)?)$`)
})

// isPlain reports whether a string needs no quotes.
func isPlain(s string) bool {
	if s == "" || s[0] == ' ' || s[len(s)-1] == ' ' || s[len(s)-1] == ':' {
		return false
	}
	if strings.Contains(s, ": ") || strings.Contains(s, " #") || strings.HasPrefix(s, "---") ||
		strings.HasPrefix(s, "...") {
		return false
	}
	switch s[0] {
	case '-', '?', ':':
		if len(s) == 1 || s[1] == ' ' {
			return false
		}
	case ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return false
	}
	return visible(s, "") && !misread().MatchString(s)
}
