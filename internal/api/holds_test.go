package api

import (
	"reflect"
	"testing"

	"github.com/assent-run/assent/internal/core/holds"
	"github.com/assent-run/assent/internal/view"
)

// TestMaskedViewsSayWhatTheyHold: of every answer that may be masked, each field
// says by its tag what it holds. A new field without one fails here.
func TestMaskedViewsSayWhatTheyHold(t *testing.T) {
	masked, seen := map[reflect.Type]bool{}, map[reflect.Type]bool{}
	var visit func(reflect.Type)
	visit = func(typ reflect.Type) {
		for k := typ.Kind(); k == reflect.Pointer || k == reflect.Slice || k == reflect.Map; k = typ.Kind() {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || seen[typ] {
			return
		}
		seen[typ] = true
		for i := range typ.NumField() {
			f := typ.Field(i)
			if f.Type == reflect.TypeFor[view.Masking]() || f.Tag.Get("json") == "masked_paths,omitempty" {
				masked[typ] = true
			}
			visit(f.Type)
		}
	}
	for _, op := range operations() {
		if op.Gives != nil {
			visit(reflect.TypeOf(op.Gives))
		}
	}
	delete(masked, reflect.TypeFor[view.Masking]())
	for typ := range masked {
		for _, field := range holds.Untagged(typ) {
			t.Errorf("%s; say what it holds: `holds:\"id\"`, \"text\", \"payload\" … (package holds)", field)
		}
	}
	if len(masked) < 10 {
		t.Errorf("only %d masked answers were found: %v", len(masked), masked)
	}
}
