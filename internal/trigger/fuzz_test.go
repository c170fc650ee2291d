package trigger

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
)

// FuzzVerify: a delivery is accepted only with the one set of headers that the holder of the secret makes for its
// bytes, or for another spelling of them that says the same.
func FuzzVerify(f *testing.F) {
	kinds := []definition.Verify{{Kind: definition.VerifyStandard}, {Kind: definition.VerifyGitHub},
		{Kind: definition.VerifyHeader, Header: "X-Token"}}
	for n, v := range kinds {
		all, err := Sign(&v, key, "msg_1", body, now)
		if err != nil {
			f.Fatal(err)
		}
		for name, text := range all {
			f.Add(byte(n), name, text, body)
			f.Add(byte(n), name, "v1,AAAA "+text, body)
		}
	}
	f.Add(byte(0), headerTimestamp, "9223372036854775807", body)
	f.Add(byte(1), headerGitHub, "sha256=", []byte{})
	f.Fuzz(func(t *testing.T, kind byte, name, text string, content []byte) {
		v := kinds[int(kind)%len(kinds)]
		good, err := Sign(&v, key, "msg_1", body, now)
		if err != nil {
			t.Fatal(err)
		}
		h := http.Header{}
		for name, text := range good {
			h.Set(name, text)
		}
		changed := http.CanonicalHeaderKey(name)
		before := h.Get(changed)
		h[changed] = []string{text}
		err = verify(&v, key, h, content, now)
		// The signature may stand among others, and in capitals where it is hexadecimal. Other headers prove nothing.
		same := text == before
		switch changed {
		case http.CanonicalHeaderKey(headerSignature):
			same = same || before != "" && strings.Contains(text, strings.TrimRight(before, "="))
		case http.CanonicalHeaderKey(headerGitHub):
			same = same || strings.EqualFold(text, before)
		}
		if !has(good, changed) || changed == http.CanonicalHeaderKey(headerDelivery) {
			same = true
		}
		if v.Kind != definition.VerifyHeader && !bytes.Equal(content, body) {
			same = false // another body needs another signature
		}
		if err == nil && !same {
			t.Errorf("%s: accepted with %s: %q for %q", v.Kind, changed, text, content)
		}
		if err := verify(&v, "whsec_"+strings.Repeat("b3Ro", 8), h, content, now); err == nil && text != "whsec_"+
			strings.Repeat("b3Ro", 8) {
			t.Errorf("%s: accepted with another secret", v.Kind)
		}
		if verify(&v, "", h, content, now) == nil {
			t.Errorf("%s: accepted without a secret", v.Kind)
		}
	})
}

func has(all map[string]string, header string) bool {
	for name := range all {
		if http.CanonicalHeaderKey(name) == header {
			return true
		}
	}
	return false
}

// FuzzDelivery: whatever a payload is, what identifies a delivery does not depend on how it is written, and the input
// of its run is a whole document.
func FuzzDelivery(f *testing.F) {
	for _, body := range []string{`{"id":1,"order":{"lines":[{"sku":"a"}]}}`, `{"id":1.0}`, `{"id":null}`, `[]`,
		`{"id":1e400}`, `{"id":-0}`, `{"id":"\u0000"}`, `{"id":1,"id":2}`, `"x"`, ``, `{"id":{"b":1,"a":[]}}`} {
		f.Add([]byte(body), "id", "order.lines[0].sku", "a.b")
	}
	f.Add([]byte(`{"a.b":{"c":[1,2]}}`), `["a.b"]`, `["a.b"].c[1]`, "x")
	f.Fuzz(func(t *testing.T, body []byte, dedupe, from, target string) {
		doc := &definition.Trigger{Name: "t", Workflow: "w", Verify: &definition.Verify{Kind: definition.VerifyGitHub},
			Dedupe: dedupe, Map: map[string]string{target: from, "fixed": "id"}}
		read := func(body []byte) (*delivery, error) {
			d := &delivery{doc: doc, at: time.Unix(0, 0)}
			return d, d.read(Request{Header: http.Header{}, Body: body})
		}
		d, err := read(body)
		if d.Key == "" || strings.HasPrefix(d.Key, "id:") {
			t.Errorf("it is identified by %q", d.Key)
		}
		if err != nil {
			return
		}
		if !strings.HasPrefix(d.Key, map[bool]string{true: "body:", false: "path:"}[dedupe == ""]) {
			t.Errorf("it is identified by %q", d.Key)
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, body, " ", "\t"); err != nil {
			t.Fatalf("it was read, and is not JSON: %v", err)
		}
		again, err := read(indented.Bytes())
		if err != nil || dedupe != "" && again.id() != d.id() || dedupe == "" && bytes.Equal(body, indented.Bytes()) !=
			(again.id() == d.id()) {
			t.Errorf("written differently it is %s, not %s: %v", again.Key, d.Key, err)
		}
		input, err := d.input()
		if err != nil {
			return
		}
		if _, err := value.Strict(input); err != nil || value.KindOf(input) != value.KindObject {
			t.Errorf("the input is %s: %v", input, err)
		}
	})
}
