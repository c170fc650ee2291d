package app

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/media"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Deliverable shows one deliverable.
func (a *App) Deliverable(ctx context.Context, who Who, id string) (view.Deliverable, error) {
	row, err := a.guard.Deliverable(ctx, who, access.See, id)
	if err != nil {
		return view.Deliverable{}, err
	}
	return a.sight.ShowDeliverable(ctx, a.guard.Viewer(who))(row)
}

// DeliverableVersions lists all versions of a deliverable, newest first. Any of
// them names it.
func (a *App) DeliverableVersions(ctx context.Context, who Who, id, cursor string,
	limit int) (view.List[view.Deliverable], error) {
	row, err := a.guard.Deliverable(ctx, who, access.See, id)
	if err != nil {
		return view.List[view.Deliverable]{}, err
	}
	page, err := a.lists.Deliverables(ctx, port.DeliverableQuery{Run: row.Run, Name: row.Name, All: true,
		Cursor: cursor, Limit: limit})
	if err != nil {
		return view.List[view.Deliverable]{}, err
	}
	return view.PageOf(page, a.sight.ShowDeliverable(ctx, a.guard.Viewer(who)))
}

// Mark is a request to set the status of a deliverable.
type Mark struct {
	Status  string `json:"status"`        // The new status: draft, final or archived.
	Version int    `json:"version"`       // The newest version that you saw. Required.
	Was     string `json:"was,omitempty"` // The status you saw; not checked if omitted.
}

// Mark sets the status of a deliverable: draft, final or archived. It also works after the end of the run.
func (a *App) Mark(ctx context.Context, who Who, id string, m Mark, commandID string,
	k Idempotency) (v view.Deliverable, err error) {
	defer a.guard.Refusing(ctx, who, "deliverable.marked", id, &err)
	row, err := a.guard.Deliverable(ctx, who, access.Steer, id)
	if err != nil {
		return view.Deliverable{}, err
	}
	if m.Version == 0 {
		return view.Deliverable{}, fault.Of("the status is not valid",
			[]fault.Problem{{Path: "version", Message: "the version of the deliverable that you saw is required"}})
	}
	shown, err := a.sight.ShowDeliverable(ctx, a.guard.Viewer(who))(row)
	if err != nil {
		return shown, err
	}
	do := run.MarkDeliverable{Deliverable: id, Status: m.Status, Version: m.Version, Was: m.Was}
	_, err = a.engine.Do(ctx, row.Run, a.command(who, commandID, do),
		func(_ *machine.State, r port.Receipt) (*port.Answer, error) {
			shown.Status, shown.UpdatedAt = m.Status, r.Events[0].At
			return k.keep(shown)
		})
	if _, again := taken(err); again {
		return a.Deliverable(ctx, who, id)
	}
	return shown, err
}

// Content opens the bytes of a deliverable.
func (a *App) Content(ctx context.Context, who Who, id string) (view.Deliverable, io.ReadSeekCloser, error) {
	row, err := a.guard.Deliverable(ctx, who, access.See, id)
	if err == nil {
		err = a.sight.Whole(ctx, a.guard.Viewer(who), row.Run, "the run of this deliverable")
	}
	if err != nil {
		return view.Deliverable{}, nil, err
	}
	return a.content(ctx, who, row)
}

func (a *App) content(ctx context.Context, who Who, row port.DeliverableRow) (view.Deliverable,
	io.ReadSeekCloser, error) {
	v, err := a.sight.ShowDeliverable(ctx, a.guard.Viewer(who))(row)
	if err != nil {
		return v, nil, err
	}
	if row.Blob == "" {
		return v, nil, fault.New(fault.NotFound, "the content of this deliverable is stored elsewhere", "see its url")
	}
	content, _, err := a.blobs.OpenBlob(ctx, row.Blob)
	if fault.Is(err, fault.NotFound) { // of a fork whose history was not retained
		err = fault.New(fault.NotFound, "the content of this deliverable has been deleted", "")
	}
	return v, content, err
}

// Limits on previews of a deliverable.
const (
	PreviewMax      = 256 << 10 // bytes of a text
	PreviewFullMax  = 16 << 20  // bytes of a text shown in full
	PreviewImageMax = 16 << 20  // bytes of a picture
)

// Excerpt is a deliverable that is safe to show inside our own pages.
type Excerpt struct {
	Show    media.Show
	MIME    string // of Content: text/plain, or one of four kinds of picture
	Content []byte
	Cut     bool // there is more of it
	Masked  bool // something in it is masked
}

// Preview returns the part of a deliverable that may be shown: of a text the beginning, unless it is wanted in full.
// It trusts only the bytes, not the declared type; content that is neither text nor a picture is fault.Unsupported.
func (a *App) Preview(ctx context.Context, who Who, id string, full bool) (v view.Deliverable, e Excerpt, err error) {
	most := PreviewMax
	if full {
		most = PreviewFullMax
	}
	row, err := a.guard.Deliverable(ctx, who, access.See, id)
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
		if err := a.sight.Whole(ctx, a.guard.Viewer(who), row.Run, "the run of this picture"); err != nil {
			return v, Excerpt{}, err
		}
		if v.Size > PreviewImageMax {
			return v, e, fault.Newf(fault.Unsupported, "the image has %s; at most %s are shown", phrase.Bytes(v.Size),
				phrase.Bytes(PreviewImageMax))
		}
		rest, err := io.ReadAll(io.LimitReader(content, PreviewImageMax))
		e.Content = append(e.Content, rest...)
		return v, e, err
	}
	return v, e, fault.New(fault.Unsupported, "no preview is available for this type",
		"download its content")
}

// Zip writes the newest versions of a run's deliverables whose bytes are stored here, as they are read.
func (a *App) Zip(ctx context.Context, who Who, id string, w io.Writer) error {
	if _, err := a.guard.Run(ctx, who, access.See, id); err != nil {
		return err
	}
	if err := a.sight.Whole(ctx, a.guard.Viewer(who), id, "this run"); err != nil {
		return err
	}
	z := zip.NewWriter(w)
	var places media.Folder
	for cursor, more := "", true; more; more = cursor != "" {
		page, err := a.lists.Deliverables(ctx, port.DeliverableQuery{Run: id, Cursor: cursor, Limit: 100})
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
	content, _, err := a.blobs.OpenBlob(ctx, row.Blob)
	if fault.Is(err, fault.NotFound) {
		return nil // no longer stored
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

// showExcerpt masks an excerpt of a text.
func (a *App) showExcerpt(ctx context.Context, who Who, runID string, e Excerpt) (Excerpt, error) {
	v, err := a.sight.VeilOf(ctx, a.guard.Viewer(who), runID)
	if err != nil || v == nil {
		return e, err
	}
	if shown, masked := v.Excerpt(e.Content, !e.Cut); masked {
		e.Content, e.Masked = shown, true
	}
	return e, nil
}
