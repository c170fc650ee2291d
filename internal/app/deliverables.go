package app

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/media"
	"github.com/assent-run/assent/internal/port"
)

// DeliverableView is a result for people.
type DeliverableView struct {
	ID          string    `json:"id" holds:"id"`
	Run         string    `json:"run" holds:"id"`
	Workflow    string    `json:"workflow" holds:"id"`
	Step        string    `json:"step" holds:"id"`
	Agent       string    `json:"agent" holds:"id"`
	Name        string    `json:"name" holds:"text"`
	Type        string    `json:"type" holds:"id"`
	Status      string    `json:"status" holds:"id"`
	MIME        string    `json:"mime_type" holds:"id"`
	Description string    `json:"description" holds:"text"`
	Storage     string    `json:"storage" holds:"id"` // inline, file, external
	URL         *string   `json:"url" holds:"text"`   // where it lies outside
	Size        int64     `json:"size"`
	Preview     string    `json:"preview" holds:"id"` // text, image, none
	Version     int       `json:"version"`
	Newest      bool      `json:"newest"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
	Masking
}

// Where the bytes of deliverables are.
const (
	storedInline   = "inline"
	storedFile     = "file"
	storedExternal = "external"
)

// inlineMax is from where on content is kept as a file of its own.
const inlineMax = 1 << 20

func viewDeliverable(r port.DeliverableRow) (DeliverableView, error) {
	v := DeliverableView{
		ID: r.ID, Run: r.Run, Workflow: r.Workflow, Step: r.Step, Agent: r.Agent, Name: r.Name, Type: r.Type, Status: r.Status, MIME: r.MIME,
		Description: r.Description, Storage: storedInline, URL: text(r.URL), Size: r.Size, Preview: string(media.Shows(r.MIME)),
		Version: r.Version, Newest: r.Newest, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
	switch {
	case r.Blob == "":
		v.Storage, v.Preview = storedExternal, string(media.AsNone)
	case r.Size > inlineMax:
		v.Storage = storedFile
	}
	return v, nil
}

// Deliverables lists results, newest first: of each name in a run the newest version.
func (a *App) Deliverables(ctx context.Context, who Who, q port.DeliverableQuery) (ListView[DeliverableView], error) {
	q.Scope = a.scope(who)
	page, err := a.Store.Deliverables(ctx, q)
	if err != nil {
		return ListView[DeliverableView]{}, err
	}
	return viewPage(page, a.showDeliverable(ctx, who))
}

// Deliverable shows one.
func (a *App) Deliverable(ctx context.Context, who Who, id string) (DeliverableView, error) {
	row, err := a.deliverable(ctx, who, access.See, id)
	if err != nil {
		return DeliverableView{}, err
	}
	return a.showDeliverable(ctx, who)(row)
}

// DeliverableVersions lists all versions of a deliverable, newest first. Any of
// them names it.
func (a *App) DeliverableVersions(ctx context.Context, who Who, id, cursor string, limit int) (ListView[DeliverableView], error) {
	row, err := a.deliverable(ctx, who, access.See, id)
	if err != nil {
		return ListView[DeliverableView]{}, err
	}
	page, err := a.Store.Deliverables(ctx, port.DeliverableQuery{Run: row.Run, Name: row.Name, All: true, Cursor: cursor, Limit: limit})
	if err != nil {
		return ListView[DeliverableView]{}, err
	}
	return viewPage(page, a.showDeliverable(ctx, who))
}

// Mark says how a deliverable stands.
type Mark struct {
	Status  string `json:"status"`
	Version int    `json:"version"`
	Was     string `json:"was,omitempty"`
}

// Mark says how a deliverable stands from now on: draft, final or archived. It
// works after the end of the run, too.
func (a *App) Mark(ctx context.Context, who Who, id string, m Mark, commandID string, k Keeping) (v DeliverableView, err error) {
	defer a.refusing(ctx, who, "deliverable.marked", id, &err)
	row, err := a.deliverable(ctx, who, access.Steer, id)
	if err != nil {
		return DeliverableView{}, err
	}
	if m.Version == 0 {
		return DeliverableView{}, fault.Of("the status is not valid", []fault.Problem{{Path: "version", Message: "say which version of the deliverable you saw"}})
	}
	view, err := a.showDeliverable(ctx, who)(row)
	if err != nil {
		return view, err
	}
	do := run.MarkDeliverable{Deliverable: id, Status: m.Status, Version: m.Version, Was: m.Was}
	_, err = a.engine.Do(ctx, row.Run, run.Command{ID: a.commandID(who, commandID), By: who.Actor(), Do: do},
		func(_ *run.State, r port.Receipt) (*port.Answer, error) {
			view.Status, view.UpdatedAt = m.Status, r.Events[0].At
			return k.keep(view)
		})
	if _, again := taken(err); again {
		return a.Deliverable(ctx, who, id)
	}
	return view, err
}

// Content opens the bytes of a deliverable.
func (a *App) Content(ctx context.Context, who Who, id string) (DeliverableView, io.ReadSeekCloser, error) {
	row, err := a.deliverable(ctx, who, access.See, id)
	if err == nil {
		err = a.handOut(ctx, who, row.Run, "the run of this deliverable")
	}
	if err != nil {
		return DeliverableView{}, nil, err
	}
	return a.content(ctx, who, row)
}

func (a *App) content(ctx context.Context, who Who, row port.DeliverableRow) (DeliverableView, io.ReadSeekCloser, error) {
	v, err := a.showDeliverable(ctx, who)(row)
	if err != nil {
		return v, nil, err
	}
	if row.Blob == "" {
		return v, nil, fault.New(fault.NotFound, "the bytes of this deliverable are not here", "see its url")
	}
	content, _, err := a.Store.OpenBlob(ctx, row.Blob)
	if fault.Is(err, fault.NotFound) { // of a fork whose past was not kept
		err = fault.New(fault.NotFound, "the bytes of this deliverable are not kept any more", "")
	}
	return v, content, err
}

// Limits of what is shown of a deliverable.
const (
	PreviewMax      = 256 << 10 // bytes of a text
	PreviewFullMax  = 16 << 20  // bytes of a text that is wanted whole
	PreviewImageMax = 16 << 20  // bytes of a picture
)

// Excerpt is a deliverable as it may be shown inside a page of ours.
type Excerpt struct {
	Show    media.Show
	MIME    string // of Content: text/plain, or one of four kinds of picture
	Content []byte
	Cut     bool // there is more of it
	Masked  bool // something in it is hidden
}

// Preview is what may be shown of a deliverable, of a text the beginning unless
// it is wanted in full. It believes the bytes and nobody's word; what is neither
// text nor a picture is fault.Unsupported.
func (a *App) Preview(ctx context.Context, who Who, id string, full bool) (v DeliverableView, e Excerpt, err error) {
	most := PreviewMax
	if full {
		most = PreviewFullMax
	}
	row, err := a.deliverable(ctx, who, access.See, id)
	if err != nil {
		return v, e, err
	}
	v, content, err := a.content(ctx, who, row)
	if err != nil {
		return v, e, err
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	if e.Content, err = io.ReadAll(io.LimitReader(content, int64(most)+1)); err != nil {
		return v, e, err
	}
	switch e.Show, e.MIME = media.Look(e.Content); e.Show {
	case media.AsText:
		e.Content, e.Cut = media.Excerpt(e.Content, most)
		e, err = a.showExcerpt(ctx, who, row.Run, e)
		return v, e, err
	case media.AsImage:
		if err := a.handOut(ctx, who, row.Run, "the run of this picture"); err != nil {
			return v, Excerpt{}, err
		}
		if v.Size > PreviewImageMax {
			return v, e, fault.Newf(fault.Unsupported, "the picture has %d bytes; at most %d are shown", v.Size, PreviewImageMax)
		}
		rest, err := io.ReadAll(io.LimitReader(content, PreviewImageMax))
		e.Content = append(e.Content, rest...)
		return v, e, err
	}
	return v, e, fault.New(fault.Unsupported, "this is neither text nor a picture that can be shown", "download its content")
}

// Zip writes the newest versions of a run's deliverables whose bytes are here, as
// they are read.
func (a *App) Zip(ctx context.Context, who Who, id string, w io.Writer) error {
	if _, err := a.run(ctx, who, access.See, id); err != nil {
		return err
	}
	if err := a.handOut(ctx, who, id, "this run"); err != nil {
		return err
	}
	z := zip.NewWriter(w)
	var places media.Folder
	for cursor, more := "", true; more; more = cursor != "" {
		page, err := a.Store.Deliverables(ctx, port.DeliverableQuery{Run: id, Cursor: cursor, Limit: 100})
		if err != nil {
			return err
		}
		for _, row := range page.Items {
			if row.Blob == "" {
				continue
			}
			if err := a.addToZip(ctx, z, row, places.Place(row.Name)); err != nil {
				return fmt.Errorf("add %s: %w", row.ID, err)
			}
		}
		cursor = page.Next
	}
	return z.Close()
}

func (a *App) addToZip(ctx context.Context, z *zip.Writer, row port.DeliverableRow, name string) (err error) {
	content, _, err := a.Store.OpenBlob(ctx, row.Blob)
	if fault.Is(err, fault.NotFound) {
		return nil // not kept any more
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	f, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: row.CreatedAt})
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return err
}

// FileName is what a deliverable is called when it is stored on a machine: its
// name is an agent's word, this is a file and nothing else.
func FileName(v DeliverableView) string { return media.File(v.Name) }
