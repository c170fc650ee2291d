package tree

import "strings"

// yaml reads all documents of a file. Lines that begin with --- or ... always end a document, so each is read on its
// own, and an error in one does not affect the next.
func (r *reader) yaml() []Document {
	var docs []Document
	start, open := 0, false // open: the document begins after a ---
	above := ""             // comments above the --- of the next document
	for !r.dead {
		end, marker := nextMarker(r.src, start, open)
		r.i, r.ls, r.end, r.told, r.depth = start, start, end, 0, 0
		if open {
			r.i += len("---")
		}
		if r.skip() && !r.directive(open) {
			if len(docs) == DocumentsMax {
				r.stop(r.i, "the file contains more than %d documents: split it", DocumentsMax)
				break
			}
			d := r.document()
			d.Text, above = above+textBetween(r.src[start:end], open), ""
			docs = append(docs, d)
		} else {
			above += textBetween(r.src[start:end], open)
		}
		switch marker {
		case "---":
			start, open = end, true
		case "...":
			start, open = r.behindEnd(end), false
		default:
			return docs
		}
	}
	return docs
}

// textBetween is the text of a document without the --- before it.
func textBetween(text string, open bool) string {
	if !open {
		return text
	}
	text = strings.TrimLeft(text[len("---"):], " \t")
	return strings.TrimPrefix(text, "\n")
}

// nextMarker finds the line that ends the document starting at an offset.
func nextMarker(src string, start int, open bool) (end int, marker string) {
	for i, first := start, true; ; first = false {
		if !first || !open { // its own --- does not end it
			if m := markerAt(src[i:]); m != "" {
				return i, m
			}
		}
		k := strings.IndexByte(src[i:], '\n')
		if k < 0 {
			return len(src), ""
		}
		i += k + 1
	}
}

// markerAt returns --- or ... if a line starts with it.
func markerAt(line string) string {
	if len(line) < 3 || len(line) > 3 && !strings.ContainsRune(" \t\n", rune(line[3])) {
		return ""
	}
	if m := line[:3]; m == "---" || m == "..." {
		return m
	}
	return ""
}

// behindEnd is where reading continues after a ... line.
func (r *reader) behindEnd(i int) int {
	r.i, r.ls, r.end = i+len("..."), i, len(r.src)
	r.spaces()
	if !r.comment() && !r.endOfLine() {
		r.bad(r.i, "nothing may follow ... on its line")
		r.toLineEnd()
	}
	return min(r.i+1, r.end)
}

// directive refuses %YAML and other directives.
func (r *reader) directive(open bool) bool {
	if open || r.column() > 0 || r.char(r.i) != '%' {
		return false
	}
	r.bad(r.i, "lines that start with %% are YAML directives, which are not supported: remove them")
	return true
}

// document reads the document at the cursor.
func (r *reader) document() Document {
	before := len(r.problems)
	root, _ := r.block(-1)
	if root != nil && len(r.problems) == before && r.skip() {
		r.leftover(root)
	}
	return Document{Root: root, Broken: root == nil || len(r.problems) > before}
}

// leftover reports text after the end of a document's value.
func (r *reader) leftover(root *Node) {
	switch {
	case r.tabbed():
	case root.Kind == Map:
		r.bad(r.i, "this line is indented less than the first key of the document: start all keys in the same column")
	case root.Kind == List:
		r.bad(r.i, "the document is a list, and this is not an item of it: start it with -, or put it "+
			"into a separate document")
	default:
		r.bad(r.i, "the document ended before this line: is a colon missing after a key?")
	}
}
