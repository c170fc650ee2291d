package api

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// packMin is from how many bytes on an answer is sent packed to whoever takes
// it so. Less fits into the first packets as it is; a page of the inbox becomes
// a tenth, which on a phone is what people wait for.
const packMin = 4 << 10

var packers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is one that there is
	return z
}}

// sendPacked writes a JSON answer packed, if that is worth it and the client
// wants it; else it does nothing. An answer with an ETag stays as it is: the
// tag names these bytes.
func sendPacked(w http.ResponseWriter, r *http.Request, status int, body []byte) bool {
	h := w.Header()
	if len(body) < packMin || status != http.StatusOK || h.Get("ETag") != "" {
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
	_, _ = w.Write(b.Bytes()) // a client that went away is no error of ours
	return true
}

// takesGzip reads an Accept-Encoding header; "gzip;q=0" is a no.
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
