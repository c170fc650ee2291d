package tool

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/steady"
)

func TestDescribe(t *testing.T) {
	const args = `{"id":17,"channel":"#marketing","amount":12.50,"big":9007199254740993,"user":{"name":"Ann","tags":["a","b"]},"yes":true,"none":null,"n":1000000000000000000,"text":"a"}`
	for template, want := range map[string]string{
		"Send message to {{.channel}}":                                 "Send message to #marketing",
		"{{.id}} {{.amount}} {{.big}} {{.yes}}":                        "17 12.50 9007199254740993 true",
		"{{.user.name}} and {{.user.tags}}":                            `Ann and ["a","b"]`,
		"{{.user}}":                                                    `{"name":"Ann","tags":["a","b"]}`,
		"to {{.missing}}, {{.missing.deeper.still}}, {{.none}}":        "to …, …, …",
		"{{if .missing}}x{{else}}y{{end}}{{if .missing.a}}x{{end}}":    "y",
		"{{with .user}}{{.name}}{{end}}":                               "Ann",
		"{{range .user.tags}}<{{.}}>{{end}}{{range .missing}}x{{end}}": "<a><b>",
		"{{if gt .id 10}}many{{end}} {{len .user.tags}}":               "many 2",
		`{{printf "%05d" .id}} {{index .user.tags 1}}`:                 "00017 b",
		"{{range .user.tags}}{{range $.user.tags}}{{.}}{{end}}{{end}}": "abab",
		"{{with .user}}{{range .tags}}{{.}}{{end}}{{end}}":             "ab",
		"  line\none\t{{.id}} ":                                        "line one 17",
		"": "Use x with id: 17, channel: #marketing, amount: " +
			"12.50, big: 9007199254740993, user: {\"name\":\"Ann\",\"tags\":[\"a\",\"b\"]}, yes: true, none: null, n: " +
			"1000000000000000000, …",
	} {
		if got := describe(template, "x", json.RawMessage(args)); got != want {
			t.Errorf("%s\n is %q\nwant %q", template, got, want)
		}
	}
	// Templates that could run away, or do not match, are not used.
	begun := steady.CPU()
	for _, template := range []string{
		"{{range .n}}{{end}}", "{{range 1000000000000}}{{end}}", "{{range .id}}{{end}}", `{{printf "%1000000000d" 1}}`,
		`{{printf "%*d" 1000000000 1}}`, `{{printf .text .id}}`, "{{printf}}",
		`{{define "a"}}{{template "a"}}{{end}}{{template "a"}}`, `{{block "a" .}}{{end}}`,
		"{{call .id}}", "{{html .text}}", "{{range $i, $e := .n}}{{end}}", "{{slice .text 0 1}}",
		"{{js .text}}", "{{print .text}}", "{{.text.deeper}}", "{{index .user.tags 99}}", "{{.", "{{nothing}}",
		strings.Repeat("{{.id}}", 2000), "{{len .id}}", "{{range .text}}{{end}}", "{{while}}", "{{if lt .text 5}}{{end}}",
	} {
		if got := describe(template, "x", json.RawMessage(args)); !strings.HasPrefix(got, "Use x with id: 17") {
			t.Errorf("%.80s is %q", template, got)
		}
	}
	if d := steady.CPU() - begun; d > 5*time.Second {
		t.Errorf("it took %s", d)
	}
}

// TestDescribeIsHarmless: a model writes text that looks like something else.
func TestDescribeIsHarmless(t *testing.T) {
	for text, want := range map[string]string{
		`{{.secret}}{{range 99}}`:       "Say {{.secret}}{{range 99}}",
		"a\nApproved by ann\r\n\tb":     "Say a Approved by ann b",
		"safe\u202egnp.exe\u2066\u200b": "Say safegnp.exe",
		"\x1b[31mred\x07":               "Say [31mred",
		"<b>bold</b>":                   "Say <b>bold</b>",
		"<no value>":                    "Say <no value>",
		"":                              "Say",
	} {
		args, _ := json.Marshal(map[string]string{"text": text})
		if got := describe("Say {{.text}}", "x", args); got != want {
			t.Errorf("%q is %q", text, got)
		}
	}
	long, _ := json.Marshal(map[string]any{"text": strings.Repeat("é", 1<<20), "list": make([]int, 100_000)})
	for _, template := range []string{"{{.text}}", "{{range .list}}{{$.text}}{{end}}", "", "{{.list}}"} {
		got := describe(template, "x", long)
		if n := utf8.RuneCountInString(got); n > describedMax+1 || !utf8.ValidString(got) || n < 20 {
			t.Errorf("%s: %d characters", template, n)
		}
	}
	for _, args := range []string{"", "null", "[]", "7"} {
		if got := describe("Say {{.text}}", "x", json.RawMessage(args)); !strings.HasPrefix(got, "Use x") {
			t.Errorf("%s: %q", args, got)
		}
	}
}

func FuzzDescribe(f *testing.F) {
	f.Add("{{range .a}}{{.b}}{{end}}{{if .c}}{{printf \"%5d\" .d}}{{end}}", `{"a":[{"b":1}],"c":true,"d":7}`)
	f.Fuzz(func(t *testing.T, template, args string) {
		if !json.Valid([]byte(args)) || len(template) > 4096 {
			return
		}
		got := describe(template, "x", json.RawMessage(args))
		if n := utf8.RuneCountInString(got); n > describedMax+1 || got == "" || strings.ContainsAny(got, "\n\r\x00\x1b") {
			t.Fatalf("%q", got)
		}
	})
}
