// Package pack sends responses compressed to clients that accept it.
package pack

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// Min is the size in bytes from which a response is compressed. Smaller ones fit into the first packets anyway; a page
// of the inbox shrinks to a tenth, which matters on a phone.
const Min = 4 << 10

var packers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
	return z
}}

// Send writes a JSON response compressed if that is worth it and the client accepts
// it; otherwise it writes nothing and returns false. A response with an ETag is never
// compressed: the tag names its bytes.
func Send(w http.ResponseWriter, r *http.Request, status int, body []byte) bool {
	h := w.Header()
	if len(body) < Min || status != http.StatusOK || h.Get("ETag") != "" {
		return false
	}
	h.Add("Vary", "Accept-Encoding")
	if !takesGzip(r.Header.Get("Accept-Encoding")) {
		return false
	}
	var b bytes.Buffer
	z, _ := packers.Get().(*gzip.Writer)
	z.Reset(&b)
	_, _ = z.Write(body) // a buffer takes everything
	_, _ = z.Write([]byte{'\n'})
	_ = z.Close()
	packers.Put(z)
	h.Set("Content-Type", "application/json")
	h.Set("Content-Encoding", "gzip")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a client that disconnected is not an error
	return true
}

// takesGzip reads an Accept-Encoding header; "gzip;q=0" is a refusal.
func takesGzip(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, q, weighed := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			q = strings.TrimPrefix(strings.ReplaceAll(q, " ", ""), "q=")
			return !weighed || strings.Trim(q, "0.") != ""
		}
	}
	return false
}
