package tree

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/steady"
)

// look checks what has to hold for every text.
func look(t *testing.T, f Format, src []byte) []Document {
	start := steady.CPU()
	docs, problems := NewSource("fuzz", src).Read(f)
	if took := steady.CPU() - start; took > 10*time.Second {
		t.Errorf("took %v", took)
	}
	lines := 2
	for _, c := range src {
		if c == '\n' || c == '\r' {
			lines++
		}
	}
	for _, p := range problems {
		if p.Message == "" || p.Line < 1 || p.Column < 1 || p.Line > lines {
			t.Errorf("problem %+v in %d lines", p, lines)
		}
	}
	for _, d := range docs {
		if d.Broken {
			continue
		}
		raw := d.Root.JSON()
		if !json.Valid(raw) {
			t.Fatalf("not JSON: %s", raw)
		}
		again, bad := NewSource("again", WriteYAML(raw)).Read(YAML)
		if len(bad) > 0 || len(again) != 1 || string(again[0].Root.JSON()) != string(raw) {
			t.Fatalf("%s\nis written as\n%s\nand read as %v %v", raw, WriteYAML(raw), again, bad)
		}
	}
	return docs
}

func FuzzYAML(f *testing.F) {
	for _, s := range []string{findable, "a: [b, {c: d}]\n---\n- |\n x\n- >-\n y\n", "a: \"x\\\n  y\"\nb: 'z'\n",
		"a:\n\tb: 1", "&a *b !c", "? x\n: y", "%YAML\n---\na: 1\n...\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) { look(t, YAML, src) })
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5,"x\u00e9"],"b":null}`, `[{},{"a":1,"a":2}]`,
		`{"a":"\ud83d\ude00"}`, `[1,]`, `{"a`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		docs := look(t, JSON, src)
		_, problems := NewSource("fuzz", src).Read(JSON)
		// What is read is JSON; what is JSON is read, but for what is refused on purpose.
		if len(problems) == 0 && len(docs) > 0 && !json.Valid(NewSource("", src).bytes()) {
			t.Errorf("accepted %q", src)
		}
	})
}

func (s *Source) bytes() []byte { return []byte(s.text) }
