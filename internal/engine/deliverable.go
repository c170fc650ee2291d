package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/media"
	"github.com/assent-run/assent/internal/port"
)

// Receive normalises a deliverable: a name that is safe to show, known words, a link that is safe to follow,
// and a media type that matches the bytes. Content is nil if there is none.
func Receive(d *run.Deliverable, content []byte) error {
	name, err := media.Name(d.Name)
	if err == nil && d.URL != "" {
		err = media.Link(d.URL)
	}
	if err != nil {
		return &port.Failed{Failure: run.Failure{Code: "invalid",
			Message: fmt.Sprintf("the deliverable %q cannot be accepted: %v", phrase.ClipValid(d.Name, 100), err)}}
	}
	d.Name = name
	if !slices.Contains(run.DeliverableStatuses, d.Status) {
		d.Status = run.Draft // nothing is final by mistake
	}
	switch {
	case content != nil:
		d.MIME = media.Of(d.Name, d.MIME, content)
	case d.URL != "":
		d.MIME = media.Said(d.Name, d.MIME)
	default:
		return nil // only a status
	}
	if !slices.Contains(media.Kinds, d.Type) && !(d.Update && d.Type == "") {
		d.Type = media.Kind(d.MIME)
	}
	return nil
}

// delivered records a new deliverable. The previous version of that name is no longer the newest.
func (p *Projector) delivered(f *run.DeliverableCreated, at time.Time) {
	d := &f.Deliverable
	versions := p.s.Versions(d.Name) // including the new one
	row := port.DeliverableRow{
		ID: p.own(d.ID), Run: p.s.ID, Workflow: p.s.Started.Workflow, Step: f.Step, Agent: f.Agent, Name: d.Name,
		Type: d.Type, Status: d.Status,
		MIME: d.MIME, Description: d.Description, URL: d.URL, Version: len(versions), Newest: true,
		CreatedAt: at, UpdatedAt: at,
	}
	row.Blob, row.Size = BlobRef(d.Content)
	if n := len(versions); n > 1 {
		p.mark(port.DeliverableMark{ID: p.own(p.s.Deliverables[versions[n-2]].ID), Outdated: true, At: at})
	}
	p.deliverables = append(p.deliverables, row)
}

// mark changes a row of this write, or requests a change of a stored one.
func (p *Projector) mark(m port.DeliverableMark) {
	for i := range p.deliverables {
		if row := &p.deliverables[i]; row.ID == m.ID {
			if m.Status != "" {
				row.Status, row.UpdatedAt = m.Status, m.At
			}
			row.Newest = row.Newest && !m.Outdated
			return
		}
	}
	p.marks = append(p.marks, m)
}

// own gives a deliverable an id of this run: a fork's log begins with another run's history, and deliverables
// made there are the fork's results as well.
func (p *Projector) own(id string) string {
	number := id[strings.LastIndexByte(id, '_')+1:]
	return fmt.Sprintf("dlv_%s_%s", strings.TrimPrefix(p.s.ID, "run_"), number)
}

// BlobRef parses a reference to a blob; false for anything else.
func BlobRef(v json.RawMessage) (id string, size int64) {
	var ref struct {
		Blob string `json:"$blob"`
		Size int64  `json:"size"`
	}
	if json.Unmarshal(v, &ref) != nil {
		return "", 0
	}
	return ref.Blob, ref.Size
}

// NewBlobRef returns the value that refers to a blob.
func NewBlobRef(id string, size int64) json.RawMessage {
	ref, _ := value.Marshal(struct {
		Blob string `json:"$blob"`
		Size int64  `json:"size"`
	}{id, size})
	return ref
}
