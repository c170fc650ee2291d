package registry

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// Definition is the definition that new runs of the workflow in force are bound to.
func (r *Registry) Definition(name string) (*plan.Definition, error) {
	s := r.Current()
	if def, ok := s.plans.Load(name); ok {
		return def.(*plan.Definition), nil
	}
	w, ok := s.set.Workflows[name]
	if !ok {
		return nil, Unknown(definition.KindWorkflow, name, slices.Collect(maps.Keys(s.set.Workflows)))
	}
	def := r.bound(s, &w.Workflow, s.versions[ident(definition.KindWorkflow, name)].Number)
	if !slices.ContainsFunc(w.Steps, func(s plan.Step) bool { return strings.HasPrefix(s.Tool, "mcp:") }) {
		s.plans.Store(name, def) // what servers list is more current in the next one
	}
	return def, nil
}

// DefinitionAt is a version of a workflow bound to the agents in force; 0 is the
// published version.
func (r *Registry) DefinitionAt(ctx context.Context, name string, number int) (*plan.Definition, error) {
	if number == 0 {
		def, err := r.Definition(name)
		if fault.Is(err, fault.NotFound) && r.CatchUp(ctx) == nil {
			return r.Definition(name) // another process may just have published it
		}
		return def, err
	}
	v, err := r.Store.Version(ctx, string(definition.KindWorkflow), name, number)
	if err != nil {
		return nil, err
	}
	doc, err := decode(v)
	if err != nil {
		return nil, err
	}
	return r.bound(r.Current(), &doc.(*definition.Workflow).Workflow, v.Number), nil
}

// DefinitionIn is the workflow in a text that is not saved, bound to the agents in force.
func (r *Registry) DefinitionIn(text []byte) (*plan.Definition, error) {
	doc, problems := r.Parse(definition.KindWorkflow, definition.YAML, text)
	if doc == nil {
		return nil, Refused("the workflow", problems)
	}
	return r.bound(r.Current(), &doc.(*definition.Workflow).Workflow, 0), nil
}

// bound is a workflow with the agents in force and the defaults of this server.
func (r *Registry) bound(s *Snapshot, w *plan.Workflow, number int) *plan.Definition {
	def := s.Bind(w, number)
	def.ConfidenceThreshold, def.DefaultRole = r.ConfidenceThreshold, cmp.Or(r.DefaultRole, plan.DefaultRole)
	if r.GatesIfMissing == plan.MissingAsks { // the other value is the core's default
		def.GatesIfMissing = plan.MissingAsks
	}
	def.ToolRisk = r.toolRisk(s, w)
	return def
}

// toolRisk is the risk of the tools that a workflow's steps call, as far as it is known. A tool that its MCP server has
// not listed is left out.
func (r *Registry) toolRisk(s *Snapshot, w *plan.Workflow) map[string]risk.Class {
	var out map[string]risk.Class
	for i := range w.Steps {
		class := r.riskOfTool(s, w.Steps[i].Tool)
		if class == "" {
			continue
		}
		if out == nil {
			out = map[string]risk.Class{}
		}
		out[w.Steps[i].Tool] = class
	}
	return out
}

func (r *Registry) riskOfTool(s *Snapshot, name string) risk.Class {
	rest, remote := strings.CutPrefix(name, "mcp:")
	if remote && r.Listed != nil {
		server, tool, _ := strings.Cut(rest, "/")
		listed, _, _ := r.Listed(server, tool)
		return listed.Risk
	}
	doc := s.set.Tools[name]
	if at := slices.IndexFunc(r.Builtin, func(t *definition.Tool) bool { return t.Name == name }); doc == nil && at >= 0 {
		doc = r.Builtin[at]
	}
	if doc == nil {
		return ""
	}
	return risk.Classify(risk.Tool{Name: name, Class: doc.Risk, Operation: doc.Operation, CostUSD: doc.CostUSD})
}

// Parse reads one document of a kind and lists all its problems, by itself and together with the documents in force.
// The document is nil if there are errors.
func (r *Registry) Parse(
	kind definition.Kind, format definition.Format, body []byte,
) (definition.Document, []definition.Problem) {
	file := map[definition.Format]string{definition.JSON: "body.json", definition.YAML: "body.yaml"}[format]
	set, problems := definition.Parse(file, body)
	problems = append(problems, set.Check(r.around(definition.NewSet()))...)
	for i := range problems {
		problems[i].File = "" // it came with a request
	}
	slices.SortStableFunc(problems, func(x, y definition.Problem) int {
		return cmp.Or(x.Line-y.Line, x.Column-y.Column)
	})
	docs := set.Documents()
	switch {
	case len(definition.Errors(problems)) > 0:
		return nil, problems
	case len(docs) != 1:
		return nil, append(problems, atTop("expected one document, got %d", len(docs)))
	}
	if got, _ := docs[0].Ident(); got != kind {
		return nil, append(problems, atTop("this is a document of kind %s, not %s", got, kind))
	}
	return docs[0], problems
}

// Read is Parse for a document that is to be saved under a name: it also checks the name
// and the references, and puts back the secrets that were hidden when it was shown.
func (r *Registry) Read(
	kind definition.Kind, name string, format definition.Format, body []byte,
) (definition.Document, []definition.Problem, error) {
	doc, problems := r.Parse(kind, format, r.unhide(kind, name, format, body))
	if doc == nil {
		return nil, nil, Refused(the(kind), problems)
	}
	if _, got := doc.Ident(); name != "" && got != name && kind != definition.KindPolicy {
		return nil, nil, fault.Of(the(kind)+" is not valid", []fault.Problem{{
			Path: string(kind), Message: fmt.Sprintf("the name %q does not match %q in the address", got, name),
		}})
	}
	if found := r.References.Check(doc); len(found) > 0 {
		return nil, nil, fault.Of(the(kind)+" contains references that are not allowed", found)
	}
	return doc, problems, nil
}

// ReadVersion is a saved version and its document, checked against the documents in force
// now, which may have changed since it was saved. The problems are warnings, with their places if the
// source is known.
func (r *Registry) ReadVersion(
	ctx context.Context, kind definition.Kind, name string, number int,
) (port.Version, definition.Document, []definition.Problem, error) {
	v, err := r.Store.Version(ctx, string(kind), name, number)
	if err != nil {
		return v, nil, nil, err
	}
	doc, problems := r.Parse(kind, definition.JSON, v.Body)
	if doc == nil {
		return v, nil, nil, Refused(fmt.Sprintf("version %d", number), problems)
	}
	if v.Source = sourceOf(doc, v.Source); v.Source != nil {
		_, problems = r.Parse(kind, definition.YAML, v.Source)
	} else {
		for i := range problems { // places in JSON that no one wrote
			problems[i].Line, problems[i].Column, problems[i].Excerpt = 0, 0, ""
		}
	}
	return v, doc, definition.Warnings(problems), nil
}

// atTop is a problem with a document as a whole.
func atTop(format string, args ...any) definition.Problem {
	return definition.Problem{Problem: fault.Problem{Message: fmt.Sprintf(format, args...), Line: 1, Column: 1}}
}

// the(kind) names a document of a kind in a sentence: one of notifications is a single document.
func the(kind definition.Kind) string {
	if kind == definition.KindNotifications {
		return "the notifications document"
	}
	return "the " + string(kind)
}

// Refused turns problems into one error.
func Refused(what string, problems []definition.Problem) error {
	var out []fault.Problem
	for _, p := range definition.Errors(problems) { // a warning refuses nothing
		out = append(out, p.Problem)
	}
	return fault.Of(what+" is not valid", out)
}

// decode reads the document of a stored version.
func decode(v port.Version) (definition.Document, error) {
	doc, problems := definition.ParseDocument(definition.JSON, v.Body)
	if doc == nil {
		return nil, Refused(fmt.Sprintf("version %d of %s %s", v.Number, v.Kind, v.Name), problems)
	}
	return doc, nil
}

// Unknown is the error for a document that was not found. It lists those that exist.
func Unknown(kind definition.Kind, name string, known []string) error {
	e := fault.Newf(fault.NotFound, "%s %.100q not found", kind, name)
	slices.Sort(known)
	const shown = 10
	if len(known) > 0 {
		e.Hint = fmt.Sprintf("available: %s", orMore(known, shown))
	}
	return e
}

func orMore(words []string, shown int) string {
	if len(words) <= shown {
		return strings.Join(words, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(words[:shown], ", "), len(words)-shown)
}
