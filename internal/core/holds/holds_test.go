package holds_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/holds"
)

type word string

type nested struct {
	To    string `json:"to"`
	Count int
}

type untagged struct {
	ID      string `json:"id" holds:"id"`
	Value   string `json:"value"`
	Word    word
	Many    []string
	Doc     json.RawMessage
	Bytes   []byte
	Map     map[string]int
	Any     any
	Wrong   string          `holds:"secret"`
	Never   string          `holds:"text,never"`
	Doubt   string          `holds:"payload"`
	Labels  string          `holds:"labels"`
	Config  string          `holds:"config"`
	Text    json.RawMessage `holds:"text"`
	Number  int             `holds:"text"`
	Kept    string          `holds:"kept"`
	Inside  *nested
	Hidden  string `json:"-"`
	At      time.Time
	Wait    time.Duration
	private string
}

func TestUntagged(t *testing.T) {
	_ = untagged{private: ""}
	got := strings.Join(holds.Untagged(reflect.TypeFor[*untagged]()), "\n")
	for _, name := range []string{"Value", "Word", "Many", "Doc", "Bytes", "Map", "Any", "Wrong", "Never", "Doubt",
		"Labels", "Config", "Text", "Number", "Kept"} {
		if !strings.Contains(got, "untagged."+name+" ") {
			t.Errorf("%s was not found:\n%s", name, got)
		}
	}
	if !strings.Contains(got, "nested.To ") {
		t.Errorf("a field of a field was not found:\n%s", got)
	}
	for _, name := range []string{"ID", "Inside", "Hidden", "At", "Wait", "private", "Count"} {
		if strings.Contains(got, "."+name+" ") {
			t.Errorf("%s needs no tag:\n%s", name, got)
		}
	}
}

type tagged struct {
	ID     []string                   `holds:"id"`
	Roles  map[string]int             `holds:"id"`
	Text   *string                    `holds:"text"`
	Option string                     `holds:"text,kept"`
	If     string                     `holds:"text,blank"`
	Doc    map[string]json.RawMessage `holds:"payload"`
	Schema json.RawMessage            `holds:"config"`
	Form   json.RawMessage            `holds:"config,removed"`
	Labels map[string]string          `holds:"labels"`
	Inside []nested                   `holds:"kept"`
	Plain  nested
}

func TestOf(t *testing.T) {
	want := map[string]holds.Field{
		"ID": {holds.ID, holds.Kept}, "Roles": {holds.ID, holds.Kept}, "Text": {holds.Text, holds.Removed},
		"Option": {holds.Text, holds.Kept},
		"If":     {holds.Text, holds.Blank}, "Doc": {holds.Payload, holds.Removed}, "Schema": {holds.Config, holds.Kept},
		"Form":   {holds.Config, holds.Removed},
		"Labels": {holds.Labels, holds.Removed}, "Inside": {holds.Nested, holds.Kept}, "Plain": {holds.Nested, holds.Removed},
	}
	typ := reflect.TypeFor[tagged]()
	for i := range typ.NumField() {
		f := typ.Field(i)
		if got, ok := holds.Of(f); !ok || got != want[f.Name] {
			t.Errorf("%s: %+v, %v", f.Name, got, ok)
		}
	}
}

// TestOfUntagged: what says nothing counts as something that was sent.
func TestOfUntagged(t *testing.T) {
	typ := reflect.TypeFor[untagged]()
	for name, want := range map[string]holds.Kind{"Value": holds.Text, "Word": holds.Text, "Doc": holds.Payload,
		"Wrong": holds.Text, "Text": holds.Payload} {
		f, _ := typ.FieldByName(name)
		if got, ok := holds.Of(f); ok || got.Kind != want || got.Removal != holds.Removed {
			t.Errorf("%s: %+v, %v", name, got, ok)
		}
	}
}
