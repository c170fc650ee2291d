package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSetPaths(t *testing.T) {
	for _, c := range []struct {
		doc  string
		sets []string
		want string
	}{
		{`{}`, []string{"a=7"}, `{"a":7}`},
		{`{}`, []string{"a=seven"}, `{"a":"seven"}`},
		{`{}`, []string{"a.b.c=true", "a.d=null"}, `{"a":{"b":{"c":true},"d":null}}`},
		{`{"a":1,"b":0.10}`, []string{"a=2"}, `{"b":0.10,"a":2}`},
		{`{"a":1}`, []string{"a.b=2"}, `{"a":{"b":2}}`},
		{`{}`, []string{`a={"x":[1]}`}, `{"a":{"x":[1]}}`},
		{`{}`, []string{"a=x=y"}, `{"a":"x=y"}`},
		{`{}`, []string{"a="}, `{"a":""}`},
	} {
		got, err := setPaths(json.RawMessage(c.doc), c.sets)
		if err != nil || string(got) != c.want {
			t.Errorf("%s %q: %s %v", c.doc, c.sets, got, err)
		}
	}
	for _, bad := range []string{"a", "=1", "a..b=1", "list.x=1"} {
		if got, err := setPaths(json.RawMessage(`{"list":[1]}`), []string{bad}); exitCode(err) != exitUsage {
			t.Errorf("%q: %s %v", bad, got, err)
		}
	}
}

// TestInputsAreBounded: an endless file or pipe is cut off.
func TestInputsAreBounded(t *testing.T) {
	big := filepath.Join(t.TempDir(), "big.json")
	if err := os.WriteFile(big, []byte(`"`+strings.Repeat("x", inputMax-2)+`"`), 0o600); err != nil {
		t.Fatal(err)
	}
	here := &tool{Env: &Env{Stdin: zeros{}}}
	if b, err := here.readJSON("--input", "@"+big); err != nil || len(b) != inputMax {
		t.Errorf("at: %d bytes, %v", len(b), err)
	}
	if err := os.Truncate(big, inputMax+1); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{"@" + big, "-"} {
		if _, err := here.readJSON("--input", from); exitCode(err) != exitUsage ||
			!strings.Contains(err.Error(), "larger than 16 MiB") {
			t.Errorf("%s: %v", from, err)
		}
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }
