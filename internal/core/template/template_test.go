package template

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	gotemplate "text/template"
	"time"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/steady"
)

const purchase = `{"id":17,"price":12.5,"exact":12.50,"big":9007199254740993,"neg":-1,"zero":0,"yes":true,"no":false,
	"name":"Ann","empty":"","none":null,"tags":["a","b","c"],"nested":[[1,2],[3]],"lines":[{"sku":"x","n":1},{"sku":"y","n":2}],
	"user":{"name":"Bob","address":{"city":"Oslo"}},"void":{},"nil":[]}`

// same are templates that read as in Go's own interpreter.
var same = []string{
	"", "plain", "{{.id}} {{.price}} {{.name}} {{.yes}}", "{{.user.address.city}}", "{{$.user.name}}",
	"{{- .id -}} x", "{{/* a comment */}}{{.id}}",
	"{{if .yes}}a{{else}}b{{end}}{{if .no}}a{{else}}b{{end}}{{if .zero}}a{{else}}b{{end}}{{if .empty}}a{{else}}b{{end}}",
	"{{if .void}}a{{else}}b{{end}}{{if .nil}}a{{else}}b{{end}}{{if .none}}a{{else}}b{{end}}{{if .tags}}a{{end}}",
	"{{if .no}}a{{else if .yes}}b{{else}}c{{end}}",
	"{{with .user}}{{.name}}{{$.id}}{{else}}none{{end}}{{with .empty}}x{{else}}{{.id}}{{end}}",
	"{{with $u := .user}}{{$u.name}}{{.name}}{{end}}",
	"{{range .tags}}<{{.}}>{{end}}", "{{range $i, $t := .tags}}{{$i}}={{$t}};{{end}}",
	"{{range $t := .tags}}{{$t}}{{end}}",
	"{{range .lines}}{{.sku}}×{{.n}} {{$.name}}{{end}}", "{{range .nil}}x{{else}}nothing{{end}}",
	"{{range $k, $v := .user.address}}{{$k}}: {{$v}}{{end}}", "{{range .nested}}[{{range .}}{{.}}{{end}}]{{end}}",
	"{{range .tags}}{{if eq . \"b\"}}{{continue}}{{end}}{{.}}{{end}}",
	"{{range .tags}}{{if eq . \"b\"}}{{break}}{{end}}{{.}}{{end}}",
	"{{range .nested}}{{range .}}{{break}}{{end}}{{len .}}{{end}}",
	"{{$x := .id}}{{$x}}{{$x = .name}}{{$x}}", "{{$x := 1}}{{range .tags}}{{$x = 2}}{{end}}{{$x}}",
	"{{$x := 1}}{{if true}}{{$x := 2}}{{$x}}{{end}}{{$x}}", "{{$x := .user}}{{$x.address.city}}",
	"{{len .tags}} {{len .name}} {{len .user}} {{index .tags 2}} {{index .user \"name\"}} {{index .nested 0 1}}",
	"{{eq .name \"Ann\"}} {{eq .name \"x\" \"Ann\"}} {{ne .name \"x\"}} {{eq .yes true}} {{ne .yes true}} {{eq .id 17}}",
	"{{lt .id 18}} {{le .id 17}} {{gt .id 17}} {{ge .id 17}} {{lt .name \"B\"}} {{gt .price 12.0}} {{lt .neg 0}}",
	"{{and .yes .name}} {{and .empty .name}}| {{or .empty .name}} {{or .no .zero}} {{not .empty}} {{not .id}}",
	"{{and .yes .tags .id}} {{or .no .empty .zero}}", "{{.id | printf \"%04d\"}} {{printf \"%s-%s\" .name .user.name}}",
	"{{printf \"%q\" .name | len}} {{(index .lines 1).sku}} {{len (index .nested 0)}}",
	"{{\"text\"}} {{17}} {{1.5}} {{true}}",
	"{{if and (gt .id 10) (eq .name \"Ann\")}}both{{end}}", "{{if or (not .yes) (lt .id 1)}}x{{else}}neither{{end}}",
	"{{.name | eq \"Ann\"}}", "{{range $i, $e := .lines}}{{if $i}}, {{end}}{{$e.sku}}{{end}}", "a\n{{.id}}\n",
}

// TestFillsAsGoDoes compares with Go's own interpreter.
func TestFillsAsGoDoes(t *testing.T) {
	for _, text := range same {
		want, err := inGo(text, []byte(purchase))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, ok := fill(t, text, purchase); !ok || got != want {
			t.Errorf("%s\n is %q (%v)\nwant %q", text, got, ok, want)
		}
	}
}

// inGo fills a template with the interpreter of the standard library.
func inGo(text string, data []byte) (string, error) {
	t, err := gotemplate.New("").Option("missingkey=zero").Parse(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = t.Execute(&out, dataOf(data, 0))
	return strings.ReplaceAll(out.String(), "<no value>", Missing), err
}

func fill(t *testing.T, text, data string) (string, bool) {
	t.Helper()
	p, err := Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p.Fill(json.RawMessage(data))
}

// TestFillsMore: where Go's interpreter fails, or prints something for programmers.
func TestFillsMore(t *testing.T) {
	for _, c := range [][2]string{
		{"{{.missing}} {{.missing.deeper.still}} {{.none}} {{.none.deeper}}", "… … … …"},
		{"{{.exact}} {{.big}}", "12.50 9007199254740993"},
		{"{{.tags}} {{.user.address}}", `["a","b","c"] {"city":"Oslo"}`},
		{"{{range .missing}}x{{else}}none{{end}}{{range .none}}{{end}}", "none"},
		{"{{gt .price 12}} {{lt .id 17.5}} {{eq .exact 12.5}} {{gt .big 5}}", "true true true true"},
		{"{{len .missing}} {{index .missing 1}} {{eq .none nil}} {{ne .id .none}}", "0 … true true"},
		{"{{printf \"%s\" .missing}}", "…"},
		{"{{if and .user (eq .user.name \"Bob\")}}{{.user.name}}{{end}}{{if and .missing (gt .missing 1)}}x{{end}}",
			"Bob"},
	} {
		text, want := c[0], c[1]
		if got, ok := fill(t, text, purchase); !ok || got != want {
			t.Errorf("%s\n is %q (%v)\nwant %q", text, got, ok, want)
		}
	}
}

func TestDoesNotMatch(t *testing.T) {
	for _, text := range []string{
		"{{.name.first}}", "{{.id.first}}", "{{range .id}}{{end}}", "{{range .name}}{{end}}", "{{range 5}}{{end}}",
		"{{lt .name 5}}", "{{eq .id \"17\"}}", "{{eq .yes 1}}", "{{lt .yes true}}", "{{lt .none 1}}", "{{len .id}}",
		"{{index .tags 3}}", "{{index .tags -1}}", "{{index .tags \"a\"}}", "{{index .user 1}}", "{{index .name 1}}",
		"{{.id .name}}", "{{.id | .name}}", "{{not}}", "{{not 1 2}}", "{{eq 1}}", "{{lt 1}}",
		"{{len}}", "{{index}}", "{{and}}",
		"{{eq .tags .tags}}",
	} {
		if got, ok := fill(t, text, purchase); ok {
			t.Errorf("%s is %q", text, got)
		}
	}
	p, err := Parse("{{.id}}")
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range []string{"", "null", "[]", "7", `"text"`} {
		if got, ok := p.Fill(json.RawMessage(data)); ok {
			t.Errorf("with %s: %q", data, got)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"{{.":                         "",
		"{{nothing}}":                 `function "nothing" not defined`,
		"{{html .x}}":                 `function "html" not defined`,
		"{{call .x}}":                 `function "call" not defined`,
		`{{define "a"}}{{end}}x`:      "cannot define others",
		`{{block "a" .}}x{{end}}`:     "cannot",
		`{{template "a"}}`:            "cannot be used here",
		`{{printf "%1000d" 1}}`:       "at most two digits",
		`{{printf "%*d" 1000 1}}`:     "at most two digits",
		`{{printf .text 1}}`:          "printf takes a format",
		`{{"%1000d" | printf}}`:       "printf takes a format",
		`{{printf}}`:                  "printf takes a format",
		`{{eq len 1}}`:                "brackets",
		`{{1i}}`:                      "not a number",
		strings.Repeat("{{.x}}", 999): "at most 1000 parts",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", text, err, want)
		}
	}
}

// TestRunsAway: neither the template nor the data makes it long or slow.
func TestRunsAway(t *testing.T) {
	long, err := json.Marshal(map[string]any{"text": strings.Repeat("é", 1<<20), "list": make([]int, 100_000)})
	if err != nil {
		t.Fatal(err)
	}
	deep := strings.Repeat("{{range .list}}", 20) + "x" + strings.Repeat("{{end}}", 20)
	begun := steady.CPU()
	for _, text := range []string{"{{.text}}", "{{range .list}}{{$.text}}{{end}}", "{{.list}}",
		`{{printf "%99s" .text}}`} {
		got, ok := fill(t, text, string(long))
		if !ok || len(got) < 20 || len(got) > writtenMax || !utf8.ValidString(got) {
			t.Errorf("%s: %d bytes (%v)", text, len(got), ok)
		}
	}
	nested := "0"
	for range 30 {
		nested = fmt.Sprintf(`{"list":[%[1]s,%[1]s]}`, nested)
		if len(nested) > 1<<20 {
			break
		}
	}
	for _, data := range []string{string(long), nested} {
		if got, ok := fill(t, strings.ReplaceAll(deep, "range .list", "range $.list"), data); ok && len(got) > writtenMax {
			t.Errorf("%d bytes", len(got))
		}
	}
	if _, ok := fill(t, "{{range .list}}{{end}}", string(long)); ok {
		t.Error("100,000 rounds are not too many")
	}
	if d := steady.CPU() - begun; d > 5*time.Second {
		t.Errorf("it took %s", d)
	}
}

func FuzzFill(f *testing.F) {
	for _, text := range same {
		f.Add(text, purchase)
	}
	f.Fuzz(func(t *testing.T, text, data string) {
		if !json.Valid([]byte(data)) || len(text) > 4096 {
			return
		}
		p, err := Parse(text)
		if err != nil {
			return
		}
		got, ok := p.Fill(json.RawMessage(data))
		if len(got) > writtenMax || !ok && got != "" {
			t.Fatalf("%d bytes, %v", len(got), ok)
		}
		if want, err := inGo(text, []byte(data)); err == nil && ok && len(want) < writtenMax/2 && got != want {
			t.Fatalf("%s with %s\n is %q\nwant %q", text, data, got, want)
		}
	})
}
