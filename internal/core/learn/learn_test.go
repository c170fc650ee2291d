package learn_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/learn"
	"github.com/assent-run/assent/internal/core/run"
)

var now = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func lesson(id string, age time.Duration, e run.Experience) learn.Lesson {
	return learn.Lesson{Run: id, Workflow: "w", At: now.Add(-age), Experience: e}
}

func text(g learn.Graph) string {
	var b strings.Builder
	for _, n := range g.Nodes {
		fmt.Fprintf(&b, "%s %.2f %d\n", n.Tool, n.Rank, n.Runs)
	}
	for _, e := range g.Edges {
		fmt.Fprintf(&b, "%s %s %s %.3f\n", e.From, e.Kind, e.To, e.Weight)
	}
	for _, r := range g.Requests {
		fmt.Fprintf(&b, "%q %v not %v %.3f %d\n", r.Text, r.Tools, r.Not, r.Weight, r.Runs)
	}
	return b.String()
}

func TestFold(t *testing.T) {
	both := run.Experience{Tools: []string{"list", "parse"}, Then: [][2]int{{0, 1}}, Fits: [][2]int{{0, 1}}}
	g := learn.Fold([]learn.Lesson{
		lesson("b", learn.HalfLife, both),
		lesson("a", 0, both),
		lesson("c", 0, run.Experience{Tools: []string{"parse", "mail"}, Then: [][2]int{{0, 1}, {7, 1}}}),
		lesson("gone", 11*learn.HalfLife, run.Experience{Tools: []string{"old", "older"}}),
		lesson("later", -time.Hour, run.Experience{Served: []run.Served{{Request: "x", Tools: []string{"mail"}}}}),
	}, now)
	want := `parse 1.00 3
mail 0.54 1
list 0.46 2
list fits parse 1.500
list then parse 1.500
list together parse 1.500
parse then mail 1.000
mail together parse 1.000
"x" [mail] not [] 1.000 1
`
	if got := text(g); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if g := learn.Fold(nil, now); len(g.Nodes)+len(g.Edges)+len(g.Requests) != 0 {
		t.Errorf("%+v", g)
	}
}

// TestVerdicts: what people rejected outweighs what served before, unless it served more often or later.
func TestVerdicts(t *testing.T) {
	served := run.Experience{Served: []run.Served{{Request: "Parse  the files", Tools: []string{"guess", "parse"}}}}
	not := run.Experience{Served: []run.Served{{Request: "parse the FILES", Tools: []string{"parse"},
		Not: []string{"guess"}}}}
	year := 4 * learn.HalfLife
	for _, c := range []struct {
		lessons []learn.Lesson
		want    string
	}{
		{[]learn.Lesson{lesson("a", 0, served)}, `"Parse  the files" [guess parse] not [] 1.000 1`},
		{[]learn.Lesson{lesson("a", 0, served), lesson("b", 0, not)}, `"parse the FILES" [parse] not [] 2.000 2`},
		{[]learn.Lesson{lesson("a", year, served), lesson("b", 0, not)}, `"parse the FILES" [parse] not [guess] 1.062 2`},
		{[]learn.Lesson{lesson("a", 0, served), lesson("b", year, not)},
			`"Parse  the files" [parse guess] not [] 1.062 2`},
	} {
		if got := strings.TrimSpace(text(learn.Fold(c.lessons, now))); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// TestOrderDoesNotMatter: the same lessons give the same graph, to the last bit.
func TestOrderDoesNotMatter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var all []learn.Lesson
	for i := range 300 {
		e := run.Experience{}
		for range 2 + r.IntN(6) {
			if tool := fmt.Sprint("tool", r.IntN(20)); !slices.Contains(e.Tools, tool) {
				e.Tools = append(e.Tools, tool)
			}
		}
		if len(e.Tools) > 1 {
			e.Then = [][2]int{{0, 1}}
		}
		e.Served = []run.Served{{Request: fmt.Sprint("request ", r.IntN(30)), Tools: e.Tools[:1]}}
		all = append(all, lesson(fmt.Sprint(i), time.Duration(r.IntN(1000))*time.Hour, e))
	}
	want := learn.Fold(all, now)
	for range 5 {
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if got := learn.Fold(all, now); !reflect.DeepEqual(got, want) {
			t.Fatal("another graph")
		}
	}
}
