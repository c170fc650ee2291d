package reply

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/media"
	"github.com/assent-run/assent/internal/outbound"
)

// DeliverablesMax is how many deliverables one answer may contain.
const DeliverablesMax = 1000

// Handed is a deliverable as submitted by a program or a document.
type Handed struct {
	Name, Type, Content, ContentBase64, URL, MIME, Description, Status string
}

// Deliverable converts a submission into the form of the core. The content of the result takes one of two forms:
//
//	"# Report\n…"              a JSON string: the bytes are its text
//	{"$base64":"iVBORw0K…"}    bytes that are not UTF-8, standard base64
//
// The store keeps the bytes as a blob and replaces them with {"$blob":…}. That form never comes from here, whatever
// was submitted: it would let a caller refer to a blob of another run.
func Deliverable(h Handed) (run.Deliverable, error) {
	f := form{d: run.Deliverable{Name: h.Name, Type: h.Type, Status: h.Status, MIME: h.MIME,
		Description: h.Description, URL: h.URL}}
	if h.Content != "" {
		f.content = value.Quote(h.Content)
	}
	if h.ContentBase64 != "" {
		f.base64 = &h.ContentBase64
	}
	if f.content == nil && f.base64 == nil && h.URL == "" {
		f.content = value.Quote("")
	}
	return f.deliverable()
}

// ReadDeliverable reads a JSON object. Unknown members are ignored; content that is not a string is a JSON
// document, whose bytes are kept.
func ReadDeliverable(raw json.RawMessage) (run.Deliverable, error) {
	var f form
	if err := f.read(raw); err != nil {
		return f.d, err
	}
	return f.deliverable()
}

func (f *form) read(raw json.RawMessage) error {
	if value.KindOf(raw) != value.KindObject {
		return errors.New("it is not an object")
	}
	for name, v := range value.Members(raw) {
		if err := f.field(name, v); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// form is a deliverable while it is being read.
type form struct {
	d       run.Deliverable
	content json.RawMessage // a JSON string
	base64  *string
}

// ReadUpdate reads a change to an existing deliverable: new content, or only a new status.
func ReadUpdate(raw json.RawMessage) (run.Deliverable, error) {
	var f form
	if err := f.read(raw); err != nil {
		return f.d, err
	}
	f.d.Update = true
	if f.content == nil && f.base64 == nil && f.d.URL == "" {
		switch {
		case f.d.Name == "":
			return f.d, errors.New("it has no name")
		case f.d.Status == "":
			return f.d, errors.New("it needs one of content, content_base64 and url, or a status")
		}
		return run.Deliverable{Name: f.d.Name, Status: f.d.Status, Update: true}, nil
	}
	return f.deliverable()
}

func (f *form) deliverable() (run.Deliverable, error) {
	given := 0
	for _, is := range []bool{f.content != nil, f.base64 != nil, f.d.URL != ""} {
		if is {
			given++
		}
	}
	switch {
	case f.d.Name == "":
		return f.d, errors.New("it has no name")
	case given != 1:
		return f.d, errors.New("it needs one of content, content_base64 and url")
	case f.content != nil:
		f.d.Content = f.content
	case f.base64 != nil:
		bytes, err := decode64(*f.base64)
		if err != nil {
			return f.d, errors.New("content_base64 is not base64")
		}
		f.d.Content = content(bytes)
	default:
		if err := media.Link(f.d.URL); err != nil {
			return f.d, err
		}
	}
	return f.d, nil
}

// content is the encoding of bytes in a deliverable.
func content(b []byte) json.RawMessage {
	if utf8.Valid(b) {
		return value.Quote(string(b))
	}
	return value.Object(value.Member{Key: "$base64", Value: value.Quote(base64.StdEncoding.EncodeToString(b))})
}

// hideContent masks secrets in the bytes of a deliverable, whatever their encoding.
func hideContent(raw json.RawMessage, v outbound.Veil) json.RawMessage {
	if text, ok := value.Text(raw); ok {
		if hidden := v.HideData(text); hidden != text {
			return value.Quote(hidden)
		}
		return raw
	}
	inner, _ := value.Get(raw, "$base64")
	text, _ := value.Text(inner)
	bytes, err := base64.StdEncoding.DecodeString(text)
	if err != nil || text == "" {
		return raw
	}
	return content([]byte(v.HideData(string(bytes))))
}

// decode64 accepts all common variants of base64.
func decode64(s string) (b []byte, err error) {
	for _, kind := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding,
		base64.RawURLEncoding} {
		if b, err = kind.DecodeString(s); err == nil {
			return b, nil
		}
	}
	return nil, err
}

// deliverables reads those of an answer.
func deliverables(into *[]run.Deliverable, raw json.RawMessage) error {
	if value.KindOf(raw) != value.KindArray {
		return errors.New("it is a list")
	}
	elements := value.Elements(raw)
	if len(elements) > DeliverablesMax {
		return fmt.Errorf("there are %d; the limit is %d", len(elements), DeliverablesMax)
	}
	var out []run.Deliverable
	for i, e := range elements {
		d, err := ReadDeliverable(e)
		if err != nil {
			return fmt.Errorf("%d: %w", i, err)
		}
		out = append(out, d)
	}
	*into = out
	return nil
}

func (f *form) field(name string, raw json.RawMessage) error {
	if value.KindOf(raw) == value.Null {
		return nil
	}
	switch name {
	case "name":
		return text(&f.d.Name, raw)
	case "type":
		return text(&f.d.Type, raw)
	case "status":
		return text(&f.d.Status, raw)
	case "mime_type":
		return text(&f.d.MIME, raw)
	case "description":
		return text(&f.d.Description, raw)
	case "url":
		return text(&f.d.URL, raw)
	case "content_base64":
		f.base64 = new(string)
		return text(f.base64, raw)
	case "content":
		if f.content = raw; value.KindOf(raw) != value.String {
			f.content = value.Quote(string(raw))
		}
	}
	return nil
}
