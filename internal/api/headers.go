package api

import (
	"net/http"
	"time"
)

// secure sets the headers of every response, pages included; handlers override them later where needed. Nothing is
// cached on the way unless that is allowed.
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

// impatient limits the time for a body to arrive, whether or not it is read.
func (s *Server) impatient(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		// If deadlines can't be set, the server's own apply.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.pace.body))
	}
}

// arrived lifts the deadline: anything left to read is the next request.
func arrived(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	}
}
