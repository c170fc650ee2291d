package trace

import (
	"strings"
	"testing"
)

const example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

func TestParse(t *testing.T) {
	for text, want := range map[string]bool{
		example:                       true,
		example[:53] + "00":           true,
		"01" + example[2:] + "-later": true,
		"":                            false,
		"00" + example[2:] + "-later": false,
		"01" + example[2:] + "later":  false,
		"ff" + example[2:]:            false,
		strings.ToUpper(example):      false,
		example[:54]:                  false,
		strings.Replace(example, "4bf9", "4bg9", 1):         false,
		"zz" + example[2:]:                                  false,
		"00-" + strings.Repeat("0", 32) + example[35:]:      false,
		example[:36] + strings.Repeat("0", 16) + "-01":      false,
		"01" + example[2:] + "-" + strings.Repeat("x", 512): false,
		strings.Replace(example, "-", "_", 1):               false,
		example[:52] + "_01":                                false,
		example[:35] + "_" + example[36:]:                   false,
	} {
		c, ok := Parse(text)
		if ok != want {
			t.Errorf("Parse(%q): %t", text, ok)
		}
		if !ok && c != (Context{}) && c.Valid() {
			t.Errorf("Parse(%q) returns %v", text, c)
		}
	}
	if c, _ := Parse(example); c.String() != example || !c.Sampled {
		t.Errorf("%s became %s", example, c)
	}
	if c, _ := Parse(example[:53] + "00"); c.Sampled || c.String() != example[:53]+"00" {
		t.Errorf("%s is sampled", c)
	}
}

// A run's spans are the same wherever they are named, and others for every run and name.
func TestOfRun(t *testing.T) {
	a, b := OfRun("run_1", ""), OfRun("run_2", "")
	if a != OfRun("run_1", "no traceparent") || !a.Valid() || !a.Sampled {
		t.Errorf("%s is not the span of run_1", a)
	}
	if a.Trace == b.Trace || a.Span == b.Span || a.Child("x") == a.Child("y") || a.Child("x").Trace != a.Trace {
		t.Errorf("%s and %s", a, b)
	}
	if c := OfRun("run_1", example); c.TraceID() != example[3:35] || c.SpanID() == example[36:52] || !c.Sampled {
		t.Errorf("with a caller: %s", c)
	}
	if c := OfRun("run_1", example[:53]+"00"); c.Sampled {
		t.Errorf("%s is sampled", c)
	}
	if From(With(t.Context(), Context{})) != (Context{}) || From(With(t.Context(), a)) != a {
		t.Error("a context loses its span")
	}
	// Names must never change: processes of two releases work on one run.
	if got := OfRun("run_1", "").Child("run_1/step/a#0~1").String(); got != golden {
		t.Errorf("%s", got)
	}
}

const golden = "00-973c42a3795184af0b369c40ab329d72-028dcdabaf62230d-01"

func FuzzParse(f *testing.F) {
	f.Add(example)
	f.Fuzz(func(t *testing.T, text string) {
		if c, ok := Parse(text); ok && !strings.HasPrefix(text[2:], c.String()[2:53]) {
			t.Errorf("%q became %s", text, c)
		}
	})
}
