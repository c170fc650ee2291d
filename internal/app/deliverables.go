package app

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
)

// DeliverableView is a result for people.
type DeliverableView struct {
	ID          string    `json:"id"`
	Run         string    `json:"run"`
	Workflow    string    `json:"workflow"`
	Step        string    `json:"step"`
	Agent       string    `json:"agent"`
	Name        string    `json:"name"`
	Type        string    `json:"type"`
	Status      string    `json:"status"`
	MIME        string    `json:"mime_type"`
	Description string    `json:"description"`
	URL         *string   `json:"url"` // where it lies outside
	Size        int64     `json:"size"`
	Version     int       `json:"version"`
	CreatedAt   time.Time `json:"created_at"`
}

func viewDeliverable(r port.DeliverableRow) (DeliverableView, error) {
	return DeliverableView{
		ID: r.ID, Run: r.Run, Workflow: r.Workflow, Step: r.Step, Agent: r.Agent, Name: r.Name, Type: r.Type, Status: r.Status, MIME: r.MIME,
		Description: r.Description, URL: text(r.URL), Size: r.Size, Version: r.Version, CreatedAt: r.CreatedAt,
	}, nil
}

// Deliverables lists results, newest first.
func (a *App) Deliverables(ctx context.Context, who Who, q port.DeliverableQuery) (ListView[DeliverableView], error) {
	if err := a.may(who, View, ""); err != nil {
		return ListView[DeliverableView]{}, err
	}
	page, err := a.Store.Deliverables(ctx, q)
	if err != nil {
		return ListView[DeliverableView]{}, err
	}
	return viewPage(page, viewDeliverable)
}

// Deliverable shows one.
func (a *App) Deliverable(ctx context.Context, who Who, id string) (DeliverableView, error) {
	row, err := a.Store.Deliverable(ctx, id)
	if err == nil {
		err = a.may(who, View, row.Workflow)
	}
	if err != nil {
		return DeliverableView{}, err
	}
	return viewDeliverable(row)
}

// Content opens the bytes of a deliverable.
func (a *App) Content(ctx context.Context, who Who, id string) (DeliverableView, io.ReadSeekCloser, error) {
	row, err := a.Store.Deliverable(ctx, id)
	if err == nil {
		err = a.may(who, View, row.Workflow)
	}
	if err != nil {
		return DeliverableView{}, nil, err
	}
	v, err := viewDeliverable(row)
	if err != nil {
		return v, nil, err
	}
	if row.Blob == "" {
		return v, nil, fault.New(fault.NotFound, "the bytes of this deliverable are not here", "see its url")
	}
	content, _, err := a.Store.OpenBlob(ctx, row.Blob)
	return v, content, err
}

// Zip writes all deliverables of a run whose bytes are here, as they are read.
func (a *App) Zip(ctx context.Context, who Who, run string, w io.Writer) error {
	if _, err := a.run(ctx, who, View, run); err != nil {
		return err
	}
	z := zip.NewWriter(w)
	taken := map[string]int{}
	for cursor, more := "", true; more; more = cursor != "" {
		page, err := a.Store.Deliverables(ctx, port.DeliverableQuery{Run: run, Cursor: cursor, Limit: 100})
		if err != nil {
			return err
		}
		for _, row := range page.Items {
			if row.Blob == "" {
				continue
			}
			if err := a.addToZip(ctx, z, row, fileName(row.Name, taken)); err != nil {
				return fmt.Errorf("add %s: %w", row.ID, err)
			}
		}
		cursor = page.Next
	}
	return z.Close()
}

func (a *App) addToZip(ctx context.Context, z *zip.Writer, row port.DeliverableRow, name string) (err error) {
	content, _, err := a.Store.OpenBlob(ctx, row.Blob)
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

// fileName makes a name that stays inside the folder it is unpacked to, and is
// taken only once.
func fileName(name string, taken map[string]int) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, name)
	name = strings.TrimLeft(path.Clean("/"+name), "/")
	if name == "" {
		name = "deliverable"
	}
	taken[name]++
	if n := taken[name]; n > 1 {
		ext := path.Ext(name)
		return fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(name, ext), n, ext)
	}
	return name
}
