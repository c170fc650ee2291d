package definition

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
)

// Trigger starts a run of a workflow for each delivery of a webhook.
type Trigger struct {
	Name        string  `json:"trigger"`
	Description string  `json:"description,omitempty"`
	Workflow    string  `json:"workflow"`
	Verify      *Verify `json:"verify"`
	// Secret signs deliveries, or is the value of the header.
	Secret Secret `json:"secret,omitzero"`
	// Map is where the input of the run comes from: a field of the input, and a path into the payload. Empty: the
	// payload is the input.
	Map     map[string]string `json:"map,omitempty"`
	Dedupe  string            `json:"dedupe,omitempty"`  // a path to what identifies a delivery
	Enabled *bool             `json:"enabled,omitempty"` // nil: true
	Place   Place             `json:"-"`
}

// Verify is how deliveries prove who sent them.
type Verify struct {
	Kind   VerifyKind `json:"-"`
	Header string     `json:"header"` // of VerifyHeader
	Secret Secret     `json:"secret,omitzero"`
}

// VerifyKind is a way to prove who sent a delivery.
type VerifyKind string

const (
	VerifyStandard VerifyKind = "standard" // Standard Webhooks
	VerifyGitHub   VerifyKind = "github"   // X-Hub-Signature-256
	VerifyHeader   VerifyKind = "header"   // a header with a secret value
	VerifyNone     VerifyKind = "none"     // not at all
)

// VerifyKinds lists them all. A document writes VerifyHeader as a mapping.
var VerifyKinds = []VerifyKind{VerifyStandard, VerifyGitHub, VerifyHeader, VerifyNone}

// Limits of a trigger.
const (
	TriggerMapMax = 200
	// keyMin and keyMax are what Standard Webhooks asks of a key, in bytes.
	keyMin, keyMax = 24, 64
)

// On reports whether the trigger starts runs.
func (t *Trigger) On() bool { return t.Enabled == nil || *t.Enabled }

// Key is the secret that deliveries are verified with.
func (t *Trigger) Key() Secret {
	if t.Verify != nil && !t.Verify.Secret.IsZero() {
		return t.Verify.Secret
	}
	return t.Secret
}

// UnmarshalJSON reads a word, or a mapping with a header.
func (v *Verify) UnmarshalJSON(raw []byte) error {
	*v = Verify{}
	switch value.KindOf(raw) {
	case value.String:
		word, _ := value.Text(raw)
		v.Kind = VerifyKind(word) // header without a name is reported when the document is checked
		return nil
	case value.KindObject:
	default:
		return fault.New(fault.Invalid,
			"write standard, github or none, or a header: {header: NAME, secret: ${env:NAME}}", "")
	}
	v.Kind = VerifyHeader
	for key, member := range value.Members(raw) {
		var err error
		switch key {
		case "header":
			if err = json.Unmarshal(member, &v.Header); err != nil {
				err = fault.New(fault.Invalid, "header is the name of a header", "")
			}
		case "secret":
			err = json.Unmarshal(member, &v.Secret)
		default:
			err = fault.Newf(fault.Invalid, "unknown key %q here%s", clip(key),
				DidYouMean(key, []string{"header", "secret"}))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// MarshalJSON writes what UnmarshalJSON reads.
func (v Verify) MarshalJSON() ([]byte, error) {
	if v.Kind != VerifyHeader {
		return value.Quote(string(v.Kind)), nil
	}
	type form Verify // without its methods
	return json.Marshal(form(v))
}

// revealed is a copy with its secrets in plain text.
func (t *Trigger) revealed() *Trigger {
	out := new(*t)
	out.Secret = t.Secret.opened()
	if t.Verify != nil {
		out.Verify = new(*t.Verify)
		out.Verify.Secret = t.Verify.Secret.opened()
	}
	return out
}

func (c *checker) trigger(t *Trigger) {
	c.verify(t)
	if len(t.Map) > TriggerMapMax {
		c.add(t.Place.bad("map", "%d fields are more than %d", len(t.Map), TriggerMapMax))
	}
	paths := true
	for _, target := range slices.Sorted(maps.Keys(t.Map)) {
		_, wrong := TargetPath(target)
		_, err := value.ParsePath(t.Map[target])
		if err = cmp.Or(wrong, err); err != nil {
			paths = false
			c.add(t.Place.bad("map."+target, "%s", messageOf(err)))
		}
	}
	if _, err := Nest(t.Map, func(string) (json.RawMessage, bool) { return nil, false }); paths && err != nil {
		c.add(t.Place.bad("map", "%s", messageOf(err)))
	}
	if _, err := value.ParsePath(t.Dedupe); err != nil {
		c.add(t.Place.bad("dedupe", "%s", messageOf(err)))
	}
	c.triggered(t)
}

func messageOf(err error) string {
	var f *fault.Error
	if errors.As(err, &f) {
		return f.Message
	}
	return err.Error()
}

// TargetPath is the path of a field of the input: names alone, since lists cannot be filled in.
func TargetPath(text string) (value.Path, error) {
	path, err := value.ParsePath(text)
	if err == nil && len(path) == 0 {
		err = fault.New(fault.Invalid, "the name of a field of the input is missing", "")
	}
	return path, err
}

// Nest builds the input from the fields of a map. Fields whose path leads nowhere are left out.
func Nest(fields map[string]string, get func(path string) (json.RawMessage, bool)) (json.RawMessage, error) {
	root := &branch{}
	for _, target := range slices.Sorted(maps.Keys(fields)) {
		path, err := TargetPath(target)
		if err != nil {
			return nil, err
		}
		found, ok := get(fields[target])
		if !ok {
			found = nil
		}
		if !root.put(path, found) {
			return nil, fault.Newf(fault.Invalid, "%q overlaps with another field of the map", clip(target))
		}
	}
	doc := root.json()
	if doc == nil {
		doc = json.RawMessage(`{}`)
	}
	return doc, nil
}

// branch is an object that is being built, or a value in it.
type branch struct {
	leaf    bool
	value   json.RawMessage // of a leaf; nil: it is left out
	names   []string
	members map[string]*branch
}

// put sets a value; false: something is there already.
func (b *branch) put(path []string, v json.RawMessage) bool {
	if b.leaf || len(path) == 0 && len(b.names) > 0 {
		return false
	}
	if len(path) == 0 {
		b.leaf, b.value = true, v
		return true
	}
	next := b.members[path[0]]
	if next == nil {
		if b.members == nil {
			b.members = map[string]*branch{}
		}
		next = &branch{}
		b.members[path[0]], b.names = next, append(b.names, path[0])
	}
	return next.put(path[1:], v)
}

// json is the value; nil if nothing in it is set.
func (b *branch) json() json.RawMessage {
	if b.leaf {
		return b.value
	}
	var members []value.Member
	for _, name := range b.names {
		if v := b.members[name].json(); v != nil {
			members = append(members, value.Member{Key: name, Value: v})
		}
	}
	if members == nil {
		return nil
	}
	return value.Object(members...)
}

// verify checks how deliveries are verified. That anyone may start runs has to be written down.
func (c *checker) verify(t *Trigger) {
	v := t.Verify
	if v == nil || v.Kind == "" {
		c.add(t.Place.bad("verify", "how deliveries are verified is missing: write standard, github, a header, or none"))
		return
	}
	if v.Kind == VerifyHeader && v.Header == "" {
		c.add(t.Place.bad("verify", "the name of the header is missing: write {header: NAME, secret: ${env:NAME}}"))
		return
	}
	switch v.Kind {
	case VerifyStandard, VerifyGitHub:
	case VerifyHeader:
		if !headerName(v.Header) {
			c.add(t.Place.bad("verify.header", "%q is not a valid header name", clip(v.Header)))
		}
		if !v.Secret.IsZero() && !t.Secret.IsZero() {
			c.add(t.Place.bad("secret", "the secret is set twice: write it here or within verify"))
		}
	case VerifyNone:
		if !t.Secret.IsZero() {
			c.add(t.Place.bad("secret", "verify: none uses no secret: remove it, or choose how deliveries are verified"))
		}
		c.add(t.Place.warn("verify", "deliveries are not verified: anyone who can reach this server can start runs of %q",
			clip(t.Workflow)))
		return
	default:
		c.word(t.Place, "verify", string(v.Kind), []string{"standard", "github", "none"})
		return
	}
	c.triggerSecret(t)
}

func (c *checker) triggerSecret(t *Trigger) {
	at, s := "secret", t.Key()
	if !t.Verify.Secret.IsZero() {
		at = "verify.secret"
	}
	switch {
	case s.IsZero():
		c.add(t.Place.bad("secret", "the secret is missing: refer to it with ${env:NAME} or ${file:PATH}"))
	case t.Verify.Kind == VerifyStandard:
		c.standardKey(t.Place, at, s)
	default:
		c.byReference(t.Place, at, s)
	}
}

// standardKey checks the secrets of Standard Webhooks in the document itself: several while they are rotated.
func (c *checker) standardKey(place Place, at string, s Secret) {
	if c.byReference(place, at, s); len(s.References()) > 0 {
		return
	}
	for _, text := range strings.FieldsFunc(s.Reveal(), func(r rune) bool { return unicode.IsSpace(r) || r == ',' }) {
		if key, err := WebhookKey(text); err != nil {
			c.add(place.bad(at, "%s", messageOf(err)))
		} else if len(key) < keyMin || len(key) > keyMax {
			c.add(place.warn(at, "a secret of Standard Webhooks has %d to %d bytes, this one has %d", keyMin, keyMax, len(key)))
		}
	}
}

// Prefixes of the keys of Standard Webhooks.
const (
	webhookSecret = "whsec_"
	// WebhookPublic begins a public key, for signatures of version v1a.
	WebhookPublic = "whpk_"
)

// WebhookKey decodes a key of Standard Webhooks: whsec_ and base64. Errors never contain it.
func WebhookKey(text string) ([]byte, error) {
	bare, public := strings.CutPrefix(text, WebhookPublic)
	bare = strings.TrimPrefix(bare, webhookSecret)
	key, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(bare, "=")) // also without padding
	switch {
	case err != nil || len(key) == 0:
		return nil, fault.New(fault.Invalid, "a secret of Standard Webhooks is whsec_ and text in base64", "")
	case public && len(key) != 32:
		return nil, fault.New(fault.Invalid, "a public key of Standard Webhooks is whpk_ and 32 bytes in base64", "")
	}
	return key, nil
}

// triggered checks the workflow that a trigger starts, and that the map fits its input as far as that can be known.
func (c *checker) triggered(t *Trigger) {
	w := c.startable(t.Place, t.Workflow)
	if w == nil || len(t.Map) == 0 {
		return
	}
	tops := map[string]bool{}
	for target := range t.Map {
		if path, err := TargetPath(target); err == nil {
			tops[path[0]] = true
		}
	}
	required, _ := value.Get(w.Input, "required")
	for _, raw := range value.Elements(required) {
		if name, ok := value.Text(raw); ok && !tops[name] {
			c.add(t.Place.bad("map", "the input of %q needs %q, which no field of the map sets", clip(t.Workflow), clip(name)))
		}
	}
	known, _ := value.Get(w.Input, "properties")
	if rest, _ := value.Get(w.Input, "additionalProperties"); string(rest) != "false" {
		return
	}
	for _, target := range slices.Sorted(maps.Keys(t.Map)) {
		path, err := TargetPath(target)
		if err != nil {
			continue
		}
		if _, ok := value.Get(known, path[0]); !ok {
			c.add(t.Place.bad("map."+target, "the input of %q has no field %q", clip(t.Workflow), clip(path[0])))
		}
	}
}
