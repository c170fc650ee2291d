package value

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/steady"
)

func TestMerge(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{``, `{}`},
		{`1|null|[2]`, `{}`},
		{`{"b": 1, "a":2}`, `{"b": 1, "a":2}`},
		{`"x"|{"a":1,"a":2}|`, `{"a":1,"a":2}`},
		{`{"a":1,"b":2}|{"c":3,"a":{"x": 1}}`, `{"a":{"x": 1},"b":2,"c":3}`},
		{`{"a":1}|{"\u0061":0.10}`, `{"a":0.10}`},
		{`{"a":1}|{"a":null}`, `{"a":null}`},
		{`{}|{}`, `{}`},
		{`{"\ud800":1}|{"\ud801":2}`, `{"\ud800":1,"\ud801":2}`},
	} {
		var objects []json.RawMessage
		for _, o := range strings.Split(c.in, "|") {
			objects = append(objects, raw(o))
		}
		if got := Merge(objects...); string(got) != c.want {
			t.Errorf("Merge %s = %s, want %s", c.in, got, c.want)
		}
	}
}

func TestMergePatch(t *testing.T) {
	for _, c := range []struct{ doc, patch, want string }{
		// RFC 7396, appendix A.
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`["a","b"]`, `["c","d"]`, `["c","d"]`},
		{`{"a":"b"}`, `["c"]`, `["c"]`},
		{`{"a":"foo"}`, `null`, `null`},
		{`{"a":"foo"}`, `"bar"`, `"bar"`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		// Our own.
		{``, `{"a":{"b":null,"c":1E400}}`, `{"a":{"c":1E400}}`},
		{``, ``, ``},
		{`{"a":1}`, ``, `{"a":1}`},
		{`{"a": 0.10, "b":1}`, `{}`, `{"a": 0.10, "b":1}`},
		{`{"a":{"x": 0.10},"b":1}`, `{"b":2}`, `{"a":{"x": 0.10},"b":2}`},
		{`{"a":1,"b":2,"c":3}`, `{"c":4,"a":null}`, `{"b":2,"c":4}`},
		{`{"\u0061":1}`, `{"a":2}`, `{"\u0061":2}`},
		{`{"a":1,"a":{"b":1}}`, `{"a":{"c":2}}`, `{"a":{"b":1,"c":2}}`},
		{`{"a":1}`, `{"a":null,"a":2}`, `{"a":2}`},
		{`{"a":1}`, `{"a":2,"a":null}`, `{}`},
		{`{"a":1}`, `{"a":[null,{"b":null}]}`, `{"a":[null,{"b":null}]}`},
	} {
		if got := MergePatch(raw(c.doc), raw(c.patch)); string(got) != c.want {
			t.Errorf("%s + %s = %s, want %s", c.doc, c.patch, got, c.want)
		}
	}
}

func TestCanonical(t *testing.T) {
	for in, want := range map[string]string{
		`{ "b":1, "a" : [ {"d":1,"c":2} , 3 ] }`: `{"a":[{"c":2,"d":1},3],"b":1}`,
		`{"a":1,"b":2,"a":3}`:                    `{"a":3,"b":2}`,
		`{"a":{"z":1,"y":2},"a":1.0}`:            `{"a":1.0}`,
		`{"\u0061":1}`:                           `{"a":1}`,
		`{"\u000a":"\u000A"}`:                    `{"\n":"\u000A"}`,
		`{"b":1,"B":2,"é":3,"":4}`:               `{"":4,"B":2,"b":1,"é":3}`,
		`{"\uD800":1}`:                           `{"\ud800":1}`,
		`{"\/":1}`:                               `{"/":1}`,
		`[1.0, 1, 1e0, -0]`:                      `[1.0,1,1e0,-0]`,
		`{"a":[],"b":{}}`:                        `{"a":[],"b":{}}`,
		`nonsense`:                               `nonsense`,
		`{"a":`:                                  `{"a":`,
	} {
		got := Canonical(raw(in))
		if string(got) != want {
			t.Errorf("Canonical(%s) = %s, want %s", in, got, want)
		}
		if again := Canonical(got); !bytes.Equal(again, got) {
			t.Errorf("%s is not stable: %s", got, again)
		}
	}
	// Bytes that spell both halves of a surrogate pair are not the character itself.
	pair := "{\"\xed\xa0\xbd\xed\xb8\x80\":1}"
	if got := Canonical(raw(pair)); Equal(raw(pair), raw(`{"😀":1}`)) || !bytes.Equal(Canonical(got), got) {
		t.Errorf("got %q", got)
	}
	if Equal(raw(`1`), raw(`1.0`)) || !Equal(raw(`{"a":1,"b":2}`), raw(` {"b":2,"a":1}`)) || Equal(nil, raw(`null`)) {
		t.Error("Equal is wrong")
	}
}

// The cost must not be depth times size, or a small request would take minutes.
func TestDeepAndWideStaysFast(t *testing.T) {
	big := `"` + strings.Repeat("x", 5<<20) + `"`
	doc := raw(strings.Repeat(`{"b":`, 900) + big + strings.Repeat(`,"a":1}`, 900))
	start := steady.CPU()
	if got := Canonical(doc); len(got) != len(doc) {
		t.Errorf("%d bytes became %d", len(doc), len(got))
	}
	patched := MergePatch(doc, raw(strings.Repeat(`{"b":`, 800)+"1"+strings.Repeat("}", 800)))
	if len(Diff(doc, patched)) != 1 {
		t.Error("one change was made")
	}
	if d := steady.CPU() - start; d > 20*time.Second {
		t.Errorf("took %s", d)
	}
}

func TestDiff(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, `[]`},
		{`{"a":1}`, `{"a":1.0}`, `[{"path":"/a","op":"replace","from":1,"to":1.0}]`},
		{`{"a":{"x":1,"y":2}}`, `{"a":{"y":3,"z":4}}`,
			`[{"path":"/a/x","op":"remove","from":1},{"path":"/a/y","op":"replace","from":2,"to":3},{"path":"/a/z","op":"add","to":4}]`},
		{`[1,2,3]`, `[1,4]`, `[{"path":"/1","op":"replace","from":2,"to":4},{"path":"/2","op":"remove","from":3}]`},
		{`[1]`, `[1,{"a":null}]`, `[{"path":"/1","op":"add","to":{"a":null}}]`},
		{`{"a/b":1,"m~n":2,"":3}`, `{"a/b":2,"m~n":3,"":4}`,
			`[{"path":"/a~1b","op":"replace","from":1,"to":2},{"path":"/m~0n","op":"replace","from":2,"to":3},{"path":"/","op":"replace","from":3,"to":4}]`},
		{`{"a":1}`, `[1]`, `[{"path":"","op":"replace","from":{"a":1},"to":[1]}]`},
		{``, `1`, `[{"path":"","op":"add","to":1}]`},
		{`1`, ``, `[{"path":"","op":"remove","from":1}]`},
		{` {"a": [1 , {"b":2,"a":1}]}`, `{"a":[1,{"a":1,"b":2}]}`, `[]`},
		{`{"a":null}`, `{}`, `[{"path":"/a","op":"remove","from":null}]`},
		{`"<"`, `">"`, `[{"path":"","op":"replace","from":"<","to":">"}]`},
	} {
		d := Diff(raw(c.a), raw(c.b))
		if d == nil {
			d = []Change{}
		}
		got, err := Marshal(d)
		if err != nil || string(got) != c.want {
			t.Errorf("%s → %s:\n got %s %v\nwant %s", c.a, c.b, got, err, c.want)
		}
	}
	for n, want := range map[int]int{999: 999, 1000: 1000, 1001: 1000, 5000: 1000} {
		a, b := raw("["+strings.Repeat("0,", n)+"9]"), raw("["+strings.Repeat("1,", n)+"9]")
		if got := len(Diff(a, b)); got != want {
			t.Errorf("%d changes were told as %d", n, got)
		}
	}
	deep := func(leaf string) json.RawMessage {
		return raw(strings.Repeat("[", 100) + leaf + strings.Repeat("]", 100))
	}
	if d := Diff(deep("1"), deep("2")); len(d) != 1 || strings.Count(d[0].Path, "/") != diffDepthMax {
		t.Errorf("got %v", d)
	}
}

func TestPath(t *testing.T) {
	for in, want := range map[string]Path{
		``:                          {},
		`a`:                         {"a"},
		`a.b-c.d_e`:                 {"a", "b-c", "d_e"},
		`a[0].b`:                    {"a", "0", "b"},
		`a["odd key"].b`:            {"a", "odd key", "b"},
		`["a.b"][12]["x\"]\u0041"]`: {"a.b", "12", `x"]A`},
		`[0][1]`:                    {"0", "1"},
		`größe.$ref.2fa`:            {"größe", "$ref", "2fa"},
		`a.0`:                       {"a", "0"},
		`a[""]`:                     {"a", ""},
	} {
		got, err := ParsePath(in)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("ParsePath(%s) = %q %v", in, got, err)
			continue
		}
		again, err := ParsePath(got.String())
		if err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%s printed as %s: %q %v", in, got, again, err)
		}
	}
	for in, want := range map[string]string{
		`.a`:        "position 1: expected a name",
		`a.`:        "position 3: expected a name",
		`a..b`:      "position 3: expected a name",
		`a b`:       "position 2: expected . or [",
		`a[`:        `position 3: expected an index or a "key"`,
		`a[-1]`:     `position 3: expected an index or a "key"`,
		`a[1`:       "position 4: expected ]",
		`a[01]`:     "position 3: an index has no leading zero",
		`a["b]`:     "position 6: it ends where the rest of a string should be",
		`a["b"`:     "position 6: expected ]",
		`a[0]b`:     "position 5: expected . or [",
		`a.[0]`:     "position 3: expected a name",
		"a.\xff":    "position 3: expected a name",
		`a["\q"]`:   "position 5: found 'q'",
		`{{ a.b }}`: "position 1: expected a name",
	} {
		_, err := ParsePath(in)
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("ParsePath(%s): %v, want %s", in, err, want)
		}
	}
	if p := (Path{"a/b", "m~n", "0"}).Pointer(); p != "/a~1b/m~0n/0" {
		t.Errorf("got %s", p)
	}
}

func ExampleGet() {
	doc := json.RawMessage(`{"order":{"lines":[{"price":0.10}]}}`)
	path, _ := ParsePath("order.lines[0].price")
	price, ok := Get(doc, path...)
	fmt.Println(string(price), ok)
	// Output: 0.10 true
}

func ExampleDiff() {
	for _, c := range Diff(json.RawMessage(`{"amount":100,"to":"ann"}`), json.RawMessage(`{"amount":80,"to":"ann"}`)) {
		fmt.Println(c.Op, c.Path, string(c.From), string(c.To))
	}
	// Output: replace /amount 100 80
}
