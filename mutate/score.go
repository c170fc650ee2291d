package main

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// score counts the fates of the mutants of one package.
type score struct {
	dir       string
	all, run  int
	killed    int
	stopped   int // out of time or memory
	explained int
	survived  int
	unreached int
	took      time.Duration
}

// percent is the share of mutants that a test noticed. Survivors with a reason
// count as survivors.
func (s score) percent() float64 {
	if s.run == 0 {
		return 100
	}
	return 100 * float64(s.killed+s.stopped) / float64(s.run)
}

func (s score) row() string {
	return fmt.Sprintf("| `%s` | %d | %d | %d | %d | %d | %d | %d | %.1f %% |\n",
		strings.TrimPrefix(s.dir, "internal/"), s.all, s.run, s.killed, s.stopped, s.explained, s.survived, s.unreached,
		s.percent())
}

func printTable(out io.Writer, scores []score) {
	fmt.Fprint(out,
		"| package | mutants | tried | killed | out of time or memory | survived, explained | survived | "+
			"never reached | noticed |\n"+
			"|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, s := range scores {
		fmt.Fprint(out, s.row())
	}
}

// choose takes the mutants that were asked for: a sample is the same for the same seed.
func choose(mutants []mutant, o options) []mutant {
	chosen := slices.DeleteFunc(slices.Clone(mutants), func(m mutant) bool {
		return o.only != nil && !o.only.MatchString(m.String())
	})
	if o.sample <= 0 || len(chosen) <= o.sample {
		return chosen
	}
	r := rand.New(rand.NewPCG(o.seed, 0))
	r.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	chosen = chosen[:o.sample]
	slices.SortFunc(chosen, func(a, b mutant) int { return cmp.Compare(a.id, b.id) })
	return chosen
}
