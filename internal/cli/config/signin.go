package config

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/definition"
)

// SignIn configures how people sign in. The names of its fields are those of the settings.
type SignIn struct {
	How            string // none, local, oidc or both
	PublicURL      string
	TrustedProxies []netip.Prefix
	SessionIdle    time.Duration
	SessionMax     time.Duration

	OIDCIssuer       string
	OIDCClientID     string
	OIDCClientSecret definition.Secret
	OIDCScopes       []string
	OIDCNameClaim    string
	OIDCGroupsClaim  string
	OIDCRoles        map[string][]string
	OIDCAudiences    []string
	OIDCLabel        string
}

// Accounts reports whether people may sign in with a password.
func (s *SignIn) Accounts() bool { return s.How == "local" || s.How == "both" }

// OIDC reports whether people may sign in at an identity provider.
func (s *SignIn) OIDC() bool { return s.How == "oidc" || s.How == "both" }

// signInSettings are those of SignIn.
var signInSettings = []setting{
	oneOf("sign_in", "how people sign in", "none", func(c *Config) *string { return &c.SignIn.How }, "none",
		"local", "oidc", "both"),
	optional("public_url", "public address of the server, such as https://assent.example.com",
		func(c *Config) *string { return &c.SignIn.PublicURL }),
	{
		name: "trusted_proxies", usage: "proxies whose X-Forwarded-For is trusted, such as 10.0.0.0/8",
		list: ",", commas: true,
		set: func(c *Config, words []string) (err error) {
			c.SignIn.TrustedProxies, err = prefixes(words)
			return err
		},
		show: func(c *Config) string { return joined(c.SignIn.TrustedProxies) },
	},
	span("session_idle", "how long an idle session lasts", "8h",
		func(c *Config) *time.Duration { return &c.SignIn.SessionIdle }),
	span("session_max", "maximum session length", "24h", func(c *Config) *time.Duration { return &c.SignIn.SessionMax }),
	optional("oidc_issuer", "issuer URL of the identity provider, exactly as in its tokens",
		func(c *Config) *string { return &c.SignIn.OIDCIssuer }),
	optional("oidc_client_id", "client id of this server at the identity provider",
		func(c *Config) *string { return &c.SignIn.OIDCClientID }),
	{
		name: "oidc_client_secret", usage: "client secret: ${env:NAME} or ${file:PATH}", fallback: []string{""},
		secret: true,
		set: func(c *Config, words []string) (err error) {
			v, err := one(words)
			if err == nil && v != "" {
				c.SignIn.OIDCClientSecret, err = definition.ParseSecret(v)
			}
			return err
		},
		show: func(c *Config) string { return c.SignIn.OIDCClientSecret.String() },
	},
	several("oidc_scopes", "scopes to request from the identity provider", []string{"openid", "profile", "email"},
		func(c *Config) *[]string { return &c.SignIn.OIDCScopes }),
	text("oidc_name_claim", "claim with the person's name in Assent", "email",
		func(c *Config) *string { return &c.SignIn.OIDCNameClaim }),
	text("oidc_groups_claim", "claim with the person's groups", "groups",
		func(c *Config) *string { return &c.SignIn.OIDCGroupsClaim }),
	{
		name: "oidc_roles", usage: "roles by group: GROUP=ROLE, such as assent-admins=admin; * is everyone",
		list: ",", set: setRoles,
		show: func(c *Config) string {
			var out []string
			for _, group := range slices.Sorted(maps.Keys(c.SignIn.OIDCRoles)) {
				out = append(out, group+"="+strings.Join(c.SignIn.OIDCRoles[group], " "))
			}
			return strings.Join(out, ",")
		},
	},
	several("oidc_audiences", "audiences of the provider's access tokens accepted from programs; without "+
		"one, none are accepted", nil, func(c *Config) *[]string { return &c.SignIn.OIDCAudiences }),
	text("oidc_label", "label of the identity provider on the sign-in page", "single sign-on",
		func(c *Config) *string { return &c.SignIn.OIDCLabel }),
}

func optional(name, usage string, field func(*Config) *string) setting {
	st := text(name, usage, "", field)
	st.set = func(c *Config, words []string) error {
		v, err := one(words)
		*field(c) = v
		return err
	}
	return st
}

func several(name, usage string, fallback []string, field func(*Config) *[]string) setting {
	return setting{
		name: name, usage: usage, fallback: fallback, list: ", ",
		set: func(c *Config, words []string) error {
			*field(c) = nil
			for _, w := range words { // --oidc-scopes "openid email" is two
				*field(c) = append(*field(c), strings.FieldsFunc(w, func(r rune) bool { return r == ',' || r == ' ' })...)
			}
			return nil
		},
		show: func(c *Config) string { return strings.Join(*field(c), ",") },
	}
}

func span(name, usage, fallback string, field func(*Config) *time.Duration) setting {
	return setting{
		name: name, usage: usage, fallback: []string{fallback},
		set: func(c *Config, words []string) error {
			v, err := one(words)
			if err != nil {
				return err
			}
			d, err := quantity.ParseDuration(v)
			if err != nil || d <= 0 {
				return fmt.Errorf("%q is not a duration; write one such as %s", v, fallback)
			}
			*field(c) = time.Duration(d)
			return nil
		},
		show: func(c *Config) string { return field(c).String() },
	}
}

func prefixes(words []string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, w := range words {
		p, err := netip.ParsePrefix(w)
		if ip, single := netip.ParseAddr(w); err != nil && single == nil {
			p, err = netip.PrefixFrom(ip, ip.BitLen()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%q is neither an address nor a network; write one such as 10.0.0.0/8", w)
		}
		out = append(out, p.Masked())
	}
	return out, nil
}

func joined(list []netip.Prefix) string {
	out := make([]string, len(list))
	for i, p := range list {
		out[i] = p.String()
	}
	return strings.Join(out, ",")
}

// setRoles parses GROUP=ROLE. Groups may contain =, and several roles are separated by spaces or commas.
func setRoles(c *Config, words []string) error {
	c.SignIn.OIDCRoles = map[string][]string{}
	for _, w := range words {
		i := strings.LastIndexByte(w, '=')
		if i < 1 {
			return fmt.Errorf("%q: expected GROUP=ROLE, such as assent-admins=admin", w)
		}
		group := strings.TrimSpace(w[:i])
		roles := strings.FieldsFunc(w[i+1:], func(r rune) bool { return r == ' ' || r == ',' })
		if group == "" || len(roles) == 0 {
			return fmt.Errorf("%q: expected GROUP=ROLE, such as assent-admins=admin", w)
		}
		c.SignIn.OIDCRoles[group] = append(c.SignIn.OIDCRoles[group], roles...)
	}
	return nil
}

// Secret is the client secret in clear text.
func (s *SignIn) Secret() (string, error) {
	if s.OIDCClientSecret.IsZero() {
		return "", nil
	}
	v, err := s.OIDCClientSecret.Expand(Lookup)
	if err != nil {
		return "", fmt.Errorf("oidc_client_secret: %w", err)
	}
	return v, nil
}

// Public is the server's public address, or nil.
func (s *SignIn) Public() (*url.URL, error) {
	if s.PublicURL == "" {
		return nil, nil
	}
	u, err := url.Parse(s.PublicURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" ||
		u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, fmt.Errorf("public_url: %q is not the address of a server; write one such as https://assent.example.com",
			s.PublicURL)
	}
	u.Path = ""
	return u, nil
}

// Check reports everything that is missing for sign-in.
func (s *SignIn) Check() error {
	var errs []error
	if _, err := s.Public(); err != nil {
		errs = append(errs, err)
	}
	if s.OIDC() {
		for _, need := range []struct {
			name  string
			there bool
		}{
			{"oidc_issuer", s.OIDCIssuer != ""}, {"oidc_client_id", s.OIDCClientID != ""}, {"public_url", s.PublicURL != ""},
			{"oidc_roles", len(s.OIDCRoles) > 0},
		} {
			if !need.there {
				errs = append(errs, fmt.Errorf("sign_in %s needs %s", s.How, need.name))
			}
		}
		if _, err := s.Secret(); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
