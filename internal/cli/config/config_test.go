package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Nothing that is a secret is shown to those who administrate the server in the browser, whatever it comes from.
func TestShownHasNoSecrets(t *testing.T) {
	const secret = "hunter2"
	words := map[string]string{
		"db": "postgres://assent:" + secret + "@db.example.com/assent?sslpassword=" + secret, "audit_key": secret,
		"audit_key_previous": "${env:" + secret + "}", "encryption_keys": "${file:/run/" + secret + "}",
		"oidc_client_secret": secret, "audit_witnesses": "https://witness.example.com/" + secret,
	}
	flags := map[string][]string{}
	for name, word := range words {
		flags[name] = []string{word}
	}
	c, err := Load(Sources{Flags: flags, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range c.Shown() {
		if strings.Contains(fmt.Sprintf("%+v", v), secret) {
			t.Errorf("%+v", v)
		}
		_, given := words[v.Name]
		if v.Secret != given || given && (!v.Set || v.From != v.Flag) {
			t.Errorf("%+v", v)
		}
	}
}

// A new setting that speaks of a secret is one, or is listed here.
func TestSecretSettingsAreMarked(t *testing.T) {
	harmless := []string{"references", "oidc_issuer", "oidc_audiences"}
	for _, st := range settings {
		speaks := false
		for _, word := range []string{"secret", "password", "key", "token"} {
			speaks = speaks || strings.Contains(strings.ToLower(st.name+" "+st.usage), word)
		}
		if speaks && !st.secret && !slices.Contains(harmless, st.name) {
			t.Errorf("%s is shown: %s", st.name, st.usage)
		}
	}
}
