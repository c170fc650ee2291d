// Package record follows a request from its first byte to its last: the caller, the operation, its outcome, and how
// long it took.
//
//	rec := record.New(w, r)
//	rec.Patience = time.Minute
//	handler.ServeHTTP(rec, r)
//	metrics.Count(rec, r.Method, time.Since(rec.Began))
package record

import (
	"crypto/rand"
	"net/http"
	"time"

	"github.com/assent-run/assent/internal/api/traffic"
)

// Recorder records the outcome of a request. It sends the response in parts, so that a client that stops reading is
// dropped.
type Recorder struct {
	http.ResponseWriter
	ID     string
	Began  time.Time
	Route  string
	Stream bool // it manages its own deadlines, and may take any time
	Who    string
	Trace  string // id of the caller's trace, if it is recorded; empty: none
	Status int
	Bytes  int64
	Err    error
	Turn   *traffic.Turn // of a response that is created while it is sent; nil: none
	unsent int           // bytes since the last wait for the client

	Patience time.Duration // with the client that reads the response
}

// New begins a record. The request keeps its own id if that is sane.
func New(w http.ResponseWriter, r *http.Request) *Recorder {
	id := r.Header.Get("X-Request-Id")
	if !sane(id) {
		id = rand.Text()
	}
	return &Recorder{ResponseWriter: w, ID: id, Began: time.Now()}
}

// sane reports whether a request id from outside is safe to log.
func sane(id string) bool {
	if id == "" || len(id) > 128 {
		return false
	}
	for _, c := range []byte(id) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.', c == ':':
		default:
			return false
		}
	}
	return true
}

// Unwrap lets http.ResponseController reach the connection.
func (r *Recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (r *Recorder) WriteHeader(status int) {
	if r.Status == 0 {
		r.Status = status
		r.wait()
		if h := r.Header(); status >= http.StatusBadRequest && h.Get("Cache-Control") == "" {
			h.Set("Cache-Control", "no-store") // http.Error deletes it
		}
	}
	r.ResponseWriter.WriteHeader(status)
}

const (
	// writeAtOnce is the size of a part that a client gets some time for. A client that reads less is gone, or stalls
	// on purpose.
	writeAtOnce = 64 << 10
	// mayBlock is the number of bytes from which net/http sends them to the client.
	mayBlock = 2 << 10
)

// wait gives the client time to receive the next part. Streams do that themselves.
func (r *Recorder) wait() {
	if !r.Stream {
		// If deadlines can't be set, the server's own apply.
		_ = http.NewResponseController(r.ResponseWriter).SetWriteDeadline(time.Now().Add(r.Patience))
	}
}

// Write implements http.ResponseWriter.
func (r *Recorder) Write(b []byte) (written int, err error) {
	if r.Status == 0 {
		r.Status = http.StatusOK
		r.wait()
	}
	for {
		n, err := r.part(b[:min(len(b), writeAtOnce)])
		written += n
		r.Bytes += int64(n)
		if b = b[n:]; err != nil || len(b) == 0 {
			return written, err
		}
	}
}

// part sends a part of a response. While the client receives it, others have a turn.
func (r *Recorder) part(b []byte) (n int, err error) {
	if r.unsent += len(b); r.unsent < mayBlock {
		return r.ResponseWriter.Write(b)
	}
	r.unsent = 0
	r.wait()
	if r.Turn == nil {
		return r.ResponseWriter.Write(b)
	}
	r.Turn.Give()
	n, err = r.ResponseWriter.Write(b)
	if err == nil {
		err = r.Turn.Take()
	}
	return n, err
}
