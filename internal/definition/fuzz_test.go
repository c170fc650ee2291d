package definition

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/steady"
)

// FuzzParse: whatever the bytes, reading, checking and writing never panic,
// are done soon, and what was read can be written and read again.
func FuzzParse(f *testing.F) {
	names, _ := filepath.Glob("testdata/*/*")
	for _, name := range names {
		if src, err := os.ReadFile(name); err == nil {
			f.Add(src, false)
		}
	}
	f.Add([]byte(withSecrets), false)
	f.Add([]byte(`[{"agent": "a", "kind": "scripted", "answers": [{"match": "x > 1", "output": 1}]}, {"role": "r"}]`),
		true)
	f.Fuzz(func(t *testing.T, src []byte, isJSON bool) {
		name := "x.yaml"
		if isJSON {
			name = "x.json"
		}
		start := steady.CPU()
		set, problems := Parse(name, src)
		problems = append(problems, set.Check(nil)...)
		if took := steady.CPU() - start; took > 10*time.Second {
			t.Errorf("took %v", took)
		}
		for _, p := range problems {
			if p.Message == "" || p.Line < 0 || p.Column < 0 || p.Line == 0 && !strings.Contains(p.Message, "more problems") {
				t.Errorf("%#v", p)
			}
		}
		sameAgain(t, set)
	})
}
