package decide_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Scenarios are scripts in testdata/scenario that a product person can read: actions of people, agents and
// time, then a line ---- and the result. `go test ./internal/core/decide -run Scenarios -update` rewrites the
// results; review the diff before committing it.
var update = flag.Bool("update", false, "rewrite the expectations of the scenarios")

const scenarioDir = "testdata/scenario"

func TestScenarios(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(scenarioDir, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			script, err := readScript(string(raw))
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if err := script.play(); err != nil {
				t.Errorf("%s: %v", file, err)
			}
			if *update {
				if err := os.WriteFile(file, []byte(script.String()), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			for _, b := range script.blocks {
				if b.got != b.want {
					t.Errorf("%s:%d: %s\nwant:\n%s\ngot:\n%s", file, b.line, b.command[0], indent(b.want), indent(b.got))
				}
			}
		})
	}
}

func indent(s string) string { return "    " + strings.ReplaceAll(s, "\n", "\n    ") }

// script is a file of blocks.
type script struct {
	blocks []*block
	tail   string // comments after the last block
}

// block is a command and its expected result.
type block struct {
	lead    string   // empty lines and comments before it, verbatim
	line    int      // line number of the command, from 1
	command []string // the first line is the command
	want    string
	got     string
}

func readScript(text string) (*script, error) {
	var s script
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := 0; i < len(lines); {
		b := &block{}
		from := i
		for i < len(lines) && (strings.TrimSpace(lines[i]) == "" || strings.HasPrefix(lines[i], "#")) {
			i++
		}
		b.lead = join(lines[from:i])
		if i == len(lines) {
			s.tail = b.lead
			break
		}
		b.line, from = i+1, i
		for i < len(lines) && lines[i] != "----" {
			i++
		}
		if i == len(lines) {
			return nil, fmt.Errorf("line %d: no ---- after the command", b.line)
		}
		b.command = lines[from:i]
		i++
		from = i
		for i < len(lines) && lines[i] != "" {
			i++
		}
		b.want = strings.Join(lines[from:i], "\n")
		s.blocks = append(s.blocks, b)
	}
	return &s, nil
}

func join(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// String is the script with the actual results.
func (s *script) String() string {
	var b strings.Builder
	for _, k := range s.blocks {
		b.WriteString(k.lead)
		b.WriteString(join(k.command))
		b.WriteString("----\n")
		if k.got != "" {
			b.WriteString(k.got + "\n")
		}
	}
	b.WriteString(s.tail)
	return b.String()
}

// play runs every block in a new world. An error means that the script is invalid or that the state machine
// broke an invariant.
func (s *script) play() error { return s.playIn(newWorld()) }

func (s *script) playIn(w *world) error {
	for _, b := range s.blocks {
		w.said = nil
		err := w.follow(b.command)
		b.got = strings.Join(w.said, "\n")
		if err != nil {
			return fmt.Errorf("line %d: %s: %w", b.line, b.command[0], err)
		}
	}
	return nil
}
