package api

import (
	"errors"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/deliverables"
	"github.com/assent-run/assent/internal/media"
	"github.com/assent-run/assent/internal/port"
)

func deliverableHandlers() handlers {
	return handlers{
		"listDeliverables":        {do: (*Server).listDeliverables},
		"getDeliverable":          {do: (*Server).getDeliverable},
		"downloadDeliverable":     {flow: (*Server).downloadDeliverable},
		"previewDeliverable":      {flow: (*Server).previewDeliverable},
		"listDeliverableVersions": {do: (*Server).listDeliverableVersions},
		"markDeliverable":         {do: (*Server).markDeliverable},
	}
}

func (s *Server) listDeliverables(c *call) (reply, error) {
	since, until, err := s.span(c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Lists(c.who).Deliverables(c, port.DeliverableQuery{
		Since: since, Until: until,
		Run: c.query.Text("run"), Agent: c.query.Text("agent"), Type: c.query.Text("type"), Status: c.query.Text("status"),
		Cursor: c.query.Text("cursor"), Limit: c.query.Limit(),
	})
	return reply{body: v}, err
}

func (s *Server) getDeliverable(c *call) (reply, error) {
	v, err := s.app.Deliverables.Show(c, c.who, c.path("id"))
	return reply{body: v}, err
}

func (s *Server) listDeliverableVersions(c *call) (reply, error) {
	v, err := s.app.Deliverables.Versions(c, c.who, c.path("id"), c.query.Text("cursor"), c.query.Limit())
	return reply{body: v}, err
}

func (s *Server) markDeliverable(c *call) (reply, error) {
	m, err := read[deliverables.Mark](c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Deliverables.Mark(c, c.who, c.path("id"), m, c.commandID(), s.keep(c))
	return reply{body: v}, err
}

// previewDeliverable serves content that is safe inside our own pages. The headers also protect a browser that opens
// it directly: nothing is executed, nothing is loaded, and no other site's page gets it.
func (s *Server) previewDeliverable(c *call, w http.ResponseWriter) error {
	v, e, err := s.app.Deliverables.Preview(c, c.who, c.path("id"), c.query.Flag("full"))
	if fault.Is(err, fault.Unsupported) {
		err = problem.WithStatus(http.StatusUnsupportedMediaType, err)
	}
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", e.MIME)
	if e.Show == media.AsText {
		h.Set("Content-Type", e.MIME+"; charset=utf-8")
	}
	dispose(h, "inline", v.Name)
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'self'")
	h.Set("X-Frame-Options", "SAMEORIGIN")
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Content-Length", strconv.Itoa(len(e.Content)))
	h.Set(headerCut, strconv.FormatBool(e.Cut))
	if e.Masked {
		h.Set(headerMasked, "true")
	}
	_, _ = patient(w).Write(e.Content) // a client that disconnected is not an error
	return nil
}

// headerMasked reports that something in a preview is masked for the reader.
const headerMasked = "X-Assent-Masked"

// headerCut reports whether a preview is cut off.
const headerCut = "X-Assent-Cut"

func (s *Server) downloadDeliverable(c *call, w http.ResponseWriter) (err error) {
	v, content, err := s.app.Deliverables.Content(c, c.who, c.path("id"))
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

// contentWriter replaces the error responses of http.ServeContent by our own.
type contentWriter struct {
	http.ResponseWriter
	refused error
}

func (w *contentWriter) WriteHeader(status int) {
	switch status {
	case http.StatusRequestedRangeNotSatisfiable:
		w.refused = problem.WithStatus(status,
			fault.New(fault.Invalid, "the range is not available", "request a smaller range, or everything"))
	case http.StatusPreconditionFailed:
		w.refused = problem.WithStatus(status,
			fault.New(fault.VersionMismatch, "it has changed in the meantime", "request it again"))
	default:
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *contentWriter) Write(b []byte) (int, error) {
	if w.refused != nil {
		return len(b), nil // drop its error message
	}
	return w.ResponseWriter.Write(b)
}

// attach makes browsers download agents' files, and never show them as a page of ours.
func attach(h http.Header, name string) {
	dispose(h, "attachment", name)
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
}

// dispose sets how a browser treats content, and its file name. Names are chosen by agents: misleading characters are
// removed.
func dispose(h http.Header, how, name string) {
	disposition := mime.FormatMediaType(how, map[string]string{"filename": media.File(name)})
	if disposition == "" {
		disposition = how
	}
	h.Set("Content-Disposition", disposition)
}

// harmlessTypes are those that no browser executes.
var harmlessTypes = []string{
	"text/plain", "text/csv", "text/tab-separated-values", "text/markdown", "application/json", "application/x-ndjson",
	"application/yaml", "application/toml", "application/pdf", "application/zip",
	"image/png", "image/jpeg", "image/gif", "image/webp", "audio/mpeg", "audio/wav", "video/mp4", "video/webm",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation",
}

// harmless is the type that content is served with.
func harmless(declared string) string {
	kind, _, err := mime.ParseMediaType(declared)
	switch {
	case err == nil && strings.HasPrefix(kind, "text/x-"): // source code; browsers need not know the language
		return "text/plain; charset=utf-8"
	case err != nil || !slices.Contains(harmlessTypes, kind):
		return media.Unknown
	case strings.HasPrefix(kind, "text/"):
		return kind + "; charset=utf-8"
	}
	return kind
}

func (s *Server) zipDeliverables(c *call, w http.ResponseWriter) error {
	return s.app.Deliverables.Zip(c, c.who, c.path("id"), &zipWriter{w: patient(w), name: c.path("id") + ".zip"})
}

// zipWriter sends the headers of a file with its first bytes: until then an error can be reported.
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
	// If deadlines can't be set, the server's own apply.
	_ = p.control.SetWriteDeadline(time.Now().Add(pieceMax))
	return p.ResponseWriter.Write(b)
}
