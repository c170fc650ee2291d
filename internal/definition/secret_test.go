package definition

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestSecret(t *testing.T) {
	look := func(r Reference) (string, error) {
		if r.Name == "MISSING" {
			return "", errors.New("not set")
		}
		return "<" + r.Scheme + " " + r.Name + ">", nil
	}
	for text, c := range map[string]struct{ shown, expanded string }{
		"":                            {"", ""},
		"hunter2":                     {"***", "hunter2"},
		"${env:KEY}":                  {"${env:KEY}", "<env KEY>"},
		"${file:/run/secrets/a b}":    {"${file:/run/secrets/a b}", "<file /run/secrets/a b>"},
		"Bearer ${env:TOKEN}":         {"Bearer ${env:TOKEN}", "Bearer <env TOKEN>"},
		"hunter2 ${env:TOKEN}":        {"***${env:TOKEN}", "hunter2 <env TOKEN>"},
		"${env:USER}:hunter2":         {"${env:USER}***", "<env USER>:hunter2"},
		"${env:A}${env:B}":            {"${env:A}${env:B}", "<env A><env B>"},
		"a$${env:X}b":                 {"***", "a${env:X}b"},
		"Bearer hunter2":              {"***", "Bearer hunter2"},
		"$":                           {"***", "$"},
		"Bearer ":                     {"***", "Bearer "},
		"basic ${file:x}${env:Y}tail": {"basic ${file:x}${env:Y}***", "basic <file x><env Y>tail"},
	} {
		s, err := ParseSecret(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if s.String() != c.shown || s.Reveal() != text || s.IsZero() != (text == "") {
			t.Errorf("%q is shown as %q, revealed as %q", text, s, s.Reveal())
		}
		if got, err := s.Expand(look); err != nil || got != c.expanded {
			t.Errorf("%q becomes %q, %v", text, got, err)
		}
	}
	s, _ := ParseSecret("x ${env:MISSING}")
	if _, err := s.Expand(look); err == nil || strings.Contains(err.Error(), "x ") {
		t.Errorf("got %v", err)
	}
}

func TestSecretMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"hunter2${env:X":    "a reference is not closed",
		"hunter2${HOME}":    "write ${env:HOME} for the environment variable, or ${file:PATH} for a file",
		"hunter2${vault:x}": "a reference is ${env:NAME} or ${file:PATH}",
		"hunter2${evn:x}":   `a reference is ${env:NAME} or ${file:PATH}; did you mean "env"?`,
		"hunter2${env:a b}": "${env:…} needs the name of an environment variable: letters, digits and _",
		"hunter2${file:}":   "${file:…} needs the path of a file",
		"***":               "*** is a placeholder for a hidden secret",
	} {
		_, err := ParseSecret(text)
		if err == nil || err.Error() != want || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

const withSecrets = `agent: a
kind: llm
provider: openai
model: m
api_key: hunter2
headers: { X-Key: hunter2, Authorization: "Bearer ${env:TOKEN}" }
---
agent: b
kind: command
command: [x]
env: { PASSWORD: hunter2 }
---
agent: c
kind: http
url: http://x/
headers: { Authorization: Bearer hunter2 }
---
tool: d
kind: http
url: http://x/
headers: { Authorization: hunter2 }
---
tool: e
kind: command
command: [x]
env: { PASSWORD: hunter2 }
---
mcp_server: f
command: [x]
env: { PASSWORD: hunter2 }
`

// TestSecretsAreNeverShown tries every way of printing that comes to mind.
func TestSecretsAreNeverShown(t *testing.T) {
	set, problems := Parse("s.yaml", []byte(withSecrets))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var shown bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&shown, nil))
	text := slog.New(slog.NewTextHandler(&shown, nil))
	for _, d := range set.Documents() {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%X", "%t", "%T"} {
			fmt.Fprintf(&shown, verb, d)
			if a, ok := d.(*Agent); ok && a.LLM != nil {
				fmt.Fprintf(&shown, verb, *a.LLM)
				fmt.Fprintf(&shown, verb, a.LLM.APIKey)
				fmt.Fprintf(&shown, verb, &a.LLM.APIKey)
				log.Info("x", "key", a.LLM.APIKey, "headers", a.LLM.Headers, "llm", a.LLM)
				text.Info("x", "key", a.LLM.APIKey, "headers", a.LLM.Headers, "llm", a.LLM)
			}
		}
		raw, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		shown.Write(raw)
		shown.Write(d.JSON())
		shown.Write(d.YAML())
	}
	shown.Write(set.YAML())
	for _, p := range set.Check(nil) {
		shown.WriteString(p.String())
	}
	if strings.Contains(shown.String(), "hunter2") || strings.Contains(shown.String(), fmt.Sprintf("%x", "hunter2")) {
		t.Errorf("a secret is shown:\n%s", shown.String())
	}
	if !strings.Contains(shown.String(), "Bearer ${env:TOKEN}") {
		t.Error("a reference is not shown")
	}
	if n := strings.Count(string(set.YAMLWithSecrets()), "hunter2"); n != 7 {
		t.Errorf("%d secrets are given away on demand", n)
	}
	sameAgain(t, set)
}

// TestHiddenSecretsAreNotTakenBack: an export cannot overwrite a secret by ***.
func TestHiddenSecretsAreNotTakenBack(t *testing.T) {
	set, _ := Parse("s.yaml", []byte(withSecrets))
	doc, problems := ParseDocument(YAML, set.Agents["a"].YAML())
	if doc != nil || len(problems) != 2 || problems[0].Path != "headers.X-Key" || problems[1].Path != "api_key" {
		t.Errorf("%v %v", doc, problems)
	}
}

// TestExcerptsHideSecrets: a mistake next to a secret does not print it.
func TestExcerptsHideSecrets(t *testing.T) {
	for _, src := range []string{
		"agent: a\napi_key: \"hunter2\nkind: llm\n",
		"agent: a\nheaders:\n  X: \"hunter2\nkind: llm\n",
		"agent: a\nenv: {X: hunter2, Y: [}\n",
		"agent: a\nenv:\n\n  # c\n  X: @hunter2\n",
	} {
		_, problems := Parse("a.yaml", []byte(src))
		if len(problems) == 0 {
			t.Errorf("no problems in\n%s", src)
		}
		for _, p := range problems {
			if strings.Contains(p.Excerpt+p.String(), "hunter2") {
				t.Errorf("shown: %s\n%s", p, p.Excerpt)
			}
		}
	}
}
