package registry

import (
	"bytes"
	"context"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// A version is stored with its source, the YAML that people wrote, so that comments and order survive. What is in force
// is the document; a source is shown only if it says the same. That is checked before it is stored, and again when it
// is read: another release may read a text differently, and a database can be changed by other means.

// sourceOf is a text if it says the same as a document, otherwise nil.
func sourceOf(doc definition.Document, text []byte) []byte {
	if len(text) == 0 || len(text) > port.SourceMax || !definition.SameText(doc, text) {
		return nil
	}
	return text
}

// sourceOf is the source of a version in force. One that this snapshot contains has been checked.
func (s *Snapshot) sourceOf(doc definition.Document, v port.Version) []byte {
	was := s.versions[ident(definition.Kind(v.Kind), v.Name)]
	if was.ID == v.ID && bytes.Equal(was.Source, v.Source) {
		return v.Source
	}
	return sourceOf(doc, v.Source)
}

// reword replaces the source of a version that was saved before: with other comments, or in another order. The version
// stays the same.
func (r *Registry) reword(ctx context.Context, v port.Version, source []byte, by string) (port.Version, error) {
	if len(source) == 0 || bytes.Equal(source, v.Source) {
		return v, nil
	}
	_, err := r.Store.SetSource(ctx, v.Kind, v.Name, v.Number, source, port.AuditDraft{
		At: r.Now(), Actor: run.ActorOf(by), Action: "definition.text_saved", Target: v.Kind + "/" + v.Name,
		Detail: map[string]any{
			"kind": v.Kind, "name": v.Name, "id": v.ID, "version": v.Number, "digest": v.Digest,
			"text_digest": value.Digest(source),
		},
	})
	v.Source = source
	return v, err
}

// rewordLoaded is reword for a file in which nothing but the text has changed. If another version was saved since, that
// one stays as written.
func (r *Registry) rewordLoaded(ctx context.Context, doc definition.Document, digest, by string) error {
	kind, name := Slot(doc)
	v, err := r.Store.Version(ctx, string(kind), name, -1)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil
	case err != nil || v.Digest != digest:
		return err
	}
	_, err = r.reword(ctx, v, sourceOf(doc, []byte(doc.Where().Text())), by)
	return err
}

// Texts are two versions as files, to be compared: as written, or both generated if that is not known of one.
func Texts(x, y Document) (string, string) {
	if x.Written == y.Written {
		return x.YAML, y.YAML
	}
	return generated(x), generated(y)
}

func generated(d Document) string {
	doc, _ := definition.ParseDocument(definition.JSON, d.Definition)
	if !d.Written || doc == nil {
		return d.YAML
	}
	return string(doc.YAML())
}
