package api

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/directory"
	"github.com/assent-run/assent/internal/port"
)

const (
	headerUser    = "X-Assent-User"
	headerRoles   = "X-Assent-Roles"
	headerConsole = "X-Assent-Token"
)

func (s *Server) local() bool { return s.o.Auth == nil || s.o.Auth.SignInMethods().Local() }

// guard refuses cross-site requests from a browser. In local mode the address has to name this machine: with a foreign
// name that resolves to it (DNS rebinding), the browser would treat it as that site's server.
func (s *Server) guard(r *http.Request) error {
	if s.local() && !loopback(r.Host) {
		return fault.New(fault.Forbidden, "this server accepts only requests addressed to this machine, and the "+
			"Host header names another one",
			"use http://localhost or http://127.0.0.1")
	}
	if err := s.origins.Check(r); err != nil {
		return foreign()
	}
	return nil
}

func foreign() error {
	return fault.New(fault.Forbidden, "this request comes from another site",
		"call the API from a program, or from pages of this server")
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

// sameOrigin reports whether a request comes from no page, or from one of this server. It is for WebSockets, which
// browsers let any page open.
func (s *Server) sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return r.Header.Get("Sec-Fetch-Site") != "cross-site"
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && slices.ContainsFunc(append(s.ownHosts(), r.Host),
		func(h string) bool { return strings.EqualFold(h, u.Host) })
}

// ownHosts are the hosts under which browsers reach this server, in addition to those in requests.
func (s *Server) ownHosts() []string {
	if s.o.PublicURL == nil {
		return nil
	}
	return []string{s.o.PublicURL.Host}
}

// identify authenticates the caller. A token takes precedence over a cookie, and invalid credentials are never skipped
// in favour of others.
func (s *Server) identify(ctx context.Context, c *call) (err error) {
	defer func() {
		c.who = asWho(c.how)
		if err == nil {
			c.who, err = s.app.Rights.WithStandIns(ctx, c.who)
		}
		err = s.withWays(err)
	}()
	credential, given, err := bearer(c.r.Header)
	if err != nil {
		return err
	}
	named := c.r.Header.Get(headerUser) != "" || c.r.Header.Get(headerRoles) != ""
	switch {
	case c.op.Console && s.atConsole(c.r):
		c.how = port.Identity{Name: "console", Kind: run.Person, Roles: []string{gate.RoleAdmin}, Method: port.ByConsole}
		return nil
	case named && (given || !s.local()):
		return fault.New(fault.Forbidden, headerUser+" and "+headerRoles+" are only available in local mode without a token",
			"remove them (in the terminal: --user and --role); your identity follows from your sign-in")
	case given && s.o.Auth == nil:
		return fault.New(fault.Unauthenticated, "tokens are not enabled on this server", "remove the Authorization header")
	case given:
		c.how, err = s.o.Auth.Bearer(ctx, credential)
		return err
	case s.local():
		c.how, err = localWho(c.r.Header)
		return err
	}
	cookie, ok := s.sessionCookie(c.r)
	if !ok {
		return fault.New(fault.Unauthenticated, "the request has no valid credentials",
			"sign in, or send a token as Authorization: Bearer …")
	}
	c.how, err = s.o.Auth.Cookie(ctx, cookie)
	return err
}

// asWho is an identity as the use cases know it.
func asWho(i port.Identity) app.Who {
	return app.Who{Name: i.Name, Kind: i.Kind, Issuer: i.Issuer, Subject: i.Subject, Roles: i.Roles,
		SignedIn: i.Method != port.ByNothing, ByToken: i.Method == port.ByToken || i.Method == port.ByJWT}
}

// withWays adds the sign-in methods to an error for callers who have to sign in.
func (s *Server) withWays(err error) error {
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.Unauthenticated {
		return err
	}
	return fault.New(f.Code, f.Message, f.Hint).With("sign_in", s.signInView())
}

// bearer finds the token of a request. Other schemes are ignored: proxies have their own.
func bearer(h http.Header) (credential string, given bool, err error) {
	values := h.Values("Authorization")
	if len(values) == 0 {
		return "", false, nil
	}
	if len(values) > 1 {
		return "", true, fault.New(fault.Unauthenticated, "more than one Authorization header", "send one token")
	}
	scheme, rest, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", false, nil
	}
	return strings.TrimSpace(rest), true, nil
}

// atConsole reports whether a request comes from a caller who can read the data directory.
func (s *Server) atConsole(r *http.Request) bool {
	return s.o.Console != "" && subtle.ConstantTimeCompare([]byte(r.Header.Get(headerConsole)), []byte(s.o.Console)) == 1
}

// accompany ends a stream when its watcher is no longer signed in, or has other roles: they may see different events
// then.
func (s *Server) accompany(ctx context.Context, c *call, end context.CancelFunc) {
	if s.local() && c.how.Method == port.ByNothing {
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(s.pace.beat):
		}
		again := &call{r: c.r, op: c.op}
		if err := s.identify(ctx, again); fault.Is(err, fault.Unauthenticated) ||
			err == nil && (again.who.Actor() != c.who.Actor() || !slices.Equal(again.who.Roles, c.who.Roles) ||
				!sameStanding(again.who, c.who)) {
			end()
			return
		}
	}
}

// sameStanding reports whether a person stands in for the same people as before.
func sameStanding(a, b app.Who) bool {
	return slices.EqualFunc(a.For, b.For, func(x, y access.Substitute) bool {
		return x.Name == y.Name &&
			slices.Equal(x.Roles, y.Roles)
	})
}

// localWho is the person named by the headers, or the local admin.
func localWho(h http.Header) (port.Identity, error) {
	name, roles := h.Get(headerUser), h.Get(headerRoles)
	if name == "" && roles == "" {
		admin := app.LocalAdmin
		return port.Identity{Name: admin.Name, Kind: admin.Kind, Roles: admin.Roles, Method: port.ByNothing}, nil
	}
	if !directory.GoodName(name) {
		return port.Identity{}, problem.Invalid(headerUser,
			"expected a name of 1 to %d printable characters without commas", nameMax)
	}
	who := port.Identity{Name: name, Kind: run.Person, Method: port.ByNothing}
	for role := range strings.SplitSeq(roles, ",") {
		role = strings.TrimSpace(role)
		if role == "" {
			continue
		}
		if !directory.GoodName(role) || len(who.Roles) == rolesMax {
			return port.Identity{}, problem.Invalid(headerRoles,
				"expected at most %d comma-separated names of 1 to %d characters", rolesMax, nameMax)
		}
		who.Roles = append(who.Roles, role)
	}
	return who, nil
}

// someone is the person that a question is about: the caller, a person with an account, or a hypothetical one with
// some roles.
func (s *Server) someone(c *call, name string, roles []string) (app.Who, error) {
	about := app.Who{Name: name, Kind: run.Person, Roles: roles, SignedIn: !s.local()}
	if name == "" || name == c.who.Name && c.who.Kind == run.Person {
		about.Name, about.Kind, about.Issuer, about.Subject = c.who.Name, c.who.Kind, c.who.Issuer, c.who.Subject
	}
	for _, word := range append(roles, about.Name) {
		if !directory.GoodName(word) || len(roles) > rolesMax {
			return app.Who{}, problem.Invalid("user",
				"expected names of 1 to %d characters, and at most %d roles", nameMax, rolesMax)
		}
	}
	switch {
	case len(roles) > 0:
		return about, nil
	case about.Key() == c.who.Key():
		return c.who, nil
	}
	// Callers who may not ask don't learn who has an account.
	if err := s.app.Rights.MayExplain(c.who, name); err != nil {
		return app.Who{}, err
	}
	held, err := s.app.Rights.HolderOf(c, name)
	if fault.Is(err, fault.NotFound) && s.local() {
		return about, nil
	}
	held.SignedIn = !s.local()
	return held, err
}

const (
	nameMax  = 128
	rolesMax = 32
)

// address is the client address of a request. X-Forwarded-For is trusted only from a known proxy, and only its last
// part: the proxy did not verify the rest.
func (s *Server) address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	said := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for s.proxy(host) && len(said) > 0 {
		last := strings.TrimSpace(said[len(said)-1])
		if _, err := netip.ParseAddr(last); err != nil {
			break
		}
		host, said = last, said[:len(said)-1]
	}
	return host
}

func (s *Server) proxy(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && slices.ContainsFunc(s.o.Proxies, func(p netip.Prefix) bool { return p.Contains(ip.Unmap()) })
}

var errDraining = fmt.Errorf("the server is about to stop: %w", port.ErrUnavailable)
