package registry

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// Publishing holds the circumstances of a publication.
type Publishing struct {
	Note   string     // why, for the audit log
	Broken []Breakage // the documents that become invalid
	Over   *int       // only over this version in force; 0: none is; nil: over any
}

// Save stores a document as the next version, and publishes it if publish is set. An unchanged document keeps its
// version, and only its source is replaced if it was written otherwise. If another version is in force than the caller
// expects, nothing is stored.
func (r *Registry) Save(
	ctx context.Context, doc definition.Document, by string, publish bool, how Publishing,
) (v port.Version, created bool, err error) {
	r.write.Lock()
	defer r.write.Unlock()
	v = r.versionOf(doc, by)
	if how.Over, err = r.expect(ctx, v.Kind, v.Name, v.Digest, how.Over); err != nil {
		return v, false, err
	}
	source := v.Source
	v, created, err = r.Store.SaveVersion(ctx, v, savedEntry(v))
	if err == nil && !created {
		v.Source = sourceOf(doc, v.Source)
		v, err = r.reword(ctx, v, source, by)
	}
	switch {
	case err != nil:
		return v, created, err
	case v.Published && publish && ofPrograms(doc, v) && !program(by):
		// Now a person answers for it.
	case v.Published:
		// A moment ago, perhaps: by an attempt whose response from the store was lost. Or its source is new.
		return v, created, r.renew(ctx)
	case !publish:
		return v, created, nil
	}
	v, err = r.publish(ctx, v, by, how)
	return v, created, err
}

// Expect returns fault.VersionMismatch if another version is in force than the caller expects, and not already the
// document that they send.
func (r *Registry) Expect(ctx context.Context, doc definition.Document, over *int) error {
	kind, name := Slot(doc)
	_, err := r.expect(ctx, string(kind), name, value.Digest(doc.JSONWithSecrets()), over)
	return err
}

// expect returns the version that must still be in force when a document with that digest is published.
func (r *Registry) expect(ctx context.Context, kind, name, digest string, over *int) (*int, error) {
	if over == nil {
		return nil, nil
	}
	there, err := r.Store.Version(ctx, kind, name, 0)
	switch {
	case err != nil && !fault.Is(err, fault.NotFound):
		return nil, err
	case there.Number == *over || there.Digest == digest:
		return &there.Number, nil
	case there.Number == 0:
		return nil, fault.New(fault.VersionMismatch, "it was withdrawn in the meantime", expectHint)
	}
	return nil, fault.New(fault.VersionMismatch,
		fmt.Sprintf("version %d by %s took effect in the meantime", there.Number, there.By), expectHint)
}

const expectHint = "load it again and review the changes"

// Publish puts a version in force.
func (r *Registry) Publish(
	ctx context.Context, v port.Version, by string, how Publishing,
) (_ port.Version, err error) {
	r.write.Lock()
	defer r.write.Unlock()
	if how.Over, err = r.expect(ctx, v.Kind, v.Name, v.Digest, how.Over); err != nil {
		return v, err
	}
	return r.publish(ctx, v, by, how)
}

func (r *Registry) publish(
	ctx context.Context, v port.Version, by string, how Publishing,
) (port.Version, error) {
	at := r.Now()
	entry := publishedEntry(v, by, at, how.Broken)
	if how.Note != "" {
		entry.Sealed = append(entry.Sealed, port.Sealed{Name: "note", Value: value.Quote(how.Note)})
	}
	var err error
	if how.Over != nil {
		err = r.Store.PublishOver(ctx, v.Kind, v.Name, v.Number, *how.Over, by, at, entry)
	} else {
		err = r.Store.Publish(ctx, v.Kind, v.Name, v.Number, by, at, entry)
	}
	if err != nil {
		return v, err
	}
	v.Published = true
	return v, r.reload(ctx)
}

// Withdraw takes a document out of force; its versions stay. The audit log names whatever still needs it.
func (r *Registry) Withdraw(ctx context.Context, kind definition.Kind, name, by string, neededBy ...string) error {
	r.write.Lock()
	defer r.write.Unlock()
	detail := map[string]any{"kind": string(kind), "name": name, "reason": "it was deleted"}
	if len(neededBy) > 0 {
		detail["needed_by"] = neededBy
	}
	err := r.Store.Withdraw(ctx, string(kind), name, port.AuditDraft{
		At: r.Now(), Actor: run.ActorOf(by), Action: "definition.withdrawn", Target: ident(kind, name), Detail: detail,
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
		Source: sourceOf(doc, []byte(doc.Where().Text())), By: by, At: at,
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
