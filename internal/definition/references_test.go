package definition_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/definition"
)

func TestAllowedReferences(t *testing.T) {
	allowed, err := definition.ParseAllowed("env:ASSENT_SECRET_*", "env:ONE", "file:/run/secrets", "file:/srv/keys/")
	if err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]bool{
		"${env:ASSENT_SECRET_RISK}":         true,
		"${env:ONE}":                        true,
		"${env:ONE_MORE}":                   false,
		"${env:HOME}":                       false,
		"${env:assent_secret_risk}":         false,
		"${file:/run/secrets/risk}":         true,
		"${file:/run/secrets/a/b}":          true,
		"${file:/srv/keys/x}":               true,
		"${file:/run/secrets}":              false,
		"${file:/run/secrets/../../etc/x}":  false,
		"${file:/run/secrets-of-others/x}":  false,
		"${file:/etc/shadow}":               false,
		"${file:run/secrets/x}":             false,
		"${file:./x}":                       false,
		"Bearer ${env:ONE} ${env:HOME}":     false,
		"Bearer $${env:HOME} is no mention": true,
	} {
		for kind, text := range map[string]string{
			"http":    "agent: a\nkind: http\nurl: https://example.com/\nheaders: { X: %q }\n",
			"command": "agent: a\nkind: command\ncommand: [x]\nenv: { X: %q }\n",
			"key":     "agent: a\nkind: llm\nprovider: openai\nmodel: m\napi_key: %q\n",
			"model":   "agent: a\nkind: llm\nprovider: openai\nmodel: m\nheaders: { X: %q }\n",
			"server":  "mcp_server: a\nurl: https://example.com/\nheaders: { X: %q }\n",
			"program": "mcp_server: a\ncommand: [x]\nenv: { X: %q }\n",
			"tool":    "tool: a\nkind: http\nurl: https://example.com/\nheaders: { X: %q }\n",
			"script":  "tool: a\nkind: command\ncommand: [x]\nenv: { X: %q }\n",
		} {
			doc, problems := definition.ParseDocument(definition.YAML, []byte(fmt.Sprintf(text, ref)))
			if doc == nil {
				t.Fatalf("%s: %v", kind, problems)
			}
			found := allowed.Check(doc)
			if (len(found) == 0) != want {
				t.Errorf("%s in %s: %v", ref, kind, found)
			}
			if len(found) > 0 && !slices.Contains([]string{"headers.X", "env.X", "api_key"}, found[0].Path) {
				t.Errorf("%s: it is said to be at %q", kind, found[0].Path)
			}
		}
	}
	for _, bad := range []string{"", "env:", "env:A B", "file:", "file:keys", "vault:x", "ONE", "env:[A"} {
		if _, err := definition.ParseAllowed(bad); err == nil || !strings.Contains(err.Error(), "env:NAME") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
