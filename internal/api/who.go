package api

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

const (
	headerUser  = "X-Assent-User"
	headerRoles = "X-Assent-Roles"
)

func (s *Server) local() bool { return s.o.Identify == nil }

// guard refuses what a web page of somebody else made a browser send. In local
// mode the address has to name this machine: a foreign name that resolves to it
// (DNS rebinding) would make the browser think it talks to that page's server.
func (s *Server) guard(r *http.Request) error {
	if s.local() && !loopback(r.Host) {
		return fault.New(fault.Forbidden, "this server is for this machine only, and the address names another host", "use http://localhost or http://127.0.0.1")
	}
	if err := s.origins.Check(r); err != nil {
		return foreign()
	}
	return nil
}

func foreign() error {
	return fault.New(fault.Forbidden, "this request comes from another site", "call the API from a program, or from pages of this server")
}

// loopback reports whether a Host header names this machine.
func loopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// sameOrigin reports whether a request comes from no page, or from one of this
// server. It is for WebSockets, which browsers open to anybody.
func sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return r.Header.Get("Sec-Fetch-Site") != "cross-site"
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// identify says who asks.
func (s *Server) identify(r *http.Request) (app.Who, error) {
	if s.local() {
		return localWho(r.Header)
	}
	if r.Header.Get(headerUser) != "" || r.Header.Get(headerRoles) != "" {
		return app.Who{}, fault.New(fault.Forbidden, headerUser+" and "+headerRoles+" are for local mode only", "sign in")
	}
	who, err := s.o.Identify(r)
	if err != nil && fault.CodeOf(err) == "" && !errors.Is(err, port.ErrUnavailable) {
		err = fault.New(codeUnauthenticated, "it is not clear who asks", "sign in, or send a token as Authorization: Bearer …")
	}
	return who, err
}

// localWho is whoever the headers name, or the local admin.
func localWho(h http.Header) (app.Who, error) {
	name, roles := h.Get(headerUser), h.Get(headerRoles)
	if name == "" && roles == "" {
		return app.LocalAdmin, nil
	}
	if !goodName(name) {
		return app.Who{}, invalid(headerUser, "expected a name of 1 to %d characters", nameMax)
	}
	who := app.Who{Name: name, Kind: run.Person}
	for role := range strings.SplitSeq(roles, ",") {
		role = strings.TrimSpace(role)
		if role == "" {
			continue
		}
		if !goodName(role) || len(who.Roles) == rolesMax {
			return app.Who{}, invalid(headerRoles, "expected at most %d names of 1 to %d characters, with commas between them", rolesMax, nameMax)
		}
		who.Roles = append(who.Roles, role)
	}
	return who, nil
}

const (
	nameMax  = 128
	rolesMax = 32
)

// goodName reports whether a name can stand in lists, logs and commands.
func goodName(s string) bool {
	return s != "" && len(s) <= nameMax && utf8.ValidString(s) && s == strings.TrimSpace(s) &&
		strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// secure sets the headers that hold for everything the API says.
func secure(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
}

var errDraining = fmt.Errorf("the server is about to stop: %w", port.ErrUnavailable)
