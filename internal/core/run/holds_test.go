package run_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/holds"
	"github.com/assent-run/assent/internal/core/run"
)

var updateHolds = flag.Bool("update-holds", false, "write testdata/holds.txt")

const (
	holdsPath  = "testdata/holds.txt"
	howToHolds = "go test ./internal/core/run -run FactsSayWhatTheyHold -update-holds"
)

// storedTypes are the types that Strip handles.
func storedTypes(t *testing.T) []reflect.Type {
	t.Helper()
	out := []reflect.Type{reflect.TypeFor[gate.Approval]()}
	for _, name := range run.Types() {
		f, err := run.DecodeFact(name, json.RawMessage(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, reflect.TypeOf(f).Elem())
	}
	return out
}

// TestFactsSayWhatTheyHold: each field of every fact and of approvals has a tag for its content. The list in
// testdata contains released fields: the audit log stores digests of the stripped facts, so none of it may
// change.
func TestFactsSayWhatTheyHold(t *testing.T) {
	fields, seen := map[string]bool{}, map[reflect.Type]bool{}
	for _, typ := range storedTypes(t) {
		for _, field := range holds.Untagged(typ) {
			t.Errorf("%s; say what it holds: `holds:\"id\"`, \"text\", \"payload\" … (package holds)", field)
		}
		listHolds(typ, fields, seen)
	}
	if t.Failed() {
		return
	}
	now := slices.Sorted(maps.Keys(fields))
	raw, err := os.ReadFile(holdsPath)
	if err != nil && !*updateHolds {
		t.Fatal(err)
	}
	listed := strings.Split(strings.TrimSpace(string(raw)), "\n")
	for _, line := range listed {
		if line != "" && !fields[line] {
			t.Errorf("%q does not hold any more: what is left of stored events would be another, and the audit "+
				"log would not verify", line)
		}
	}
	if *updateHolds && !t.Failed() {
		if err := os.WriteFile(holdsPath, []byte(strings.Join(now, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, line := range now {
		if !slices.Contains(listed, line) {
			t.Errorf("%q is new: run %s", line, howToHolds)
		}
	}
}

// listHolds lists how Strip treats every field of a type.
func listHolds(typ reflect.Type, out map[string]bool, seen map[reflect.Type]bool) {
	for k := typ.Kind(); k == reflect.Pointer || k == reflect.Slice && typ != reflect.TypeFor[json.RawMessage]() ||
		k == reflect.Map; k = typ.Kind() {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || typ == reflect.TypeFor[time.Time]() || seen[typ] {
		return
	}
	seen[typ] = true
	for i := range typ.NumField() {
		f := typ.Field(i)
		if !f.IsExported() {
			continue
		}
		held, _ := holds.Of(f)
		if _, tagged := f.Tag.Lookup("holds"); tagged {
			kind := held.Kind
			if kind == holds.Nested {
				kind = "all of it"
			}
			out[fmt.Sprintf("%s.%s: %s, %s", typ, f.Name, kind, held.Removal)] = true
		}
		listHolds(f.Type, out, seen)
	}
}
