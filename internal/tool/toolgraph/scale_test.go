package toolgraph

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// madeWord is a word of a language with few frequent and many rare words.
func madeWord(r *rand.Rand) string {
	n := int(float64(20_000) * r.Float64() * r.Float64() * r.Float64() * r.Float64())
	return string(rune('b'+n%20)) + "a" + string(rune('b'+n/20%20)) + "o" + string(rune('b'+n/400%20)) + "u" +
		string(rune('b'+n/8000))
}

func madeText(r *rand.Rand, words int) string {
	out := make([]string, words)
	for i := range out {
		out[i] = madeWord(r)
	}
	return strings.Join(out, " ")
}

// madeStops is how a request begins.
func madeStops(r *rand.Rand) string {
	ways := []string{"i want to know all that is in the ", "could you please give me some of ", "what do we need for the ",
		"how can i get my ", "please help us to have one of these ", ""}
	return ways[r.IntN(len(ways))]
}

// made are tools as they come: a name of three words, a description of twenty, ten
// words about arguments, from servers of a hundred tools each.
func made(n int) []Tool {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	out := make([]Tool, n)
	for i := range out {
		out[i] = Tool{
			ID: fmt.Sprint(i), Name: strings.ReplaceAll(madeText(r, 3), " ", "_"), Description: madeText(r, 20),
			Server: fmt.Sprint("server ", i/100), Arguments: madeText(r, 10),
		}
	}
	return out
}

// madePast are earlier requests in the words of tools, whose tools are often others.
func madePast(n, tools int) []Past {
	r := rand.New(rand.NewPCG(2, uint64(n)))
	all := made(tools)
	out := make([]Past, n)
	for i := range out {
		at := r.IntN(tools)
		words := strings.Fields(all[at].Description)
		out[i] = Past{Request: madeStops(r) + strings.Join(words[:4+r.IntN(6)], " ") + ". " + madeText(r, 3),
			Tools: []string{fmt.Sprint((at*31 + 7) % tools), fmt.Sprint(at)}}
	}
	return out
}

// measured is what a graph costs.
type measured struct {
	build, median, p99 time.Duration
	bytes              uint64 // per tool, the tools' own texts not counted
}

func measure(tools, past, searches int) measured {
	all, history := made(tools), madePast(past, tools)
	before := heap()
	begin := time.Now()
	g := New(all, history)
	m := measured{build: time.Since(begin), bytes: (heap() - before) / uint64(tools)}
	r := rand.New(rand.NewPCG(3, 3))
	took := make([]time.Duration, searches)
	for i := range took {
		request := madeStops(r) + madeText(r, 8) + ". " + madeText(r, 6) + "? " + history[r.IntN(len(history))].Request
		begin := time.Now()
		g.Search(request, 10)
		took[i] = time.Since(begin)
	}
	runtime.KeepAlive(all)
	runtime.KeepAlive(history)
	slices.Sort(took)
	m.median, m.p99 = took[len(took)/2], took[len(took)*99/100]
	return m
}

func heap() uint64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

// BenchmarkScale builds and searches graphs of 10,000 and 100,000 tools with 10,000
// earlier requests.
func BenchmarkScale(b *testing.B) {
	for _, c := range []struct {
		tools int
		limit time.Duration // of 99 of 100 searches
	}{{10_000, 10 * time.Millisecond}, {100_000, 50 * time.Millisecond}} {
		b.Run(fmt.Sprint(c.tools), func(b *testing.B) {
			for b.Loop() {
				m := measure(c.tools, 10_000, 500)
				b.ReportMetric(m.build.Seconds(), "s/build")
				b.ReportMetric(m.median.Seconds()*1000, "ms-median")
				b.ReportMetric(m.p99.Seconds()*1000, "ms-p99")
				b.ReportMetric(float64(m.bytes), "B/tool")
				if m.p99 > c.limit {
					b.Errorf("p99 is %v, more than %v", m.p99, c.limit)
				}
			}
		})
	}
}
