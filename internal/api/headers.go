package api

import (
	"net/http"
	"time"
)

// secure sets the headers that hold for everything the server says, pages
// included; those that know better say so later. Nothing is kept by anybody on
// the way unless it may be.
func (s *Server) secure(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
	if s.https() {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// impatient gives a body some time to arrive, whether or not somebody reads it.
func (s *Server) impatient(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		// Where deadlines cannot be set, the server's own hold.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.pace.body))
	}
}

// arrived lifts the deadline: what is left to read is the next request.
func arrived(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	}
}
