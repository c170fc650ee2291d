package expr_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/steady"
)

const tenMB = 10 << 20

// slowest is far above what the budget allows on a slow machine, and far below what an unbounded evaluation
// would take.
const slowest = 10 * time.Second

func fill(unit, between string) string {
	return strings.Repeat(unit+between, tenMB/(len(unit)+len(between))) + unit
}

func documents() map[string]string {
	var members strings.Builder
	for i := 0; members.Len() < tenMB; i++ {
		fmt.Fprintf(&members, `"key_%d": {"a": 1, "b": [1, 2, 3]}, `, i)
	}
	return map[string]string{
		"numbers": "[" + fill("1", ",") + "]",
		"escaped": `["` + fill(`\u0061`, `","`) + `"]`,
		"members": "{" + members.String() + `"x": 1}`,
		"deep":    strings.Repeat(`{"a":`, 900) + `"` + fill("a", "") + `"` + strings.Repeat("}", 900),
		"nested":  strings.Repeat("[", 900) + fill("1", ",") + strings.Repeat("]", 900),
		"text":    `"` + fill("a", "") + `"`,
		"digits":  fill("9", ""),
		"broken":  fill("[", ""),
	}
}

// join repeats a condition up to the limits of an expression; # becomes a different number each time.
func join(part, with string) string {
	var b strings.Builder
	for i := 0; ; i++ {
		next := strings.ReplaceAll(part, "#", fmt.Sprint(i))
		if b.Len()+len(with)+len(next) > expr.LengthMax {
			return b.String()
		}
		if i > 0 {
			b.WriteString(with)
		}
		b.WriteString(next)
		if _, err := expr.Compile(b.String() + with + next); err != nil {
			return b.String()
		}
	}
}

// Adversarial expressions over 10 MB of adversarial data end in bounded time,
// with an answer or with the budget's error.
func TestCostIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("reads some gigabytes")
	}
	sources := []string{
		join(`d contains "c#"`, " || "),
		join(`d contains #`, " || "),
		join(`d == d`, " && "),
		join(`d.length > #`, " && "),
		join(`d.k#==1`, " || "),
		"d" + strings.Repeat(".a", 800) + " > 1",
		"d" + strings.Repeat("[0]", 400) + " > 1",
		join(`d matches "(a?){9}(a*)*b#"`, " || "),
		join(`d matches "(a|aa)+$"`, " && "),
		strings.Repeat("d + ", 200) + `"x" == "x"`,
		join(`lower(d) == upper(d)`, " || "),
		join(`d + # > d`, " || "),
		join(`d > d - #`, " || "),
		strings.Repeat("d * ", 200) + "1 > 1",
		join(`"k#" in d`, " || "),
		join(`d in [d, d, d]`, " && "),
		join(`[d, d] == [d, d]`, " && "),
	}
	for name, doc := range documents() {
		raw := json.RawMessage(doc)
		look := func(string) (json.RawMessage, bool) { return raw, true }
		for _, src := range sources {
			p := compile(t, src)
			start := steady.CPU()
			_, err := p.Test(look)
			if took := steady.CPU() - start; took > slowest {
				t.Errorf("%s: %.60s took %v (%v)", name, src, took, err)
			} else if took > 400*time.Millisecond {
				t.Logf("%s: %.60s took %v (%.80v)", name, src, took, err)
			}
			if err != nil && fault.CodeOf(err) == "" {
				t.Errorf("%s: %.60s: %v carries no code", name, src, err)
			}
		}
	}
}

// Reading one field of a large object allocates nothing that grows with it.
func TestOneFieldOfALargeObject(t *testing.T) {
	raw := json.RawMessage(`{"x": {"filler": [` + fill(`{"a": "b"}`, ",") + `], "score": 0.85}}`)
	look := func(root string) (json.RawMessage, bool) { return value.Get(raw, root) }
	p := compile(t, "x.score > 0.7")
	var ok bool
	var err error
	allocs := testing.AllocsPerRun(3, func() { ok, err = p.Test(look) })
	if !ok || err != nil || allocs > 10 {
		t.Errorf("%v, %v, %v allocations", ok, err, allocs)
	}
}

func TestBudgetIsAnError(t *testing.T) {
	raw := json.RawMessage(`"` + fill("a", "") + `"`)
	p := compile(t, `d matches "a{50}b"`)
	_, err := p.Test(func(string) (json.RawMessage, bool) { return raw, true })
	if !fault.Is(err, fault.TooLarge) {
		t.Errorf("%v, want too_large", err)
	}
}

func TestBudgetIsShared(t *testing.T) {
	look := in(claim)
	left := 100
	p := compile(t, `name == "anna"`)
	tests := 0
	for ; ; tests++ {
		if _, err := p.TestWithin(&left, look); err != nil {
			break
		}
	}
	if tests == 0 || tests > 20 || left >= 0 {
		t.Errorf("%d tests, %d left", tests, left)
	}
	if _, err := expr.Compare(&left, "==", json.RawMessage("1"), json.RawMessage("1")); !fault.Is(err, fault.TooLarge) {
		t.Errorf("%v, want too_large", err)
	}
	if _, err := compile(t, "missing == 1").TestWithin(&left, look); !fault.Is(err, fault.TooLarge) {
		t.Errorf("%v, want too_large", err)
	}
}

func FuzzExpressions(f *testing.F) {
	for _, src := range []string{
		`fraud_score > 0.7`, `fraud_signals.length > 3`,
		`risk == "low" && confidence >= 0.9 && amount < 50`, `tags contains "vip"`,
		`not (a in [1, "x", null]) or b.c[0].d matches "^a+$"`, "`a-b` * 2 / 3 % 4 - -1 <= max(1, abs(x), 1e400)",
		`lower(a) + "x" startsWith 'y' and a != null`,
		`!a == b`, `a.b.length.c not contains "x"`,
	} {
		f.Add(src, claim)
	}
	f.Add(`a == b`, `{"a": [[1, {"x": 2}], 1e9999], "b": [`)
	f.Fuzz(func(t *testing.T, src, doc string) {
		p, err := expr.Compile(src)
		if err != nil {
			e, ok := err.(*fault.Error)
			if !ok || e.Code != fault.Invalid || len(e.Problems) != 1 || e.Problems[0].Line < 1 || e.Problems[0].Column < 1 {
				t.Fatalf("%q: %#v", src, err)
			}
			return
		}
		if len(p.Paths()) < len(p.Roots()) {
			t.Fatalf("%q: %d roots, %d paths", src, len(p.Roots()), len(p.Paths()))
		}
		for _, look := range []expr.Lookup{in(doc),
			func(string) (json.RawMessage, bool) { return json.RawMessage(doc), true }} {
			a, errA := p.Test(look)
			b, errB := p.Test(look)
			if a != b || (errA == nil) != (errB == nil) || a && errA != nil {
				t.Fatalf("%q: %v, %v and then %v, %v", src, a, errA, b, errB)
			}
			if errA != nil && strings.Contains(errA.Error(), "runtime error") {
				t.Fatalf("%q on %q: %v", src, doc, errA)
			}
		}
	})
}

func BenchmarkTest(b *testing.B) {
	for _, src := range []string{
		`fraud_score > 0.7`, `nested.field > 3`, `fraud_signals.length > 3`,
		`risk == "low" && confidence >= 0.9 && amount < 50`, `tags contains "vip"`, `amount * 1.25 > 60.5`,
	} {
		b.Run(strings.ReplaceAll(src, " ", ""), func(b *testing.B) {
			p := compile(b, src)
			look := in(claim)
			fields := map[string]json.RawMessage{}
			for _, r := range p.Roots() {
				fields[r], _ = look(r)
			}
			byName := func(root string) (json.RawMessage, bool) { raw, ok := fields[root]; return raw, ok }
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Test(byName); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := expr.Compile(`risk == "low" && confidence >= 0.9 && amount < 50`); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTenMB(b *testing.B) {
	raw := json.RawMessage(`{"filler": [` + fill(`{"a": "b"}`, ",") + `], "score": 0.85}`)
	p := compile(b, "x.score > 0.7")
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if ok, err := p.Test(func(string) (json.RawMessage, bool) { return raw, true }); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}
