package definition

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
)

// Secret is a secret text as written: a reference such as ${env:OPENAI_API_KEY} or ${file:/run/secrets/key}, a
// text around one, or the secret itself.
//
//	s, err := definition.ParseSecret("Bearer ${env:TOKEN}")
//	fmt.Println(s)          // Bearer ${env:TOKEN}
//	key, err := s.Expand(func(r definition.Reference) (string, error) { … })
//
// However it is printed, logged or encoded, everything except references shows as ***. Only Reveal and Expand
// return it. $${ writes a literal ${.
type Secret struct {
	// A pointer: where fmt ignores methods, as in %!d(…), it prints an address.
	text *string
	open bool // written in plain text by MarshalJSON: only in copies being exported
}

// Reference is where a part of a secret is stored.
type Reference struct {
	Scheme string // env or file
	Name   string // of the variable, or the path of the file
}

func (r Reference) String() string { return "${" + r.Scheme + ":" + r.Name + "}" }

const hidden = "***"

var (
	schemes = []string{"env", "file"}
	envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	// authWords may precede a reference: they are not secret.
	authWords = []string{"bearer ", "basic ", "token ", "apikey ", "api-key ", "key "}
)

// part is a piece of a secret: a reference or a text.
type part struct {
	text string
	ref  Reference
}

// ParseSecret parses a secret and checks its references. Errors never contain it.
func ParseSecret(text string) (Secret, error) {
	if strings.Contains(text, hidden) {
		return Secret{}, fault.New(fault.Invalid, hidden+" is a placeholder for a hidden secret",
			"write a reference such as ${env:NAME}, or the secret again")
	}
	if _, err := split(text); err != nil {
		return Secret{}, err
	}
	return Secret{text: &text}, nil
}

// split splits a secret into its parts.
func split(text string) ([]part, error) {
	var parts []part
	for text != "" {
		i := strings.Index(text, "${")
		if i < 0 {
			return append(parts, part{text: text}), nil
		}
		if i > 0 && text[i-1] == '$' {
			parts = append(parts, part{text: text[:i-1] + "${"})
			text = text[i+2:]
			continue
		}
		if i > 0 {
			parts = append(parts, part{text: text[:i]})
		}
		inside, rest, closed := strings.Cut(text[i+2:], "}")
		if !closed {
			return nil, fault.New(fault.Invalid, "a reference is not closed", "write ${env:NAME}, or $${ for ${ itself")
		}
		ref, err := reference(inside)
		if err != nil {
			return nil, err
		}
		parts, text = append(parts, part{ref: ref}), rest
	}
	return parts, nil
}

func reference(inside string) (Reference, error) {
	scheme, name, ok := strings.Cut(inside, ":")
	r := Reference{scheme, name}
	switch {
	case !ok && envName.MatchString(inside):
		return r, fault.Newf(fault.Invalid, "write ${env:%s} for the environment variable, or ${file:PATH} for a file",
			clip(inside))
	case !ok || !slices.Contains(schemes, scheme):
		return r, fault.Newf(fault.Invalid, "a reference is ${env:NAME} or ${file:PATH}%s", DidYouMean(scheme, schemes))
	case scheme == "env" && !envName.MatchString(name):
		return r, fault.New(fault.Invalid, "${env:…} needs the name of an environment variable: letters, digits and _", "")
	case name == "" || strings.ContainsAny(name, "\x00\n"):
		return r, fault.New(fault.Invalid, "${file:…} needs the path of a file", "")
	}
	return r, nil
}

// IsZero reports whether there is no secret.
func (s Secret) IsZero() bool { return s.Reveal() == "" }

// References lists where the secret is stored. A literal secret has none.
func (s Secret) References() []Reference {
	parts, _ := split(s.Reveal())
	var out []Reference
	for _, p := range parts {
		if p.ref.Scheme != "" {
			out = append(out, p.ref)
		}
	}
	return out
}

// Expand resolves the secret. lookup is called for each reference.
func (s Secret) Expand(lookup func(Reference) (string, error)) (string, error) {
	parts, err := split(s.Reveal())
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, p := range parts {
		if p.ref.Scheme == "" {
			b.WriteString(p.text)
			continue
		}
		found, err := lookup(p.ref)
		if err != nil {
			return "", fmt.Errorf("look up %s: %w", p.ref, err)
		}
		b.WriteString(found)
	}
	return b.String(), nil
}

// Reveal returns the text as written, secret or not.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// String shows references as written and masks everything else.
func (s Secret) String() string {
	parts, err := split(s.Reveal())
	if err != nil {
		return hidden
	}
	var b strings.Builder
	for i, p := range parts {
		last := b.Len() >= len(hidden) && strings.HasSuffix(b.String(), hidden)
		switch {
		case p.ref.Scheme != "":
			b.WriteString(p.ref.String())
		case i == 0 && len(parts) > 1 && slices.Contains(authWords, strings.ToLower(p.text)):
			b.WriteString(p.text)
		case !last:
			b.WriteString(hidden)
		}
	}
	return b.String()
}

// Format hides the secret from every verb of fmt.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue hides the secret from logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText hides the secret from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON hides the secret, except in a document exported with secrets.
func (s Secret) MarshalJSON() ([]byte, error) {
	if s.open {
		return value.Quote(s.Reveal()), nil
	}
	return value.Quote(s.String()), nil
}

// UnmarshalJSON reads a string; null is no secret.
func (s *Secret) UnmarshalJSON(raw []byte) error {
	switch value.KindOf(raw) {
	case value.Null:
		*s = Secret{}
		return nil
	case value.String:
	default:
		return fault.New(fault.Invalid, "a secret is a text: write ${env:NAME}, ${file:PATH} or put it in quotes", "")
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return fault.New(fault.Invalid, "a secret is a text", "")
	}
	got, err := ParseSecret(text)
	*s = got
	return err
}

// opened returns a copy that MarshalJSON writes in plain text.
func (s Secret) opened() Secret { return Secret{s.text, true} }

func openAll(in map[string]Secret) map[string]Secret {
	if in == nil {
		return nil
	}
	out := make(map[string]Secret, len(in))
	for k, s := range in {
		out[k] = s.opened()
	}
	return out
}
