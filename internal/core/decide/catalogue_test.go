package decide_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/scenario"
)

// docs/events.md lists every event type. Descriptions and fields come from the source, so a fact without a
// doc comment fails the test; examples are events from the scenarios.
var updateEvents = flag.Bool("update-events", false, "write docs/events.md")

const (
	cataloguePath  = "../../../docs/events.md"
	howToCatalogue = "go test ./internal/core/decide -run EventCatalogue -update-events"
	exampleMax     = 900 // maximum bytes of an example, where there is a choice
)

func TestEventCatalogue(t *testing.T) {
	words := readWords(t, "../run", "../gate", "../risk", "../plan")
	written, err := os.ReadFile(cataloguePath)
	if err != nil && !*updateEvents {
		t.Fatal(err)
	}
	examples := examplesOf(string(written))
	if *updateEvents {
		for typ, e := range scenarioEvents(t) {
			examples[typ] = e
		}
	}
	for _, typ := range run.Types() {
		checkExample(t, typ, examples[typ])
	}
	text, problems := newCatalogue(words, examples).page()
	for _, p := range problems {
		t.Error(p)
	}
	if *updateEvents && !t.Failed() {
		if err := os.WriteFile(cataloguePath, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !t.Failed() && text != string(written) {
		t.Errorf("docs/events.md is not current: run %s", howToCatalogue)
	}
}

// TestEventCatalogueComplains: a fact without a description is detected.
func TestEventCatalogueComplains(t *testing.T) {
	words := readWords(t, "../run", "../gate", "../risk", "../plan")
	words.docs["run.StepFailed"] = ""
	words.docs["run.StepSkipped"] = "StepSkipped is about steps."
	_, problems := newCatalogue(words, nil).page()
	if len(problems) != 2 || !strings.Contains(problems[0], "StepFailed") ||
		!strings.Contains(problems[1], "StepSkipped") {
		t.Errorf("complained about %q", problems)
	}
}

// checkExample fails for an example that this release would not write.
func checkExample(t *testing.T, typ, example string) {
	t.Helper()
	if example == "" {
		t.Errorf("%s has no example: let a scenario in %s write one, then run %s", typ, scenarioDir, howToCatalogue)
		return
	}
	var e run.Event
	if err := json.Unmarshal([]byte(example), &e); err != nil {
		t.Errorf("the example of %s cannot be read: %v", typ, err)
		return
	}
	again, err := e.MarshalJSON()
	if err != nil || e.Fact.Type() != typ || compact(example) != compact(string(again)) {
		t.Errorf("the example of %s is out of date (%v): run %s", typ, err, howToCatalogue)
	}
}

var exampleBlock = regexp.MustCompile("(?s)### `([a-z._]+)`\n(.*?)```json\n(.*?)```")

// examplesOf parses the examples of a catalogue, by type.
func examplesOf(page string) map[string]string {
	out := map[string]string{}
	for _, m := range exampleBlock.FindAllStringSubmatch(page, -1) {
		if !strings.Contains(m[2], "\n### ") {
			out[m[1]] = strings.TrimSpace(m[3])
		}
	}
	return out
}

// scenarioEvents plays all scenarios and keeps one event per type: the one that shows most within the limit,
// else the shortest.
func scenarioEvents(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(scenarioDir, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	best := map[string]string{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := scenario.Read(string(raw))
		if err != nil {
			t.Fatal(err)
		}
		w := scenario.NewWorld()
		for _, b := range s.Blocks {
			if err := w.Follow(b.Command); err != nil {
				t.Fatalf("%s:%d: %v", file, b.Line, err)
			}
			for _, raw := range w.Log() {
				keepExample(t, best, raw)
			}
		}
	}
	return best
}

func keepExample(t *testing.T, best map[string]string, raw json.RawMessage) {
	t.Helper()
	var head struct{ Type string }
	if err := json.Unmarshal(raw, &head); err != nil {
		t.Fatal(err)
	}
	old := best[head.Type]
	fits, oldFits := len(raw) <= exampleMax, len(old) <= exampleMax
	switch {
	case old == "", fits && !oldFits, fits && oldFits && len(raw) > len(old), !fits && !oldFits && len(raw) < len(old):
		best[head.Type] = string(raw)
	}
}

// indentExample formats an example over several lines, with short values on one.
func indentExample(example string) string {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(example), "", "  "); err != nil {
		return example
	}
	return shortLists.ReplaceAllStringFunc(b.String(), func(s string) string {
		one := strings.Join(strings.Fields(s), " ")
		one = strings.ReplaceAll(strings.ReplaceAll(one, "[ ", "["), " ]", "]")
		if len(one) < 100 && compact(one) == compact(s) {
			return one
		}
		return s
	})
}

func compact(text string) string {
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		return text
	}
	return b.String()
}

var shortLists = regexp.MustCompile(`[\[{][^\[\]{}"]*("(\\.|[^"\\])*"[^\[\]{}"]*)*[\]}]`)

// facts lists the facts in declaration order.
func (w *words) facts() (out []factWords) {
	for _, name := range w.order {
		typ, ok := w.types[name]
		if !ok || !slices.Contains(run.Types(), typ) {
			continue
		}
		out = append(out, factWords{name: name, typ: typ, group: w.groups["run."+name], doc: w.docs["run."+name]})
	}
	return out
}

type factWords struct{ name, typ, group, doc string }

// describe turns a fact's doc comment into a sentence.
func (f factWords) describe() (string, error) {
	rest, ok := strings.CutPrefix(f.doc, f.name+" is recorded ")
	if !ok {
		return "", fmt.Errorf("describe the fact %s (%s): its doc comment in internal/core/run has to begin "+
			"with %q, then run %s", f.name, f.typ, f.name+" is recorded when …", howToCatalogue)
	}
	return "Recorded " + rest, nil
}
