package registry

import (
	"cmp"
	"context"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// Save stores a document as the next version, and publishes it if publish is set. An unchanged document keeps its
// version.
func (r *Registry) Save(
	ctx context.Context, doc definition.Document, by string, publish bool, broken []Breakage,
) (v port.Version, created bool, err error) {
	r.write.Lock()
	defer r.write.Unlock()
	v = r.versionOf(doc, by)
	v, created, err = r.Store.SaveVersion(ctx, v, savedEntry(v))
	switch {
	case err != nil || !publish:
		return v, created, err
	case v.Published:
		// A moment ago, perhaps: by an attempt whose response from the store was lost.
		return v, created, r.renew(ctx)
	}
	v, err = r.publish(ctx, v, by, "", broken)
	return v, created, err
}

// Publish puts a version in force.
func (r *Registry) Publish(
	ctx context.Context, v port.Version, by, note string, broken []Breakage,
) (port.Version, error) {
	r.write.Lock()
	defer r.write.Unlock()
	return r.publish(ctx, v, by, note, broken)
}

func (r *Registry) publish(
	ctx context.Context, v port.Version, by, note string, broken []Breakage,
) (port.Version, error) {
	at := r.Now()
	entry := publishedEntry(v, by, at, broken)
	if note != "" {
		entry.Sealed = append(entry.Sealed, port.Sealed{Name: "note", Value: value.Quote(note)})
	}
	err := r.Store.Publish(ctx, v.Kind, v.Name, v.Number, by, at, entry)
	if err != nil {
		return v, err
	}
	v.Published = true
	return v, r.reload(ctx)
}

// Withdraw takes a document out of force; its versions stay.
func (r *Registry) Withdraw(ctx context.Context, kind definition.Kind, name, by string) error {
	r.write.Lock()
	defer r.write.Unlock()
	err := r.Store.Withdraw(ctx, string(kind), name, port.AuditDraft{
		At: r.Now(), Actor: run.ActorOf(by), Action: "definition.withdrawn", Target: ident(kind, name),
		Detail: map[string]any{"kind": string(kind), "name": name, "reason": "it was deleted"},
	})
	if err != nil {
		return err
	}
	return r.reload(ctx)
}

// versionOf is a document as the next version of it.
func (r *Registry) versionOf(doc definition.Document, by string) port.Version {
	kind, name := Slot(doc)
	body, at := doc.JSONWithSecrets(), r.Now()
	return port.Version{
		ID: versionID(kind, r.NewRunID(at)), Kind: string(kind), Name: name, Digest: value.Digest(body), Body: body,
		By: by, At: at,
	}
}

// versionID derives the id of a version from a new run id.
func versionID(kind definition.Kind, runID string) string {
	prefix := map[definition.Kind]string{definition.KindWorkflow: "wfv", definition.KindPolicy: "pol"}[kind]
	return cmp.Or(prefix, "doc") + runID[len("run"):]
}

// savedEntry is the entry of the audit log about a saved version.
func savedEntry(v port.Version) port.AuditDraft {
	return port.AuditDraft{
		At: v.At, Actor: run.ActorOf(v.By), Action: "definition.saved", Target: v.Kind + "/" + v.Name,
		Detail: map[string]any{"kind": v.Kind, "name": v.Name, "id": v.ID, "digest": v.Digest},
	}
}

// publishedEntry is the entry of the audit log about a publication. It lists the documents that it breaks, if the
// publication was forced.
func publishedEntry(v port.Version, by string, at time.Time, broken []Breakage) port.AuditDraft {
	detail := map[string]any{"kind": v.Kind, "name": v.Name, "id": v.ID, "version": v.Number, "digest": v.Digest}
	if len(broken) > 0 {
		names := make([]string, 0, breakagesTold)
		for _, b := range broken[:min(len(broken), breakagesTold)] {
			names = append(names, b.kind+"/"+b.name)
		}
		detail["forced"], detail["breaks"], detail["broken"] = true, names, len(broken)
	}
	d := port.AuditDraft{
		At: at, Actor: run.ActorOf(by), Action: "definition.published", Target: v.Kind + "/" + v.Name, Detail: detail,
	}
	if v.Kind == kindSwitch {
		on, _ := value.Get(v.Body, "on")
		reason, _ := value.Get(v.Body, "reason")
		d.Action, d.Target = "policy.emergency_stop", string(definition.KindPolicy)
		d.Detail = map[string]any{"on": string(on) == "true"}
		d.Sealed = []port.Sealed{{Name: "reason", Value: reason}}
	}
	return d
}
