package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// DocumentStatus is whether a version is in force.
type DocumentStatus string

const (
	Published DocumentStatus = "published" // in force
	Draft     DocumentStatus = "draft"     // saved, not in force
)

// DocumentStatuses lists all statuses.
var DocumentStatuses = []DocumentStatus{Published, Draft}

// Revision is one saved version of a document.
type Revision struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Version   int       `json:"version"`
	Published bool      `json:"published"` // True for the version in force.
	Digest    string    `json:"digest"`    // Names the content: sha256:…
	By        string    `json:"by"`        // Who saved it.
	At        time.Time `json:"at"`
}

// Document is a version with its content. Secrets are hidden.
type Document struct {
	Revision
	// Whether this version is in force: published, or else a draft.
	Status DocumentStatus `json:"status,omitempty"`
	// The document as JSON.
	Definition json.RawMessage `json:"definition"`
	// The document as a YAML file: as written, if that is known, otherwise generated.
	YAML string `json:"yaml"`
	// True if yaml is as written, with its comments.
	Written bool `json:"written,omitempty"`
	// What people should know that stopped nothing.
	Warnings []definition.Problem `json:"warnings,omitempty"`
}

// Validation lists the problems of a document.
type Validation struct {
	Valid    bool                 `json:"valid"`    // Whether it could be saved.
	Problems []definition.Problem `json:"problems"` // All problems.
	Warnings []definition.Problem `json:"warnings"` // Warnings; it can be saved.
}

// Policy is the policy in force.
type Policy struct {
	Document
	// The hash of the policy, as in approvals: pol_…
	Hash string `json:"hash"`
	// The rules in order of evaluation.
	Rules []policy.Entry `json:"rules"`
	// Whether automatic approvals are stopped.
	Stop Stop `json:"emergency_stop"`
	// Problems of the last load of files: the policy in force may be older than the files.
	Problems []definition.Problem `json:"file_problems"`
}

func revisionOf(v port.Version) Revision {
	return Revision{v.ID, v.Name, v.Number, v.Published, v.Digest, v.By, v.At}
}

// DocumentOf shows a version with its document, and as written if it has a source.
func DocumentOf(v port.Version, doc definition.Document) Document {
	status := Draft
	if v.Published {
		status = Published
	}
	out := Document{Revision: revisionOf(v), Status: status, Definition: doc.JSON(), YAML: string(v.Source),
		Written: len(v.Source) > 0}
	if !out.Written {
		out.YAML = string(doc.YAML())
	}
	return out
}

// builtIn is the author of tools that need no document.
const builtIn = "built in"

// InForce lists the documents of a kind in force, by name. Tools include the built-in ones.
func (r *Registry) InForce(kind definition.Kind) (out []Document) {
	s := r.Current()
	for _, doc := range s.set.Documents() {
		if k, name := Slot(doc); k == kind {
			out = append(out, DocumentOf(s.versions[ident(k, name)], doc))
		}
	}
	if kind != definition.KindTool {
		return out
	}
	for _, tool := range r.Builtin {
		if s.set.Tools[tool.Name] == nil {
			out = append(out, DocumentOf(port.Version{Name: tool.Name, Published: true, By: builtIn}, tool))
		}
	}
	slices.SortFunc(out, func(x, y Document) int { return strings.Compare(x.Name, y.Name) })
	return out
}

// WithDrafts lists the documents of a kind in force and, after each, the newest version
// that was saved after it and has not been published.
func (r *Registry) WithDrafts(ctx context.Context, kind definition.Kind) ([]Document, error) {
	all := r.InForce(kind)
	inForce := map[string]bool{}
	for _, v := range all {
		inForce[v.Name] = true
	}
	latest, err := r.Store.Latest(ctx, string(kind))
	if err != nil {
		return nil, err
	}
	for _, v := range latest {
		if v.Published || v.Replaced && inForce[v.Name] {
			continue
		}
		doc, err := decode(v)
		if err != nil {
			// Written by another release. The others are still shown.
			r.Log.Error("a draft cannot be read", "name", v.Name, "version", v.Number, "error", err)
			continue
		}
		v.Source = sourceOf(doc, v.Source)
		all = append(all, DocumentOf(v, doc))
	}
	slices.SortStableFunc(all, func(x, y Document) int {
		return cmp.Or(strings.Compare(x.Name, y.Name), cmp.Compare(x.Version, y.Version))
	})
	return all, nil
}

// Document is a version; number 0 is the one in force, -1 the newest.
func (r *Registry) Document(ctx context.Context, kind definition.Kind, name string, number int) (Document, error) {
	v, err := r.Store.Version(ctx, string(kind), name, number)
	if err != nil {
		return Document{}, err
	}
	doc, err := decode(v)
	if err != nil {
		return Document{}, err
	}
	v.Source = sourceOf(doc, v.Source)
	return DocumentOf(v, doc), nil
}

// Versions lists all versions of a document, newest first.
func (r *Registry) Versions(ctx context.Context, kind definition.Kind, name string) ([]Revision, error) {
	versions, err := r.Store.Versions(ctx, string(kind), name)
	if err != nil {
		return nil, err
	}
	if len(versions) == 0 && kind != definition.KindPolicy { // there is always a policy, written or not
		return nil, fault.Newf(fault.NotFound, "%s %q not found", kind, name)
	}
	out := make([]Revision, len(versions))
	for i, v := range versions {
		out[i] = revisionOf(v)
	}
	return out, nil
}

// Validate lists the problems of a document, without saving it.
func (r *Registry) Validate(kind definition.Kind, format definition.Format, body []byte) Validation {
	doc, problems := r.Parse(kind, format, body)
	return Validation{
		Valid:    doc != nil,
		Problems: view.NotNil(definition.Errors(problems)), Warnings: view.NotNil(definition.Warnings(problems)),
	}
}

// Policy is the policy in force; without one, an empty one.
func (r *Registry) Policy(ctx context.Context) (Policy, error) {
	s := r.Current()
	if s.set.Policy == nil {
		none := Document{Definition: json.RawMessage(`{"rules":[]}`), YAML: "policy: default\nrules: []\n"}
		return Policy{Document: none, Rules: []policy.Entry{}, Stop: s.stop, Problems: r.fileProblems()}, nil
	}
	uses, err := r.Store.Uses(ctx) // the current ones: the snapshot may be older
	if err != nil {
		return Policy{}, fmt.Errorf("read how often rules were used: %w", err)
	}
	k, name := Slot(s.set.Policy)
	return Policy{
		DocumentOf(s.versions[ident(k, name)], s.set.Policy), s.policy.Hash(), withUses(s.policy.Rules(r.Now()), uses),
		s.stop, r.fileProblems(),
	}, nil
}

// withUses adds how often rules with a limited number of uses were used.
func withUses(rules []policy.Entry, uses map[string]int) []policy.Entry {
	for i := range rules {
		if used := uses[rules[i].Name]; rules[i].MaxUses > 0 {
			rules[i].Used = &used
		}
	}
	return view.NotNil(rules)
}

// unhide restores secrets that were hidden when a document was shown, where the new one
// still has ***.
func (r *Registry) unhide(kind definition.Kind, name string, format definition.Format, body []byte) []byte {
	current, ok := r.Current().set.Get(kind, name)
	if !ok || format != definition.JSON || !json.Valid(body) || !sameReceiver(body, current.JSON()) {
		return body
	}
	return restore(body, current.JSON(), current.JSONWithSecrets())
}

// receivers are the members that determine where the secrets of a document are sent, and whether anyone can read them
// on the way; true: it is an address.
var receivers = map[string]bool{
	"kind": false, "provider": false, "command": false, "plaintext": false, "url": true, "base_url": true, "smtp": true,
	"bot.tenant": false, "bot.token_url": true, "bot.service_url": true, "bot.openid": true,
}

// sameReceiver reports whether a document sends its secrets to the same place as the one in force. Otherwise those who
// may write documents could redirect them.
func sameReceiver(body, current json.RawMessage) bool {
	for key, isAddress := range receivers {
		now, there := value.Get(body, strings.Split(key, ".")...)
		was, had := value.Get(current, strings.Split(key, ".")...)
		if isAddress {
			now, was = hostOf(now), hostOf(was)
		}
		if there != had || !value.Equal(now, was) {
			return false
		}
	}
	return true
}

// hostOf is an address without its path.
func hostOf(address json.RawMessage) json.RawMessage {
	text, ok := value.Text(address)
	u, err := url.Parse(text)
	if !ok || err != nil {
		return address
	}
	return value.Quote(u.Scheme + "://" + strings.ToLower(u.Host))
}

// restore replaces each value that is still in its masked form by the original.
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
