package answer

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
)

// DeliverablesMax is how many deliverables one answer may bring.
const DeliverablesMax = 1000

// Deliverables turns what agents hand in into what the core knows. The content
// of the result takes one of two forms:
//
//	"# Report\n…"              a JSON string: the bytes are its text
//	{"$base64":"iVBORw0K…"}    bytes that are no UTF-8 text, standard base64
//
// Whoever stores it keeps the bytes as a blob and puts {"$blob":…} in its
// place. That last form never comes from here, whatever an agent says: it would
// let an agent name a blob that is not its own.
func Deliverables(in []definition.Deliverable) ([]run.Deliverable, error) {
	var out []run.Deliverable
	for i, d := range in {
		f := form{d: run.Deliverable{Name: d.Name, Type: d.Type, Status: d.Status, MIME: d.MIME, Description: d.Description, URL: d.URL}}
		if d.Content != "" {
			f.content = value.Quote(d.Content)
		}
		if d.ContentBase64 != "" {
			f.base64 = &d.ContentBase64
		}
		if f.content == nil && f.base64 == nil && d.URL == "" {
			f.content = value.Quote("")
		}
		got, err := f.deliverable()
		if err != nil {
			return nil, fmt.Errorf("%d: %w", i, err)
		}
		out = append(out, got)
	}
	return out, nil
}

// form is a deliverable that is being read.
type form struct {
	d       run.Deliverable
	content json.RawMessage // a JSON string
	base64  *string
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
		u, err := url.Parse(f.d.URL)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			return f.d, errors.New("url is not an http or https address") // others may be code
		}
	}
	return f.d, nil
}

// content is how bytes travel in a deliverable.
func content(b []byte) json.RawMessage {
	if utf8.Valid(b) {
		return value.Quote(string(b))
	}
	return value.Object(value.Member{Key: "$base64", Value: value.Quote(base64.StdEncoding.EncodeToString(b))})
}

// decode64 reads every usual kind of base64.
func decode64(s string) (b []byte, err error) {
	for _, kind := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if b, err = kind.DecodeString(s); err == nil {
			return b, nil
		}
	}
	return nil, err
}

// deliverables reads those of an answer. Content that is not a text is a JSON
// document; its bytes are kept.
func deliverables(into *[]run.Deliverable, raw json.RawMessage) error {
	if value.KindOf(raw) != value.KindArray {
		return errors.New("it is a list")
	}
	elements := value.Elements(raw)
	if len(elements) > DeliverablesMax {
		return fmt.Errorf("there are %d; at most %d are taken", len(elements), DeliverablesMax)
	}
	var out []run.Deliverable
	for i, e := range elements {
		var f form
		if value.KindOf(e) != value.KindObject {
			return fmt.Errorf("%d: it is not an object", i)
		}
		for name, v := range value.Members(e) {
			if err := f.field(name, v); err != nil {
				return fmt.Errorf("%d: %s: %w", i, name, err)
			}
		}
		d, err := f.deliverable()
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
