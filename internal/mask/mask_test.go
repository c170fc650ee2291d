package mask_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/mask"
)

func rules(t testing.TB, places ...string) *mask.Rules {
	t.Helper()
	r, err := mask.Parse(places...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// shown is a document as a reader without the permission sees it.
func shown(t testing.TB, r *mask.Rules, root mask.Root, doc string) string {
	t.Helper()
	values := mask.NewValues()
	r.Collect(root, json.RawMessage(doc), values)
	return string(mask.New(r, values).Doc(root, json.RawMessage(doc), nil))
}

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		places string
		root   mask.Root
		doc    string
		want   string
	}{
		{"iban", mask.Input, `{"iban":"NO93"}`, `{"iban":"•••"}`},
		{"IBAN", mask.Input, `{"a":[{"Iban":"NO93"},{"b":1}]}`, `{"a":[{"Iban":"•••"},{"b":1}]}`},
		{"iban", mask.Input, `{"iban":{"n":12,"ok":true,"none":null,"l":[1,"x",[]],"o":{}}}`,
			`{"iban":{"n":"•••","ok":"•••","none":null,"l":["•••","•••",[]],"o":{}}}`},
		{"customer.email", mask.Input, `{"x":{"customer":{"email":"a@b"}},"email":"c@d"}`,
			`{"x":{"customer":{"email":"•••"}},"email":"c@d"}`},
		{"customer.email", mask.Input, `{"customer":[{"email":"a@b"}]}`, `{"customer":[{"email":"•••"}]}`},
		{"input.email", mask.Input, `{"email":"a","sub":{"email":"b"}}`, `{"email":"•••","sub":{"email":"b"}}`},
		{"input.lines[0].email", mask.Input, `{"lines":[{"email":"a"},{"email":"b"}]}`,
			`{"lines":[{"email":"•••"},{"email":"•••"}]}`},
		{"input.email", mask.StepOutput("s"), `{"email":"a"}`, `{"email":"a"}`},
		{"input.email", mask.Context, `{"email":"a"}`, `{"email":"•••"}`},
		{"steps.Look_up.output.pay", mask.StepOutput("look_up"), `{"pay":1}`, `{"pay":"•••"}`},
		{"steps.look_up.output.pay", mask.StepOutput("other"), `{"pay":1}`, `{"pay":1}`},
		{"steps.look_up.output.pay", mask.Other, `{"pay":1}`, `{"pay":"•••"}`},
		{"steps.look_up", mask.StepOutput("look_up"), `{"pay":1,"x":[2]}`, `{"pay":"•••","x":["•••"]}`},
		{"steps.look_up", mask.StepOutput("look_up"), `"all"`, `"•••"`},
		{"input", mask.Input, `["a"]`, `["•••"]`},
		{"ssn", mask.Input, `{"a": 1.0, "b" : [ 2 ]}`, `{"a": 1.0, "b" : [ 2 ]}`}, // nothing to hide: its own bytes
		{"ssn", mask.Input, `{"big":9007199254740993,"ssn":"x"}`, `{"big":9007199254740993,"ssn":"•••"}`},
	} {
		if got := shown(t, rules(t, c.places), c.root, c.doc); got != c.want {
			t.Errorf("%s in %q of\n%s shows\n%s, not\n%s", c.places, c.root, c.doc, got, c.want)
		}
	}
}

// TestElsewhere: what a sensitive place holds is hidden wherever it appears.
func TestElsewhere(t *testing.T) {
	r, values := rules(t, "input.mail", "pin"), mask.NewValues()
	r.Collect(mask.Input, json.RawMessage(`{"mail":"ann@example.com","note":"x","pin":"12","n":{"pin":98765}}`), values)
	r.Collect(mask.Input, json.RawMessage(`{"mail":"say \"hi\" & go/there"}`), values)
	m := mask.New(r, values)
	for in, want := range map[string]string{
		"write to ann@example.com, now":      "write to •••, now",
		"ann@example.comann@example.com":     "••••••",
		"pin 12 is short":                    "pin 12 is short",
		"it was 98765.":                      "it was •••.",
		"https://x/?m=ann%40example.com&y":   "https://x/?m=•••&y",
		`{"m":"say \"hi\" & go/there"}`:      `{"m":"•••"}`,
		"nothing":                            "nothing",
		"":                                   "",
		"ANN@EXAMPLE.COM is another address": "ANN@EXAMPLE.COM is another address",
	} {
		if got := m.Text(in); got != want {
			t.Errorf("%q is shown as %q, not %q", in, got, want)
		}
	}
	doc := `{"to":["ann@example.com"],"by":{"ann@example.com":1,"cc ann@example.com":2},"code":98765,"body":"Dear ann@example.com"}`
	var at []string
	got := string(m.Doc(mask.Other, json.RawMessage(doc), func(p string) { at = append(at, p) }))
	if want := `{"to":["•••"],"by":{"•••":1,"cc •••":2},"code":"•••","body":"Dear •••"}`; got != want {
		t.Errorf("shown as %s", got)
	}
	if want := []string{"/to/0", "/by/•••", "/by/cc •••", "/code", "/body"}; !slices.Equal(at, want) {
		t.Errorf("told of %v", at)
	}
	if got := string(m.At(mask.Other, []string{"lines", "0", "pin"}, json.RawMessage(`7`), nil)); got != `"•••"` {
		t.Errorf("a change at a sensitive place is shown as %s", got)
	}
}

// TestGroupedNumbers: a number stays hidden where a sentence writes it with commas.
func TestGroupedNumbers(t *testing.T) {
	r, values := rules(t, "amount"), mask.NewValues()
	r.Collect(mask.Other, json.RawMessage(`{"amount":[2400.50,-12000]}`), values)
	m := mask.New(r, values)
	for _, in := range []string{"amount 2400.50 is over 1,000", "amount 2,400.50 is over 1,000"} {
		if got := m.Text(in); got != "amount ••• is over 1,000" {
			t.Errorf("%q is shown as %q", in, got)
		}
	}
	if got := m.Text("amount -12,000 is under 0"); got != "amount ••• is under 0" {
		t.Errorf("shown as %q", got)
	}
}

// TestTwoNames: names that become alike stay apart.
func TestTwoNames(t *testing.T) {
	r, values := rules(t, "mail"), mask.NewValues()
	r.Collect(mask.Other, json.RawMessage(`{"mail":["ann@example.com","bob@example.com"]}`), values)
	got := mask.New(r, values).Doc(mask.Other, json.RawMessage(`{"ann@example.com":1,"bob@example.com":2}`), nil)
	if string(got) != `{"•••":1,"••• (2)":2}` {
		t.Errorf("%s", got)
	}
}

func TestParse(t *testing.T) {
	for _, bad := range []string{"", "a..b", ".", "[0]", "a b"} {
		if _, err := mask.Parse(bad); err == nil {
			t.Errorf("%q is a place", bad)
		}
	}
	if _, err := mask.Parse(make([]string, 1001)...); err == nil {
		t.Error("there is no limit")
	}
	if r := rules(t); !r.Empty() || r.HidesField("x") || !(*mask.Rules)(nil).Empty() {
		t.Error("no place is sensitive, and one is")
	}
	if r := rules(t, "input.pay"); !r.HidesField("Pay") || r.HidesField("x", "pay") ||
		!r.Anywhere().HidesField("x", "pay") {
		t.Error("fields")
	}
}

func TestSchema(t *testing.T) {
	schema := `{"type":"object","properties":{
		"iban":{"type":"string","x-sensitive":true},
		"key":{"type":"string","writeOnly":true},
		"word":{"format":"password"},
		"open":{"x-sensitive":false,"writeOnly":false},
		"people":{"type":"array","items":{"$ref":"#/$defs/person"}},
		"more":{"additionalProperties":{"properties":{"pin":{"x-sensitive":true}}}},
		"odd":{"patternProperties":{"^s_":{"x-sensitive":true}}},
		"either":{"oneOf":[{"type":"null"},{"properties":{"a":{"x-sensitive":true}}}]}},
		"$defs":{"person":{"properties":{"born":{"x-sensitive":true},"boss":{"$ref":"#/$defs/person"}}}}}`
	doc := `{"iban":"i1","key":"k1","word":"w1","open":"o1","people":[{"born":"b1","name":"n","boss":{"born":"b2","name":"m"}}],` +
		`"more":{"x":{"pin":1,"y":2}},"odd":{"s_a":"q"},"either":{"a":"z","b":"y"}}`
	want := `{"iban":"•••","key":"•••","word":"•••","open":"o1","people":[{"born":"•••","name":"n","boss":{"born":"b2","name":"m"}}],` +
		`"more":{"x":{"pin":"•••","y":2}},"odd":{"s_a":"•••"},"either":{"a":"•••","b":"y"}}`
	// A schema that refers to itself is followed once round.
	if got := shown(t, mask.Schema(mask.Input, json.RawMessage(schema)), mask.Input, doc); got != want {
		t.Errorf("shown as\n%s, not\n%s", got, want)
	}
	for _, odd := range []string{``, `null`, `[]`, `{"x-sensitive":"true"}`, `{"$ref":"#/x-sensitive/9"}`,
		`{"$ref":"http://x-sensitive"}`, `{"properties":{"writeOnly":{}}}`} {
		if r := mask.Schema(mask.Input, json.RawMessage(odd)); !r.Empty() {
			t.Errorf("%s makes something sensitive", odd)
		}
	}
	if r := mask.Schema(mask.StepOutput("a"),
		json.RawMessage(`{"x-sensitive":true}`)); shown(t, r, mask.StepOutput("a"), `{"b":1}`) != `{"b":"•••"}` {
		t.Error("a whole document is not sensitive")
	}
}

func TestHolds(t *testing.T) {
	for doc, want := range map[string]string{
		`{"a":{"b":["x","•••"]}}`: "/a/b/1", `"•••"`: "", `{"a/b":"to ••• now"}`: "/a~1b", `{"•••":1}`: "/•••",
		`{"a":"\u2022\u2022\u2022"}`: "/a",
	} {
		if at, held := mask.Holds(json.RawMessage(doc)); !held || at != want {
			t.Errorf("%s holds a marker at %q: %v", doc, at, held)
		}
	}
	for _, doc := range []string{`{"a":"••"}`, `null`, ``, `{"a":[1,true,null]}`} {
		if at, held := mask.Holds(json.RawMessage(doc)); held {
			t.Errorf("%s holds a marker at %q", doc, at)
		}
	}
}

// TestTooMany: what cannot be remembered cannot be looked for, so no text is shown.
func TestTooMany(t *testing.T) {
	r, values := rules(t, "id"), mask.NewValues()
	for i := range 20_001 {
		r.Collect(mask.Other, json.RawMessage(fmt.Sprintf(`{"id":"value-%d"}`, i)), values)
	}
	m := mask.New(r, values)
	if m.Text("hello") != mask.Marker || string(m.Doc(mask.Other, json.RawMessage(`{"a":"hello","n":1}`),
		nil)) != `{"•••":"•••","••• (2)":"•••"}` {
		t.Error("something is shown although nobody knows what is in it")
	}
	deep := strings.Repeat(`{"a":`, 250) + `"x"` + strings.Repeat(`}`, 250)
	if got := string(mask.New(r, mask.NewValues()).Doc(mask.Other, json.RawMessage(deep), nil)); strings.Contains(got,
		`"x"`) {
		t.Error("what is too deep to be looked at is shown")
	}
}

// FuzzDoc: whatever the document, no value of a sensitive place is left, and the
// shape is the same.
func FuzzDoc(f *testing.F) {
	for _, doc := range []string{`{"iban":"NO93 8601","b":["NO93 8601",{"NO93 8601":1}]}`, `{"iban":1234.50,"x":1234.50}`,
		`{"iban":["a\"bcd"],"t":"{\"q\":\"a\\\"bcd\"}"}`, `[]`, `{"iban":{"iban":null}}`} {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		if !value.Valid([]byte(doc)) {
			return
		}
		r, values := rules(t, "iban"), mask.NewValues()
		r.Collect(mask.Other, json.RawMessage(doc), values)
		m := mask.New(r, values)
		got := m.Doc(mask.Other, json.RawMessage(doc), nil)
		if !value.Valid(got) {
			t.Fatalf("%s is no JSON", got)
		}
		again := m.Doc(mask.Other, got, nil)
		if string(again) != string(got) {
			t.Fatalf("masked twice it is another: %s, %s", got, again)
		}
		left := mask.NewValues()
		r.Collect(mask.Other, got, left)
		if left.Size() > 0 {
			t.Fatalf("%s still holds something", got)
		}
	})
}
