package tree

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Spot is where a path leads.
type Spot struct {
	Node  *Node // the nearest existing node
	Pos   Pos   // where to point: the value, or its key if that is clearer
	Key   Pos   // of its key; zero in lists and at the top
	Exact bool  // the whole path exists

	Member *Node  // the innermost value with a key that contains the node, or is it
	Inside string // the path of the mapping that contains the member
}

// Find follows a path such as steps[2].with.to, or a JSON pointer, as far as it exists. A path to a missing key
// ends at the mapping that lacks it. Keys may contain dots and brackets: the longest match wins. Where a single
// value may replace a list of one, the path may omit the index.
func (n *Node) Find(path string) Spot {
	spot := Spot{Node: n, Pos: n.Pos}
	whole, next := path, dotted
	if strings.HasPrefix(path, "/") {
		next = pointer
	}
	for path != "" {
		child, key, rest, ok := next(spot.Node, path)
		if !ok {
			return spot
		}
		if child != spot.Node {
			spot = Spot{Node: child, Pos: child.Pos, Key: key, Member: spot.Member, Inside: spot.Inside}
			if key.Line > 0 {
				spot.Member, spot.Inside = child, whole[:len(whole)-len(path)]
			}
			// If the value begins further down, or is missing, the key is clearer.
			if key.Line > 0 && (child.silent || child.Kind >= List && child.Pos.Line > key.Line) {
				spot.Pos = key
			}
		}
		path = rest
	}
	spot.Exact = true
	return spot
}

// dotted follows one step of a path with dots and brackets.
func dotted(n *Node, path string) (child *Node, key Pos, rest string, ok bool) {
	index, rest, isIndex := indexOf(path)
	switch {
	case isIndex && n.Kind == List && index < len(n.Items):
		return n.Items[index], Pos{}, rest, true
	case isIndex && n.Kind == List:
		return nil, Pos{}, "", false
	case isIndex && index == 0 && n.Kind < List:
		return n, Pos{}, rest, true // a value instead of a list of one
	case n.Kind == List && len(n.Items) == 1:
		return n.Items[0], Pos{}, path, true
	}
	path = strings.TrimPrefix(path, ".")
	best := -1
	for i, m := range n.Members {
		if begins(path, m.Key) && (best < 0 || len(m.Key) > len(n.Members[best].Key)) {
			best = i
		}
	}
	if best < 0 {
		return nil, Pos{}, "", false
	}
	m := n.Members[best]
	return m.Value, m.Pos, strings.TrimPrefix(path[min(len(m.Key), len(path)):], "…"), true
}

// begins reports whether a path begins with a key, which may have been shortened with an ellipsis.
func begins(path, key string) bool {
	if rest, ok := strings.CutPrefix(path, key); ok {
		return rest == "" || rest[0] == '.' || rest[0] == '['
	}
	start, cut := strings.CutSuffix(path, "…")
	return cut && start != "" && strings.HasPrefix(key, start)
}

// indexOf reads [2] at the start of a path.
func indexOf(path string) (index int, rest string, ok bool) {
	inside, rest, ok := strings.Cut(strings.TrimPrefix(path, "["), "]")
	if !ok || path[0] != '[' {
		return 0, "", false
	}
	index, err := strconv.Atoi(inside)
	return index, rest, err == nil && index >= 0
}

// pointer follows one step of a JSON pointer.
func pointer(n *Node, path string) (child *Node, key Pos, rest string, ok bool) {
	seg := path[1:]
	if i := strings.IndexByte(seg, '/'); i >= 0 {
		seg, rest = seg[:i], seg[i:]
	}
	seg = strings.ReplaceAll(strings.ReplaceAll(seg, "~1", "/"), "~0", "~")
	if n.Kind == List {
		if i, err := strconv.Atoi(seg); err == nil && i >= 0 && i < len(n.Items) {
			return n.Items[i], Pos{}, rest, true
		}
		return nil, Pos{}, "", false
	}
	for _, m := range n.Members {
		if m.Key == seg {
			return m.Value, m.Pos, rest, true
		}
	}
	return nil, Pos{}, "", false
}

// Within converts a position inside a string, line and column as an expression counts them, to a position in the
// file. For a string folded from several lines that is its beginning.
func (n *Node) Within(line, column int) Pos {
	if n.Kind != Text || line < 1 || column < 1 {
		return n.Pos
	}
	if n.Style == Literal {
		return Pos{n.Pos.Line + line, n.indent + column}
	}
	if n.raw == "" || line > 1 {
		return n.Pos
	}
	at, left := 0, n.raw
	if n.Style != Plain {
		at, left = 1, left[1:len(left)-1]
	}
	for ; column > 1 && left != ""; column-- {
		size, width := escapedAt(left, n.Style)
		left, at = left[size:], at+width
	}
	return Pos{n.Pos.Line, n.Pos.Column + at}
}

// escapedAt measures the written form of one character: in bytes and in columns.
func escapedAt(s string, style Style) (size, width int) {
	switch {
	case style == Single && strings.HasPrefix(s, "''"):
		return 2, 2
	case style == Double && s[0] == '\\' && len(s) > 1:
		size = map[byte]int{'x': 4, 'u': 6, 'U': 10}[s[1]]
		if size == 6 && len(s) >= 12 && s[6] == '\\' && (s[2] == 'd' || s[2] == 'D') &&
			strings.IndexByte("89abAB", s[3]) >= 0 {
			size = 12
		}
		size = min(max(size, 2), len(s))
		return size, size
	}
	_, size = utf8.DecodeRuneInString(s)
	return size, 1
}
