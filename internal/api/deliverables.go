package api

import (
	"errors"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
)

func deliverableOperations() []operation {
	all, one := base+"/deliverables", base+"/deliverables/{id}"
	return []operation{
		{
			method: "GET", path: all, id: "listDeliverables", tag: "Deliverables", summary: "List results for people, newest first", gives: app.ListView[app.DeliverableView]{},
			params: append([]param{
				{name: "run", doc: "Only those of this run."},
				{name: "agent", doc: "Only those that this agent made."},
				{name: "type", doc: "Only those of this type."},
				{name: "status", doc: "Only those that stand so."},
			}, paging...),
			do: (*Server).listDeliverables,
		},
		{
			method: "GET", path: one, id: "getDeliverable", tag: "Deliverables", summary: "Show what is known about a deliverable",
			gives: app.DeliverableView{}, do: (*Server).getDeliverable,
		},
		{
			method: "GET", path: one + "/content", id: "downloadDeliverable", tag: "Deliverables", summary: "Download a deliverable",
			description: "Always as an attachment. Range requests are fine.", media: "application/octet-stream", also: http.StatusPartialContent, tagged: true, flow: (*Server).downloadDeliverable,
		},
	}
}

func (s *Server) listDeliverables(c *call) (reply, error) {
	v, err := s.app.Deliverables(c, c.who, port.DeliverableQuery{
		Run: c.query.text("run"), Agent: c.query.text("agent"), Type: c.query.text("type"), Status: c.query.text("status"),
		Cursor: c.query.text("cursor"), Limit: c.query.limit(),
	})
	return reply{body: v}, err
}

func (s *Server) getDeliverable(c *call) (reply, error) {
	v, err := s.app.Deliverable(c, c.who, c.path("id"))
	return reply{body: v}, err
}

func (s *Server) downloadDeliverable(c *call, w http.ResponseWriter) (err error) {
	v, content, err := s.app.Content(c, c.who, c.path("id"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	h := w.Header()
	h.Set("Content-Type", harmless(v.MIME))
	attach(h, v.Name)
	h.Set("ETag", `"`+v.ID+"."+short([]byte(v.CreatedAt.String()))+`"`)
	h.Set("Cache-Control", "private, no-cache")
	out := &contentWriter{ResponseWriter: patient(w)}
	http.ServeContent(out, c.r, "", v.CreatedAt, content)
	if out.refused != nil {
		for _, name := range []string{"Content-Disposition", "Content-Length", "Content-Range", "ETag", "Last-Modified"} {
			h.Del(name)
		}
	}
	return out.refused
}

// contentWriter lets us say ourselves what http.ServeContent refuses.
type contentWriter struct {
	http.ResponseWriter
	refused error
}

func (w *contentWriter) WriteHeader(status int) {
	switch status {
	case http.StatusRequestedRangeNotSatisfiable:
		w.refused = withStatus(status, fault.New(fault.Invalid, "there is no such range", "ask for less, or for all of it"))
	case http.StatusPreconditionFailed:
		w.refused = withStatus(status, fault.New(fault.VersionMismatch, "it changed meanwhile", "ask for it again"))
	default:
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *contentWriter) Write(b []byte) (int, error) {
	if w.refused != nil {
		return len(b), nil // their words
	}
	return w.ResponseWriter.Write(b)
}

// attach makes browsers store what agents made, and never show it as a page of ours.
func attach(h http.Header, name string) {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	if name == "" {
		name = "deliverable"
	}
	disposition := mime.FormatMediaType("attachment", map[string]string{"filename": name})
	if disposition == "" {
		disposition = "attachment"
	}
	h.Set("Content-Disposition", disposition)
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
}

// harmlessTypes are those that no browser runs.
var harmlessTypes = []string{
	"text/plain", "text/csv", "text/markdown", "application/json", "application/yaml", "application/pdf", "application/zip",
	"image/png", "image/jpeg", "image/gif", "image/webp", "audio/mpeg", "audio/wav", "video/mp4", "video/webm",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation",
}

// harmless is the type under which content is handed out.
func harmless(declared string) string {
	media, _, err := mime.ParseMediaType(declared)
	switch {
	case err != nil || !slices.Contains(harmlessTypes, media):
		return "application/octet-stream"
	case strings.HasPrefix(media, "text/"):
		return media + "; charset=utf-8"
	}
	return media
}

func (s *Server) zipDeliverables(c *call, w http.ResponseWriter) error {
	return s.app.Zip(c, c.who, c.path("id"), &zipWriter{w: patient(w), name: c.path("id") + ".zip"})
}

// zipWriter says that a file follows when its first bytes do: until then an
// error can be told.
type zipWriter struct {
	w     http.ResponseWriter
	name  string
	begun bool
}

func (z *zipWriter) Write(b []byte) (int, error) {
	if !z.begun {
		z.begun = true
		z.w.Header().Set("Content-Type", "application/zip")
		attach(z.w.Header(), z.name)
	}
	return z.w.Write(b)
}

// patient gives a client time for every piece, however long the whole takes.
func patient(w http.ResponseWriter) http.ResponseWriter {
	return &patientWriter{ResponseWriter: w, control: http.NewResponseController(w)}
}

type patientWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

// pieceMax is how long a client may take to accept what fits into its buffers.
const pieceMax = 30 * time.Second

func (p *patientWriter) Write(b []byte) (int, error) {
	// Where deadlines cannot be set, the server's own hold.
	_ = p.control.SetWriteDeadline(time.Now().Add(pieceMax))
	return p.ResponseWriter.Write(b)
}
