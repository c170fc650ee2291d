package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// VersionView is one saved form of a document.
type VersionView struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Version   int       `json:"version"`
	Published bool      `json:"published"`
	Digest    string    `json:"digest"`
	By        string    `json:"by"`
	At        time.Time `json:"at"`
}

// DocumentView is a version with what people wrote. Secrets are hidden.
type DocumentView struct {
	VersionView
	Status     DocumentStatus       `json:"status,omitempty"`
	Definition json.RawMessage      `json:"definition"`
	YAML       string               `json:"yaml"`
	Warnings   []definition.Problem `json:"warnings,omitempty"`
}

func viewVersion(v port.Version) VersionView {
	return VersionView{v.ID, v.Name, v.Number, v.Published, v.Digest, v.By, v.At}
}

func viewDocument(v port.Version, doc definition.Document) DocumentView {
	status := Draft
	if v.Published {
		status = Published
	}
	return DocumentView{VersionView: viewVersion(v), Status: status, Definition: doc.JSON(), YAML: string(doc.YAML())}
}

// Workflows lists the workflows in force, by name.
func (a *App) Workflows(_ context.Context, who Who) (view.List[DocumentView], error) {
	return a.inForce(who, definition.KindWorkflow)
}

// Agents lists the agents in force, by name.
func (a *App) Agents(_ context.Context, who Who) (view.List[DocumentView], error) {
	return a.inForce(who, definition.KindAgent)
}

// builtIn is who wrote what needs no document.
const builtIn = "built in"

// Tools lists the tools in force whose name or description contains every word of q.
func (a *App) Tools(_ context.Context, who Who, q string) (view.List[DocumentView], error) {
	all, err := a.inForce(who, definition.KindTool)
	if err != nil {
		return all, err
	}
	written := a.registry.now().set.Tools
	for _, tool := range a.Builtin {
		if written[tool.Name] == nil {
			all.Items = append(all.Items, viewDocument(port.Version{Name: tool.Name, Published: true, By: builtIn}, tool))
		}
	}
	slices.SortFunc(all.Items, func(x, y DocumentView) int { return strings.Compare(x.Name, y.Name) })
	words := strings.Fields(strings.ToLower(q))
	return view.Whole(slices.DeleteFunc(all.Items, func(v DocumentView) bool {
		description, _ := value.Get(v.Definition, "description")
		text := strings.ToLower(v.Name + " " + string(description))
		return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	})), nil
}

func (a *App) inForce(who Who, kind definition.Kind) (view.List[DocumentView], error) {
	if err := a.may(who, access.Look); err != nil {
		return view.List[DocumentView]{}, err
	}
	p := a.registry.now()
	var out []DocumentView
	for _, doc := range p.set.Documents() {
		if k, name := slot(doc); k == kind && a.shows(who, k, name) {
			out = append(out, viewDocument(p.versions[ident(k, name)], doc))
		}
	}
	return view.Whole(out), nil
}

// Document shows a version; number 0 is the one in force, -1 the newest.
func (a *App) Document(ctx context.Context, who Who, kind definition.Kind, name string, number int) (DocumentView, error) {
	if err := a.mayRead(ctx, who, kind, name); err != nil {
		return DocumentView{}, err
	}
	v, err := a.Store.Version(ctx, string(kind), name, number)
	if err != nil {
		return DocumentView{}, a.orUnknown(err, who, kind, name)
	}
	doc, err := decodeBody(v)
	if err != nil {
		return DocumentView{}, err
	}
	return viewDocument(v, doc), nil
}

// mayRead refuses a document to whoever may not see it.
func (a *App) mayRead(ctx context.Context, who Who, kind definition.Kind, name string) error {
	if err := a.may(who, access.Look); err != nil || kind != definition.KindWorkflow {
		return err
	}
	return a.allowWorkflow(ctx, who, access.See, name)
}

// shows reports whether somebody who may look at documents sees this one.
func (a *App) shows(who Who, kind definition.Kind, name string) bool {
	return kind != definition.KindWorkflow || a.rules().Decide(a.subject(who), access.See, access.Object{Workflow: name}).Allowed
}

// orUnknown adds what there is instead, for somebody, to an error that says there
// is no such document.
func (a *App) orUnknown(err error, who Who, kind definition.Kind, name string) error {
	set := a.registry.now().set
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	if _, known := set.Get(kind, name); known && a.shows(who, kind, name) {
		return err
	}
	var names []string
	for _, doc := range set.Documents() {
		if k, n := doc.Ident(); k == kind && a.shows(who, k, n) {
			names = append(names, n)
		}
	}
	return unknown(string(kind), name, names)
}

// Versions lists all versions of a document, newest first.
func (a *App) Versions(ctx context.Context, who Who, kind definition.Kind, name string) (view.List[VersionView], error) {
	if err := a.mayRead(ctx, who, kind, name); err != nil {
		return view.List[VersionView]{}, err
	}
	versions, err := a.Store.Versions(ctx, string(kind), name)
	if err != nil {
		return view.List[VersionView]{}, err
	}
	if len(versions) == 0 && kind != definition.KindPolicy { // there always is a policy, written or not
		return view.List[VersionView]{}, a.orUnknown(fault.Newf(fault.NotFound, "there is no %s %q", kind, name), who, kind, name)
	}
	out := make([]VersionView, len(versions))
	for i, v := range versions {
		out[i] = viewVersion(v)
	}
	return view.Whole(out), nil
}

// Saving says what to do with a document besides keeping it.
type Saving struct {
	Publish bool // put it in force for runs that start from now on
	// AcceptRisk says why a policy is published although it would have let
	// something pass that people rejected.
	AcceptRisk string
	Force      bool // although published workflows and agents would break
}

// Save stores a document as the next version. Nothing changed is the same
// version again.
func (a *App) Save(ctx context.Context, who Who, kind definition.Kind, name string, format definition.Format, body []byte, how Saving) (v DocumentView, created bool, err error) {
	defer a.refusing(ctx, who, "definition.saved", string(kind)+"/"+name, &err)
	if err := a.may(who, access.Write); err != nil {
		return v, false, err
	}
	doc, problems := a.registry.parse(kind, format, a.unhide(kind, name, format, body))
	if doc == nil {
		return v, false, refused("the "+string(kind), problems)
	}
	if _, got := doc.Ident(); name != "" && got != name && kind != definition.KindPolicy {
		return v, false, fault.Of("the "+string(kind)+" is not valid", []fault.Problem{{Path: string(kind), Message: fmt.Sprintf("it is named %q here, and %q in the address", got, name)}})
	}
	if found := a.References.Check(doc); len(found) > 0 {
		return v, false, fault.Of("the "+string(kind)+" refers to what it may not", found)
	}
	var broken []breakage
	if how.Publish {
		if broken, err = a.weighBreakage(doc, how.Force); err != nil {
			return v, false, err
		}
		if err := a.weighRisk(ctx, who, doc, how.AcceptRisk); err != nil {
			return v, false, err
		}
	}
	saved, created, err := a.registry.put(ctx, doc, who.Key(), how.Publish, broken)
	v = viewDocument(saved, doc)
	v.Warnings = problems
	return v, created, err
}

// Publish puts a version in force.
func (a *App) Publish(ctx context.Context, who Who, kind definition.Kind, name string, number int, how Saving) (out DocumentView, err error) {
	defer a.refusing(ctx, who, "definition.published", string(kind)+"/"+name, &err)
	if err := a.may(who, access.Write); err != nil {
		return DocumentView{}, err
	}
	v, err := a.Store.Version(ctx, string(kind), name, number)
	if err != nil {
		return DocumentView{}, a.orUnknown(err, who, kind, name)
	}
	// Its surroundings may have changed since it was saved.
	doc, problems := a.registry.parse(kind, definition.JSON, v.Body)
	if doc == nil {
		return DocumentView{}, refused(fmt.Sprintf("version %d", number), problems)
	}
	broken, err := a.weighBreakage(doc, how.Force)
	if err != nil {
		return DocumentView{}, err
	}
	if err := a.weighRisk(ctx, who, doc, how.AcceptRisk); err != nil {
		return DocumentView{}, err
	}
	saved, err := a.registry.publish(ctx, v, who.Key(), broken)
	return viewDocument(saved, doc), err
}

// DiffView is the difference between two versions of a document.
type DiffView struct {
	From VersionView    `json:"from"`
	To   VersionView    `json:"to"`
	Diff []value.Change `json:"diff"`
}

// Diff compares two versions of a document; 0 is the one in force, -1 the newest.
func (a *App) Diff(ctx context.Context, who Who, kind definition.Kind, name string, from, to int) (DiffView, error) {
	x, err := a.Document(ctx, who, kind, name, from)
	if err != nil {
		return DiffView{}, err
	}
	y, err := a.Document(ctx, who, kind, name, to)
	if err != nil {
		return DiffView{}, err
	}
	return DiffView{x.VersionView, y.VersionView, view.NotNil(value.Diff(x.Definition, y.Definition))}, nil
}

// ValidationView is all that is wrong with a document.
type ValidationView struct {
	Valid    bool                 `json:"valid"`
	Problems []definition.Problem `json:"problems"`
	Warnings []definition.Problem `json:"warnings"`
}

// Validate checks a document against what is in force, without saving it.
func (a *App) Validate(_ context.Context, who Who, kind definition.Kind, format definition.Format, body []byte) (ValidationView, error) {
	if err := a.may(who, access.Look); err != nil {
		return ValidationView{}, err
	}
	doc, problems := a.registry.parse(kind, format, body)
	return ValidationView{Valid: doc != nil, Problems: view.NotNil(definition.Errors(problems)), Warnings: view.NotNil(definition.Warnings(problems))}, nil
}

// PolicyView is the policy in force.
type PolicyView struct {
	DocumentView
	Hash  string         `json:"hash"` // as verdicts name it: pol_…
	Rules []policy.Entry `json:"rules"`
	Stop  StopView       `json:"emergency_stop"`
	// Problems are what was wrong when files were last loaded: what is in
	// force may be older than they are.
	Problems []definition.Problem `json:"file_problems"`
}

// Policy shows the policy in force; without one, an empty one.
func (a *App) Policy(ctx context.Context, who Who) (PolicyView, error) {
	if err := a.may(who, access.Look); err != nil {
		return PolicyView{}, err
	}
	p := a.registry.now()
	if p.set.Policy == nil {
		return PolicyView{DocumentView: DocumentView{Definition: json.RawMessage(`{"rules":[]}`), YAML: "policy: default\nrules: []\n"}, Rules: []policy.Entry{}, Stop: p.stop, Problems: a.loadProblems()}, nil
	}
	uses, err := a.Store.Uses(ctx) // as they are now: the picture was taken earlier
	if err != nil {
		return PolicyView{}, fmt.Errorf("read how often rules were used: %w", err)
	}
	k, name := slot(p.set.Policy)
	return PolicyView{viewDocument(p.versions[ident(k, name)], p.set.Policy), p.policy.Hash(), withUses(p.policy.Rules(a.now()), uses), p.stop, a.loadProblems()}, nil
}

// withUses adds how often rules were used whose uses are limited.
func withUses(rules []policy.Entry, uses map[string]int) []policy.Entry {
	for i := range rules {
		if used := uses[rules[i].Name]; rules[i].MaxUses > 0 {
			rules[i].Used = &used
		}
	}
	return view.NotNil(rules)
}

// unhide puts secrets back that were hidden when the document was shown, where
// the new one still says ***.
func (a *App) unhide(kind definition.Kind, name string, format definition.Format, body []byte) []byte {
	current, ok := a.registry.now().set.Get(kind, name)
	if !ok || format != definition.JSON || !json.Valid(body) || !sameReceiver(body, current.JSON()) {
		return body
	}
	return restore(body, current.JSON(), current.JSONWithSecrets())
}

// sameReceiver reports whether a document sends its secrets where the one in force
// does. Otherwise those who may write documents could read them with one of theirs.
func sameReceiver(body, current json.RawMessage) bool {
	for _, key := range []string{"kind", "provider", "command", "url", "base_url"} {
		now, there := value.Get(body, key)
		was, had := value.Get(current, key)
		if key == "url" || key == "base_url" {
			now, was = hostOf(now), hostOf(was)
		}
		if there != had || !value.Equal(now, was) {
			return false
		}
	}
	return true
}

// hostOf is where an address leads, without the path.
func hostOf(address json.RawMessage) json.RawMessage {
	text, ok := value.Text(address)
	u, err := url.Parse(text)
	if !ok || err != nil {
		return address
	}
	return value.Quote(u.Scheme + "://" + strings.ToLower(u.Host))
}

// restore replaces whatever is still as it was shown by what it stood for.
func restore(v, shown, meant json.RawMessage) json.RawMessage {
	if value.Equal(shown, meant) {
		return v
	}
	if value.Equal(v, shown) {
		return meant
	}
	if value.KindOf(v) != value.KindObject || value.KindOf(shown) != value.KindObject {
		return v
	}
	var out []value.Member
	for key, m := range value.Members(v) {
		s, known := value.Get(shown, key)
		if w, ok := value.Get(meant, key); known && ok {
			m = restore(m, s, w)
		}
		out = append(out, value.Member{Key: key, Value: m})
	}
	return value.Object(out...)
}
