package api

import (
	"net/http"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

const (
	// Browsers restrict a __Host- cookie to this very host, and to https.
	cookieSecure = "__Host-assent"
	cookiePlain  = "assent"
	tripSuffix   = "-sign-in" // while the person is at the identity provider

	passwordBodyMax = 16 << 10
)

func accessHandlers() handlers {
	return handlers{
		"getSignIn":    {do: func(s *Server, _ *call) (reply, error) { return reply{body: s.signInView()}, nil }},
		"signIn":       {flow: (*Server).signIn},
		"signOut":      {flow: (*Server).signOut},
		"beginSignIn":  {flow: (*Server).beginSignIn},
		"finishSignIn": {flow: (*Server).finishSignIn},
	}
}

func (s *Server) signInView() contract.SignInView {
	if s.local() {
		return contract.SignInView{}
	}
	ways := s.o.Auth.SignInMethods()
	v := contract.SignInView{Needed: true, Password: ways.Password}
	if ways.Provider {
		v.OIDC = &contract.ProviderView{Label: ways.Label, URL: contract.PathOIDC}
	}
	return v
}

func (s *Server) signIn(c *call, w http.ResponseWriter) error {
	b, err := read[contract.SignIn](c)
	if err != nil {
		return err
	}
	if s.local() {
		return fault.New(fault.Unsupported, "sign-in is not enabled on this server", "remove this field")
	}
	in, err := s.o.Auth.SignIn(c, b.Name, b.Password, s.address(c.r))
	if err != nil {
		return s.withWays(err)
	}
	if err := s.enter(c, w, in); err != nil {
		return err
	}
	body, err := value.Marshal(s.meOf(in.Identity))
	if err != nil {
		return err
	}
	problem.Send(w, http.StatusOK, body)
	return nil
}

// enter gives a browser its new session, and ends the previous one: a secret known before the sign-in is worthless
// after it.
func (s *Server) enter(c *call, w http.ResponseWriter, in port.SignedIn) error {
	if old, ok := s.sessionCookie(c.r); ok {
		if who, err := s.o.Auth.Cookie(c, old); err == nil {
			if _, err := s.o.Auth.SignOut(c, who, false); err != nil {
				return err
			}
		}
	}
	c.how = in.Identity
	c.who = asWho(in.Identity)
	s.setCookie(w, s.cookieName(), in.Secret, in.ExpiresAt)
	return nil
}

func (s *Server) signOut(c *call, w http.ResponseWriter) error {
	b, err := read[contract.SignOut](c)
	if err != nil {
		return err
	}
	out := contract.SignedOut{}
	if s.o.Auth != nil {
		if out.Ended, err = s.o.Auth.SignOut(c, c.how, b.Everywhere); err != nil {
			return err
		}
	}
	s.setCookie(w, s.cookieName(), "", time.Time{})
	body, err := value.Marshal(out)
	if err != nil {
		return err
	}
	problem.Send(w, http.StatusOK, body)
	return nil
}

func (s *Server) beginSignIn(c *call, w http.ResponseWriter) error {
	if s.local() {
		return fault.New(fault.Unsupported, "sign-in is not enabled on this server", "remove this field")
	}
	d, err := s.o.Auth.Begin(c, c.query.Text("return"))
	if err != nil {
		return s.afterSignIn(c, w, err)
	}
	s.setCookie(w, s.cookieName()+tripSuffix, d.Secret, d.Until)
	redirect(w, d.URL)
	return nil
}

func (s *Server) finishSignIn(c *call, w http.ResponseWriter) error {
	if s.local() {
		return fault.New(fault.Unsupported, "sign-in is not enabled on this server", "remove this field")
	}
	a := port.AuthCallback{Code: c.query.Text("code"), State: c.query.Text("state"), Issuer: c.query.Text("iss"),
		Error: c.query.Text("error")}
	if cookie, err := c.r.Cookie(s.cookieName() + tripSuffix); err == nil {
		a.Secret = cookie.Value
	}
	s.setCookie(w, s.cookieName()+tripSuffix, "", time.Time{})
	in, err := s.o.Auth.Finish(c, a)
	if err == nil {
		err = s.enter(c, w, in)
	}
	if err != nil {
		return s.afterSignIn(c, w, err)
	}
	redirect(w, in.ReturnTo)
	return nil
}

// afterSignIn reports an error: people at a browser get a page, which shows the code alone, and operators find the
// details in the log.
func (s *Server) afterSignIn(c *call, w http.ResponseWriter, err error) error {
	err = s.withWays(err)
	p := problem.Of(err)
	s.o.Log.Warn("the identity provider denied the sign-in", "code", p.Code, "why", err.Error())
	if !strings.Contains(c.r.Header.Get("Accept"), "text/html") {
		return err
	}
	redirect(w, "/?sign_in="+string(p.Code))
	return nil
}

// redirect sends a browser elsewhere, without a referrer.
func redirect(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusSeeOther)
}

// https reports whether browsers reach us by TLS.
func (s *Server) https() bool { return s.o.PublicURL != nil && s.o.PublicURL.Scheme == "https" }

func (s *Server) cookieName() string {
	if s.https() {
		return cookieSecure
	}
	return cookiePlain
}

// sessionCookie finds the secret of a session. Two cookies of one name count as none: one may have been injected.
func (s *Server) sessionCookie(r *http.Request) (string, bool) {
	found := r.CookiesNamed(s.cookieName())
	if len(found) != 1 || found[0].Value == "" {
		return "", false
	}
	return found[0].Value, true
}

// setCookie sets a cookie that scripts can't read; without a value it is deleted.
func (s *Server) setCookie(w http.ResponseWriter, name, text string, until time.Time) {
	cookie := &http.Cookie{Name: name, Value: text, Path: "/", HttpOnly: true, Secure: s.https(),
		SameSite: http.SameSiteLaxMode, MaxAge: -1}
	if text != "" {
		cookie.MaxAge = max(1, int(until.Sub(s.app.Now()).Seconds()))
	}
	http.SetCookie(w, cookie)
}
