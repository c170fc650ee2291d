package learn_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/learn"
	"github.com/assent-run/assent/internal/core/run"
)

// BenchmarkFold folds as many lessons as count.
func BenchmarkFold(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	all := make([]learn.Lesson, 20_000)
	for i := range all {
		var e run.Experience
		first := r.IntN(1000)
		for k := range 5 {
			e.Tools = append(e.Tools, fmt.Sprint("tool", first+k))
		}
		e.Then = [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}}
		e.Served = []run.Served{{Request: fmt.Sprint("do this with number ", r.IntN(5000)), Tools: e.Tools[:1]}}
		all[i] = lesson(fmt.Sprint("run_", i), time.Duration(i)*time.Minute, e)
	}
	for b.Loop() {
		learn.Fold(all, now)
	}
}
