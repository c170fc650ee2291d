package deliverables

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/guard"
	"github.com/assent-run/assent/internal/media"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Content opens the bytes of a deliverable.
func (d *Deliverables) Content(ctx context.Context, who guard.Who, id string) (view.Deliverable,
	io.ReadSeekCloser, error) {
	row, err := d.guard.Deliverable(ctx, who, access.See, id)
	if err == nil {
		err = d.sight.Whole(ctx, d.guard.Viewer(who), row.Run, "the run of this deliverable")
	}
	if err != nil {
		return view.Deliverable{}, nil, err
	}
	return d.content(ctx, who, row)
}

func (d *Deliverables) content(ctx context.Context, who guard.Who, row port.DeliverableRow) (view.Deliverable,
	io.ReadSeekCloser, error) {
	v, err := d.sight.ShowDeliverable(ctx, d.guard.Viewer(who))(row)
	if err != nil {
		return v, nil, err
	}
	if row.Blob == "" {
		return v, nil, fault.New(fault.NotFound, "the content of this deliverable is stored elsewhere", "see its url")
	}
	content, _, err := d.store.OpenBlob(ctx, row.Blob)
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
func (d *Deliverables) Preview(ctx context.Context, who guard.Who, id string,
	full bool) (v view.Deliverable, e Excerpt, err error) {
	most := PreviewMax
	if full {
		most = PreviewFullMax
	}
	row, err := d.guard.Deliverable(ctx, who, access.See, id)
	if err != nil {
		return v, e, err
	}
	v, content, err := d.content(ctx, who, row)
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
		e, err = d.showExcerpt(ctx, who, row.Run, e)
		return v, e, err
	case media.AsImage:
		if err := d.sight.Whole(ctx, d.guard.Viewer(who), row.Run, "the run of this picture"); err != nil {
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
func (d *Deliverables) Zip(ctx context.Context, who guard.Who, id string, w io.Writer) error {
	if _, err := d.guard.Run(ctx, who, access.See, id); err != nil {
		return err
	}
	if err := d.sight.Whole(ctx, d.guard.Viewer(who), id, "this run"); err != nil {
		return err
	}
	z := zip.NewWriter(w)
	var places media.Folder
	for cursor, more := "", true; more; more = cursor != "" {
		page, err := d.store.Deliverables(ctx, port.DeliverableQuery{Run: id, Cursor: cursor, Limit: 100})
		if err != nil {
			return err
		}
		for _, row := range page.Items {
			if row.Blob == "" {
				continue
			}
			if err := d.addToZip(ctx, z, row, places.Place(row.Name)); err != nil {
				return fmt.Errorf("add %s: %w", row.ID, err)
			}
		}
		cursor = page.Next
	}
	return z.Close()
}

func (d *Deliverables) addToZip(ctx context.Context, z *zip.Writer, row port.DeliverableRow, name string) (err error) {
	content, _, err := d.store.OpenBlob(ctx, row.Blob)
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
func (d *Deliverables) showExcerpt(ctx context.Context, who guard.Who, runID string, e Excerpt) (Excerpt, error) {
	v, err := d.sight.VeilOf(ctx, d.guard.Viewer(who), runID)
	if err != nil || v == nil {
		return e, err
	}
	if shown, masked := v.Excerpt(e.Content, !e.Cut); masked {
		e.Content, e.Masked = shown, true
	}
	return e, nil
}
