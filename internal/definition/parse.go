package definition

import (
	"path"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/definition/tree"
)

// Format is the syntax of documents.
type Format = tree.Format

const (
	YAML = tree.YAML
	JSON = tree.JSON
)

// FormatOf returns the format for a file name: JSON for .json, otherwise YAML.
func FormatOf(name string) Format {
	if strings.EqualFold(path.Ext(name), ".json") {
		return JSON
	}
	return YAML
}

// Parse reads all documents of one file and lists all problems. The set contains the documents that could be read.
// References to schema files need a folder; see Load.
func Parse(name string, src []byte) (*Set, []Problem) {
	b := newBatch(nil)
	b.file(name, FormatOf(name), src)
	return b.finish()
}

// ParseDocument reads one document, such as the body of a request. It is nil if there is a problem other than a
// warning.
func ParseDocument(f Format, body []byte) (Document, []Problem) {
	b := newBatch(nil)
	b.file("", f, body)
	if len(b.read) != 1 && len(b.problems) == 0 {
		return nil, []Problem{{Problem: fault.Problem{Message: "expected exactly one document",
			Line: 1, Column: 1}}}
	}
	set, problems := b.finish()
	docs := set.Documents()
	if len(docs) != 1 || len(Errors(problems)) > 0 {
		return nil, problems
	}
	return docs[0], problems
}

// batch reads files into a set. Documents are decoded at the end, when it is known which files are schemas that
// others refer to.
type batch struct {
	set      *Set
	problems []Problem
	read     []page
	folder   *folder // nil: no references to files
}

// page is one document of one file.
type page struct {
	tree.Document
	src  *tree.Source
	name string // file name inside the folder
}

func newBatch(f *folder) *batch { return &batch{set: NewSet(), folder: f} }

// file reads one file; its documents are decoded by finish.
func (b *batch) file(name string, f Format, data []byte) {
	shown := name
	if b.folder != nil {
		shown = b.folder.shown(name)
	}
	src := tree.NewSource(shown, data)
	docs, problems := src.Read(f)
	for _, p := range problems {
		b.problems = append(b.problems, written(src, p))
	}
	for _, d := range docs {
		b.read = append(b.read, page{d, src, name})
	}
	b.set.Files = append(b.set.Files, File{Name: shown, Size: len(data), Documents: len(docs)})
}

func (b *batch) finish() (*Set, []Problem) {
	var strays []page
	for _, p := range b.read {
		if p.Root == nil {
			continue
		}
		place := Place{p.src.Name, p.Root.Pos.Line, p.Root.Pos.Column, p.Root, nil}
		k, ok := kindOf(p.Root)
		switch {
		case p.Broken:
			b.set.breaks(k, nameOf(p.Root, k), place)
		case p.Root.Kind != tree.Map:
			b.problems = append(b.problems, place.bad("",
				"a document is a mapping that starts with its kind, such as workflow: refund"))
		case !ok:
			strays = append(strays, p)
		default:
			b.document(p, place, k)
		}
	}
	for _, p := range strays {
		b.stray(p)
	}
	return b.set, arrange(b.problems)
}

// document decodes one document and adds it to the set.
func (b *batch) document(p page, place Place, k Kind) {
	root, problems := b.inline(p, k)
	place.root = root
	if k.KeepsText() {
		place.text = &p.Text
	}
	doc, more := decode(place, k)
	b.problems = append(append(b.problems, problems...), more...)
	if doc == nil || len(problems) > 0 {
		b.set.breaks(k, nameOf(root, k), place)
		if doc == nil && len(problems) == 0 {
			b.set.partly(place, k, more)
		}
		return
	}
	b.problems = append(b.problems, b.set.Add(doc)...)
}

// stray reports a document without a kind, unless it is a schema that others refer to.
func (b *batch) stray(p page) {
	if p.Root.Get("$schema") != nil || b.folder != nil && b.folder.used[p.name] {
		return
	}
	place := Place{p.src.Name, p.Root.Pos.Line, p.Root.Pos.Column, p.Root, nil}
	heads := texts(Kinds)
	for _, m := range p.Root.Members {
		if near := nearest(m.Key, heads); near != "" {
			b.problems = append(b.problems, place.bad(m.Key, "%s %q%s", noKey, clip(m.Key), DidYouMean(m.Key, heads)))
			return
		}
	}
	const what = "the kind of the document is missing: start it with %s"
	if b.folder != nil && FormatOf(p.name) == JSON && !typical(p.Root) {
		// Folders also contain other JSON: inputs, packages, settings.
		b.problems = append(b.problems, place.warn("", what+"; it is left out", phrase.Or(Kinds)))
		return
	}
	b.problems = append(b.problems, place.bad("", what, phrase.Or(Kinds)))
}

// typical reports whether a mapping looks like an intended document.
func typical(root *tree.Node) bool {
	for _, key := range []string{"steps", "gates", "kind", "answers", "permissions"} {
		if root.Get(key) != nil {
			return true
		}
	}
	return false
}
