package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/cli/config"
	"github.com/assent-run/assent/internal/cli/host"
)

// reachable refuses to serve other machines without sign-in, or with passwords in clear text.
func reachable(c *config.Config) error {
	in := &c.SignIn
	if in.How == "none" {
		return &failure{
			code: exitUsage,
			err:  fmt.Errorf("refusing to listen on %s: other machines could reach it without signing in", c.Addr),
			hint: "switch sign-in on: --sign-in local --public-url https://HOST (then: assent auth add NAME --roles admin), " +
				"or --sign-in oidc; see docs/access.md. Or listen on " + config.DefaultAddr,
		}
	}
	public, err := in.Public()
	if err != nil {
		return usage("%w", err)
	}
	if public == nil || public.Scheme != "https" && !loopback(public.Hostname()) {
		return &failure{
			code: exitUsage,
			err:  fmt.Errorf("refusing to listen on %s without TLS: passwords and cookies would be sent unencrypted", c.Addr),
			hint: "put a TLS proxy in front and set its address with --public-url https://HOST",
		}
	}
	return nil
}

// withSignIn configures sign-in.
func withSignIn(o *host.Options, in *config.SignIn) (err error) {
	if o.PublicURL, err = in.Public(); err != nil {
		return err
	}
	o.Proxies = in.TrustedProxies
	o.SignIn = assembly.SignIn{Password: in.Accounts(), Idle: in.SessionIdle, Max: in.SessionMax}
	if !in.OIDC() {
		return nil
	}
	secret, err := in.Secret()
	if err != nil {
		return err
	}
	o.SignIn.OIDC = &assembly.IdentityProvider{
		Issuer: in.OIDCIssuer, ClientID: in.OIDCClientID, ClientSecret: secret,
		RedirectURL: o.PublicURL.String() + contract.CallbackPath, Label: in.OIDCLabel,
		Scopes: in.OIDCScopes, NameClaim: in.OIDCNameClaim, GroupsClaim: in.OIDCGroupsClaim, Roles: in.OIDCRoles,
		Audiences: in.OIDCAudiences,
	}
	return nil
}

// tellFirstAccount prints how to create the first account if there is none.
func (s *serving) tellFirstAccount(ctx context.Context) error {
	if !s.config.SignIn.Accounts() {
		return nil
	}
	accounts, err := s.host.Access.Accounts(ctx)
	if err != nil || len(accounts) > 0 {
		return err
	}
	where := ""
	if s.config.From("data") != config.Default {
		where = " --data " + s.config.Data
	}
	fmt.Fprintf(s.Stderr, "assent: there are no accounts yet; create the first one on this machine with: %s auth add "+
		"NAME --roles admin%s\n", calledAs(), where)
	return nil
}

// splitRoles splits a list of roles.
func splitRoles(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// errNoPassword reports that there is no terminal to prompt on.
var errNoPassword = errors.New("cannot prompt for a password without a terminal")
