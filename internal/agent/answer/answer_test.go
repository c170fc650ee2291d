package answer_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/agent/answer"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

func TestDecode(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`{"output":1}`, `{"output":1}`},
		{"\ufeff {\n \"output\" : [ 1.0 , 0.10 ] }\n", `{"output":[1.0,0.10]}`},
		{`{"output":null,"confidence":null,"reasoning":null,"usage":null,"logs":null,"deliverables":null}`,
			`{"output":null}`},
		{`{"output":1,"Confidence":7}`, `{"output":1}`},
		{`{"output":1,"confidence":1.7}`, `{"output":1,"confidence":1.7}`}, // the core clamps it
		{`{"output":1,"usage":{"llm_calls":2.0,"tokens_in":1e3,"tokens_out":-5,"cost_usd":"0.25","more":1}}`,
			`{"output":1,"usage":{"llm_calls":2,"tokens_in":1000,"cost_usd":"0.25"}}`},
		{`{"output":1,"usage":{"cost_usd":0.0375,"tokens_in":null}}`, `{"output":1,"usage":{"cost_usd":"0.0375"}}`},
		{`{"output":1,"deliverables":[{"name":"a","content":"","more":1}]}`,
			`{"output":1,"deliverables":[{"name":"a","content":""}]}`},
		{`{"output":1,"deliverables":[{"name":"a","content_base64":"_w"}]}`,
			`{"output":1,"deliverables":[{"name":"a","content":{"$base64":"/w=="}}]}`},
		// A document is a text like any other: no answer can refer to another run's blob.
		{`{"output":1,"deliverables":[{"name":"a","content":{"$blob":"sha256:1","size":0.10}}]}`,
			`{"output":1,"deliverables":[{"name":"a","content":"{\"$blob\":\"sha256:1\",\"size\":0.10}"}]}`},
		{`{"output":1,"deliverables":[{"name":"a","content":{"$base64":"AA=="}}]}`,
			`{"output":1,"deliverables":[{"name":"a","content":"{\"$base64\":\"AA==\"}"}]}`},
	} {
		r, err := answer.Decode([]byte(c.body), answer.Veil{})
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		if got, _ := value.Marshal(r); string(got) != c.want {
			t.Errorf("%s is read as %s, want %s", c.body, got, c.want)
		}
	}
}

// An ambiguous answer is invalid.
func TestDecodeHasOneReading(t *testing.T) {
	for _, body := range []string{
		`{"output":1,"output":2}`, `{"output":1,"confidence":0.1,"confidence":0.9}`, `{"output":{"a":[{"b":1,"\u0062":2}]}}`,
		`{"output":1,"OUTPUT":2}`, `{"output":1e400}`, `{"output":1,"deliverables":[{"name":"a","content":"\ud800"}]}`,
		"{\"output\":\"\xff\"}",
	} {
		if _, err := answer.Decode([]byte(body), answer.Veil{}); port.FailureOf(err).Code != answer.Invalid || err == nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// A recipient of a secret may repeat it anywhere in an answer.
func TestDecodeHidesSecrets(t *testing.T) {
	v := answer.NewVeil("swordfish-1")
	body := `{"output":{"swordfish-1":["a swordfish-1"]},"reasoning":"swordfish-1","logs":"swordfish-1","deliverables":[` +
		`{"name":"swordfish-1","content":"x swordfish-1","description":"swordfish-1"},{"name":"a","url":"https://example.com/swordfish-1"},` +
		`{"name":"b","content":{"k":"swordfish-1"}},{"name":"c","content_base64":"c3dvcmRmaXNoLTE="},{"name":"d","content_base64":"/3N3b3JkZmlzaC0x/w=="}]}`
	want := `{"output":{"***":["a ***"]},"reasoning":"***","logs":"***","deliverables":[` +
		`{"name":"***","description":"***","content":"x ***"},{"name":"a","url":"https://example.com/***"},` +
		`{"name":"b","content":"{\"k\":\"***\"}"},{"name":"c","content":"***"},{"name":"d","content":{"$base64":"/yoqKv8="}}]}`
	r, err := answer.Decode([]byte(body), v)
	if got, _ := value.Marshal(r); err != nil || string(got) != want {
		t.Errorf("%v\n%s\n%s", err, got, want)
	}
}

func TestManyDeliverables(t *testing.T) {
	for n, ok := range map[int]bool{answer.DeliverablesMax: true, answer.DeliverablesMax + 1: false} {
		body := `{"output":1,"deliverables":[` + strings.TrimSuffix(strings.Repeat(`{"name":"a","content":""},`, n), ",") +
			`]}`
		if _, err := answer.Decode([]byte(body), answer.Veil{}); (err == nil) != ok {
			t.Errorf("%d: %v", n, err)
		}
	}
}

func TestRead(t *testing.T) {
	for n, ok := range map[int]bool{0: true, answer.BodyMax: true, answer.BodyMax + 1: false} {
		got, err := answer.Read(bytes.NewReader(make([]byte, n)))
		if (err == nil) != ok || ok && len(got) != n {
			t.Errorf("%d bytes: %d, %v", n, len(got), err)
		}
		if !ok && port.FailureOf(err).Code != answer.TooLarge {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	broken := errors.New("cut off")
	if _, err := answer.Read(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

func TestQuestion(t *testing.T) {
	got, err := answer.Question(port.Work{Run: "r"})
	if want := `{"run":"r","step":"","try":0,"key":"","input":null,"guidance":[],"lessons":[]}`; err != nil ||
		string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := answer.Question(port.Work{Input: json.RawMessage(`{`)}); port.FailureOf(err).Transient || err == nil {
		t.Errorf("an input that is not JSON: %v", err)
	}
}

func TestUnlikeShowsTheBeginning(t *testing.T) {
	secret := "tok-12345678"
	v := answer.NewVeil(secret)
	for pad := range 220 { // wherever it is cut, no part of the secret is left
		_, err := answer.Decode([]byte(strings.Repeat("é", pad)+secret+strings.Repeat(" and more", 1000)), v)
		f := port.FailureOf(err)
		if text := fmt.Sprintf("%+v", f); strings.Contains(text, secret[:4]) || !utf8.ValidString(text) {
			t.Fatalf("behind %d characters: %.400s", pad, text)
		}
		if len(f.Body) > answer.SaidMax || len(f.Body) < answer.SaidMax-4 {
			t.Fatalf("the body has %d bytes", len(f.Body))
		}
	}
}

func TestVeil(t *testing.T) {
	v := answer.NewVeil("s3cret/ö", "s3cret/ö and more", "abc", "")
	for in, want := range map[string]string{
		"a s3cret/ö b":                 "a *** b",
		"s3cret/ö and more s3cret/ö":   "*** ***",
		"s3cret%2F%C3%B6":              "***",
		`{"h":"s3cret/ö"}`:             `{"h":"***"}`,
		"abc is too short to be one":   "abc is too short to be one",
		"nothing here, s3cret or else": "nothing here, s3cret or else",
	} {
		if got := v.Hide(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	if (answer.Veil{}).Hide("abcdef") != "abcdef" {
		t.Error("the zero veil hides")
	}
	long := strings.Repeat("0123456789", 10)
	hide := answer.NewVeil(long)
	for n := range len(long) + 1 { // a secret truncated by the reader
		if got := hide.Said("x "+long[:n], true); strings.Contains(got, "0") {
			t.Fatalf("the beginning of a secret is left: %q", got)
		}
		if got := hide.Last(long[n:]+" x", 1000, true); strings.Contains(got, "9") {
			t.Fatalf("the end of a secret is left: %q", got)
		}
	}
	// Redaction that shortens the text does not reveal a truncated secret.
	if got := hide.Said(strings.Repeat(long, 2000), false); strings.Contains(got, "0") {
		t.Errorf("a part of a secret is left: %.100q", got[max(0, len(got)-100):])
	}
}

func TestExpand(t *testing.T) {
	secret := func(s string) definition.Secret {
		out, err := definition.ParseSecret(s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	in := map[string]definition.Secret{"A": secret("Bearer ${env:TOKEN}"), "B": secret("Basic written-out"),
		"C": secret("${file:/key}")}
	got, v, err := answer.Expand(in, func(r definition.Reference) (string, error) {
		return "value-of-" + r.Name + "\n",
			nil
	}, "password")
	if err != nil || fmt.Sprint(got) != "map[A:Bearer value-of-TOKEN B:Basic written-out C:value-of-/key]" {
		t.Errorf("%v, %v", got, err)
	}
	if got := v.Hide("value-of-TOKEN, written-out, value-of-/key, password"); got != "***, ***, ***, ***" {
		t.Errorf("left: %s", got)
	}
	for _, lookup := range []answer.Lookup{nil,
		func(definition.Reference) (string, error) { return "halfway", errors.New("not set") }} {
		_, _, err := answer.Expand(in, lookup)
		if err == nil || !strings.Contains(err.Error(), "A: look up ${env:TOKEN}") ||
			strings.Contains(err.Error(), "halfway") {
			t.Errorf("%v", err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"output":{"a":[1,2]},"confidence":0.5,"usage":{"cost_usd":1},"deliverables":[{"name":"a","content_base64":"AA"}]}`))
	f.Add([]byte(`{"output":`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := answer.Decode(body, answer.NewVeil("abcd"))
		if err != nil {
			if fail := port.FailureOf(err); fail.Transient || fail.Message == "" || !utf8.ValidString(fail.Body) ||
				strings.Contains(fail.Body, "abcd") {
				t.Fatalf("%+v", fail)
			}
			return
		}
		want, _ := value.Get(mustCompact(t, body), "output")
		if !bytes.Equal(r.Output, want) {
			t.Fatalf("the output %q came as %q", want, r.Output)
		}
		if _, err := json.Marshal(run.Complete{Result: r}); err != nil {
			t.Fatal(err)
		}
	})
}

func mustCompact(t *testing.T, body []byte) json.RawMessage {
	out, err := value.Compact(bytes.TrimPrefix(body, []byte("\ufeff")))
	if err != nil {
		t.Fatal(err)
	}
	return out
}
