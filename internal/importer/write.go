package importer

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/assent-run/assent/internal/definition"
)

// fileOf is the file name of a workflow. Names that begin with a dot are not loaded, and some are reserved.
func (im *imported) fileOf(name string) string {
	if strings.HasPrefix(name, ".") || slices.Contains([]string{agentsFile, rolesFile, policyFile}, name+".yaml") ||
		strings.HasPrefix(name, "workflow-") {
		return "workflow-" + name + ".yaml"
	}
	return name + ".yaml"
}

func (im *imported) fileFor(f *flow) File {
	from := []string{f.doc.at.file}
	for _, p := range f.parts {
		from = append(from, p.at.file)
	}
	doc := &definition.Workflow{Workflow: f.Workflow}
	return File{f.to.file, append(header(from, ""), doc.YAML()...)}
}

// header describes the origin of a file.
func header(from []string, more string) []byte {
	var b bytes.Buffer
	var bases []string
	for _, name := range from {
		if base := printable(path.Base(name)); !slices.Contains(bases, base) {
			bases = append(bases, base)
		}
	}
	b.WriteString("# Imported from " + strings.Join(bases, ", ") + ".\n")
	if more != "" {
		b.WriteString("# " + more + "\n")
	}
	return b.Bytes()
}

// printable keeps a file name on its line.
func printable(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return strings.Trim(strconv.QuoteToASCII(name), `"`)
	}
	return name
}

// several writes documents into one file.
func several(name string, head []byte, docs []definition.Document) File {
	body := head
	for i, d := range docs {
		if i > 0 {
			body = append(body, "---\n"...)
		}
		body = append(body, d.YAML()...)
	}
	return File{name, body}
}

// finish writes the remaining documents, loads everything as a server would, and sorts the notes.
func (im *imported) finish() Result {
	if docs := im.agentDocuments(); len(docs) > 0 {
		var from []string
		for _, f := range im.flows {
			from = append(from, f.doc.at.file)
		}
		head := header(from, "Placeholders: each fails until you replace it with your agent.")
		im.out = append(im.out, several(agentsFile, head, docs))
	}
	if len(im.roles) > 0 {
		var docs []definition.Document
		for _, r := range im.roles {
			docs = append(docs, r)
		}
		var from []string
		for _, g := range im.governs {
			from = append(from, g.at.file)
		}
		im.out = append(im.out, several(rolesFile, header(from, ""), docs))
	}
	slices.SortFunc(im.out, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	if len(im.notes.problems) == 0 {
		im.verify()
	}
	im.notes.arrange()
	return Result{Files: im.out, Report: im.notes.report, Problems: im.notes.problems}
}

// verify loads and checks the result. Problems are reported at the location in the source that they come from.
func (im *imported) verify() {
	set := definition.NewSet()
	var found []definition.Problem
	for _, f := range im.out {
		part, problems := definition.Parse(f.Name, f.Body)
		found = append(append(found, problems...), set.Merge(part)...)
	}
	found = append(found, set.Check(nil)...)
	if len(found) == 0 {
		return
	}
	origins := map[string]place{}
	for _, m := range im.notes.report {
		key := m.ToFile + "\x00" + m.To
		if _, known := origins[key]; !known {
			origins[key] = place{file: m.File, path: m.From, line: m.Line, column: m.Column}
		}
	}
	for _, p := range found {
		at := im.origin(origins, set, p)
		if p.Warning {
			im.notes.warn(at, "%s", p.Message)
		} else {
			im.notes.bad(at, "%s", p.Message)
		}
	}
}

// origin finds the location in the source of a problem in the result: for its path, or the longest prefix that has
// one.
func (im *imported) origin(origins map[string]place, set *definition.Set, p definition.Problem) place {
	doc, line := "", 0
	for _, d := range set.Documents() {
		if w := d.Where(); w.File == p.File && w.Line <= p.Line && w.Line > line &&
			(p.File == agentsFile || p.File == rolesFile) {
			k, name := d.Ident()
			doc, line = string(k)+" "+name, w.Line
		}
	}
	whole := p.Path
	if strings.HasPrefix(p.Message, "/") { // of a schema, with a pointer into it
		pointer, _, _ := strings.Cut(p.Message, ": ")
		whole += strings.ReplaceAll(pointer, "/", ".")
	}
	for rest := whole; ; {
		key := rest
		if doc != "" {
			key = strings.TrimSuffix(doc+": "+rest, ": ")
		}
		if at, ok := origins[p.File+"\x00"+key]; ok {
			return at
		}
		if rest == "" {
			break
		}
		rest = rest[:max(0, strings.LastIndexAny(rest, ".["))]
	}
	for _, f := range im.flows {
		if f.to.file == p.File {
			return f.named
		}
	}
	return place{file: p.File, path: p.Path, line: p.Line, column: p.Column}
}
