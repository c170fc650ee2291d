package definition

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/definition/tree"
)

// schemaPlaces are the paths of schemas in documents; * is any item of a list.
var schemaPlaces = map[Kind][]string{
	KindWorkflow: {"input", "gates.*.input_schema", "steps.*.human.input_schema"},
	KindAgent:    {"input", "output"},
	KindTool:     {"args", "output"},
}

// inline inserts the schema files that a document refers to. The returned tree shares unchanged parts.
func (b *batch) inline(p page, k Kind) (*tree.Node, []Problem) {
	in := &inliner{folder: b.folder, file: p.name}
	root := p.Root
	for _, place := range schemaPlaces[k] {
		root = in.at(root, strings.Split(place, "."), "")
	}
	return root, in.problems
}

// inliner makes one schema out of several files. The content of other files is added under $defs of the schema,
// and references are rewritten to point there.
type inliner struct {
	folder   *folder
	file     string // of the document
	path     string // of the schema in it
	problems []Problem

	whole string                // the file, if it is the whole schema
	keys  map[string]string     // key under $defs, by file
	defs  map[string]*tree.Node // by key
}

// at replaces the schemas at a path; done is the path so far.
func (in *inliner) at(n *tree.Node, path []string, done string) *tree.Node {
	if len(path) == 0 {
		in.path = done
		return in.schema(n)
	}
	if path[0] == "*" && n.Kind == tree.List {
		return mapItems(n, func(i int, item *tree.Node) *tree.Node {
			return in.at(item, path[1:], done+"["+strconv.Itoa(i)+"]")
		})
	}
	return mapMembers(n, func(m tree.Member) *tree.Node {
		if m.Key != path[0] {
			return m.Value
		}
		return in.at(m.Value, path[1:], strings.TrimPrefix(done+"."+m.Key, "."))
	})
}

// mapItems and mapMembers copy a node only if something in it changes.
func mapItems(n *tree.Node, f func(int, *tree.Node) *tree.Node) *tree.Node {
	out := n
	for i, item := range n.Items {
		if got := f(i, item); got != item {
			if out == n {
				out = new(*n)
				out.Items = slices.Clone(n.Items)
			}
			out.Items[i] = got
		}
	}
	return out
}

func mapMembers(n *tree.Node, f func(tree.Member) *tree.Node) *tree.Node {
	out := n
	for i, m := range n.Members {
		if got := f(m); got != m.Value {
			if out == n {
				out = new(*n)
				out.Members = slices.Clone(n.Members)
			}
			out.Members[i].Value = got
		}
	}
	return out
}

// schema replaces one schema.
func (in *inliner) schema(n *tree.Node) *tree.Node {
	in.whole, in.keys, in.defs = "", map[string]string{}, map[string]*tree.Node{}
	base := in.file
	// A schema that is only a reference to a file is replaced by that file.
	if ref := n.Get("$ref"); ref != nil && len(n.Members) == 1 && isFile(ref) && !strings.Contains(ref.Text, "#") {
		name, doc := in.load(ref, base)
		if doc == nil {
			return n
		}
		n, base, in.whole = doc, name, name
	}
	n = in.walk(n, base, "")
	if len(in.defs) == 0 {
		return n
	}
	return withDefs(n, in.defs)
}

// withDefs adds definitions to those of a schema.
func withDefs(n *tree.Node, defs map[string]*tree.Node) *tree.Node {
	out := new(*n)
	out.Members = slices.Clone(n.Members)
	i := slices.IndexFunc(out.Members, func(m tree.Member) bool { return m.Key == "$defs" })
	if i < 0 {
		i = len(out.Members)
		out.Members = append(out.Members, tree.Member{Key: "$defs", Pos: n.Pos,
			Value: &tree.Node{Kind: tree.Map, Pos: n.Pos, Source: n.Source}})
	}
	all := new(*out.Members[i].Value)
	all.Members = slices.Clone(all.Members)
	for _, key := range slices.Sorted(maps.Keys(defs)) {
		all.Members = append(all.Members, tree.Member{Key: key, Pos: defs[key].Pos, Value: defs[key]})
	}
	out.Members[i].Value = all
	return out
}

// dataKeys contain values, not schemas: a $ref in them is data.
var dataKeys = []string{"const", "enum", "default", "examples"}

// walk rewrites the references inside a schema. base is the file that contains it, prefix its future location.
func (in *inliner) walk(n *tree.Node, base, prefix string) *tree.Node {
	if n.Kind == tree.List {
		return mapItems(n, func(_ int, item *tree.Node) *tree.Node { return in.walk(item, base, prefix) })
	}
	return mapMembers(n, func(m tree.Member) *tree.Node {
		switch {
		case slices.Contains(dataKeys, m.Key):
			return m.Value
		case m.Key == "$ref" && m.Value.Kind == tree.Text:
			return in.turn(m.Value, base, prefix)
		}
		return in.walk(m.Value, base, prefix)
	})
}

// turn makes a reference point to the future location of its target.
func (in *inliner) turn(ref *tree.Node, base, prefix string) *tree.Node {
	target, fragment, _ := strings.Cut(ref.Text, "#")
	if target == "" {
		if prefix == "" || fragment != "" && fragment[0] != '/' {
			return ref
		}
		return textLike(ref, "#"+prefix+fragment)
	}
	if !isFile(ref) {
		return ref // refused when the schema is compiled
	}
	if fragment != "" && fragment[0] != '/' {
		in.bad(ref, "refer to a part of a file by its path: %s#/$defs/NAME", clip(target))
		return ref
	}
	if name, err := in.target(target, base); err == nil && in.whole == name {
		return textLike(ref, "#"+fragment)
	} else if key, known := in.keys[name]; err == nil && known {
		return textLike(ref, "#/$defs/"+key+fragment)
	}
	name, doc := in.load(ref, base)
	if doc == nil {
		return ref
	}
	if len(in.keys) >= SchemasMax {
		in.bad(ref, "the schema refers to more than %d files", SchemasMax)
		return ref
	}
	key := in.key(name)
	in.keys[name] = key
	in.defs[key] = in.walk(withoutNames(doc), name, "/$defs/"+key)
	return textLike(ref, "#/$defs/"+key+fragment)
}

// textLike replaces a text node by another.
func textLike(n *tree.Node, text string) *tree.Node {
	return &tree.Node{Kind: tree.Text, Pos: n.Pos, Text: text, Source: n.Source}
}

// withoutNames removes $id and $schema, which a part of a schema must not have.
func withoutNames(n *tree.Node) *tree.Node {
	out := new(*n)
	out.Members = slices.DeleteFunc(slices.Clone(n.Members),
		func(m tree.Member) bool { return m.Key == "$id" || m.Key == "$schema" })
	return out
}

var notInKeys = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// key is a name under $defs that needs no escaping.
func (in *inliner) key(name string) string {
	key := notInKeys.ReplaceAllString(name, "_")
	for i := 2; in.defs[key] != nil; i++ {
		key = fmt.Sprintf("%s_%d", notInKeys.ReplaceAllString(name, "_"), i)
	}
	in.defs[key] = &tree.Node{Kind: tree.Map} // reserved
	return key
}

var urlLike = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// isFile reports whether a reference names a file rather than a URL or a location in the same schema.
func isFile(ref *tree.Node) bool {
	return ref.Kind == tree.Text && ref.Text != "" && ref.Text[0] != '#' && !urlLike.MatchString(ref.Text)
}

func (in *inliner) bad(at *tree.Node, format string, args ...any) {
	p := Place{root: at}.bad("", format, args...)
	p.Path = in.path
	in.problems = append(in.problems, p)
}

// target is the file that a reference names, relative to the file that contains it.
func (in *inliner) target(ref, base string) (string, error) {
	name := path.Join(path.Dir(base), ref)
	if path.IsAbs(ref) || name == ".." || strings.HasPrefix(name, "../") {
		return "", errOutside
	}
	return name, nil
}

// load reads the schema that a reference names.
func (in *inliner) load(ref *tree.Node, base string) (string, *tree.Node) {
	file, _, _ := strings.Cut(ref.Text, "#")
	if in.folder == nil {
		in.bad(ref, "%s cannot be read here: a file can be referred to when a folder is loaded; otherwise "+
			"write the schema itself", clip(file))
		return "", nil
	}
	name, err := in.target(file, base)
	if err == nil {
		var doc *tree.Node
		if doc, err = in.folder.schema(name); err == nil {
			return name, doc
		}
	}
	in.bad(ref, "%s: %v", clip(file), unreadable("", err).Message)
	return "", nil
}

// schema reads a schema file, once.
func (f *folder) schema(name string) (*tree.Node, error) {
	f.used[name] = true
	if doc, known := f.docs[name]; known {
		return doc, nil
	}
	data, err := f.readFile(name)
	if err != nil {
		return nil, err
	}
	docs, problems := tree.NewSource(f.shown(name), data).Read(FormatOf(name))
	switch {
	case len(problems) > 0:
		return nil, fmt.Errorf("line %d, column %d: %s", problems[0].Line, problems[0].Column, problems[0].Message)
	case len(docs) != 1 || docs[0].Root.Kind != tree.Map:
		return nil, fmt.Errorf("it does not contain exactly one schema")
	}
	f.docs[name] = docs[0].Root
	return docs[0].Root, nil
}
