package api

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/app"
)

// quick sends a request as programs do, and checks nothing but the status.
func (d *desk) quick(b *testing.B, method, path, body string, status int) []byte {
	r, err := http.NewRequest(method, d.http.URL+base+path, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := d.http.Client().Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != status {
		b.Fatalf("%s: %s %v", res.Status, out, err)
	}
	return out
}

// BenchmarkDecideOverHTTP is one decision: request, commit, answer.
func BenchmarkDecideOverHTTP(b *testing.B) {
	d := open(b, Options{})
	ids := make([]string, b.N)
	for i := range ids {
		ids[i] = d.begin("ask").ID
	}
	for i, id := range ids {
		ids[i] = d.until(id, "waiting").PendingApprovals[0]
	}
	took := make([]time.Duration, b.N)
	b.ResetTimer()
	for i, id := range ids {
		began := time.Now()
		d.quick(b, "POST", "/approvals/"+id+"/decisions", `{"act":"approve","version":1}`, 200)
		took[i] = time.Since(began)
	}
	b.StopTimer()
	report(b, took)
}

// BenchmarkEventToSSE is from the answer to a command, which is durable then,
// to a client that has its event. A negative time means that the client had it
// before the answer.
func BenchmarkEventToSSE(b *testing.B) {
	d := open(b, Options{})
	const each = 50 // messages to one run: reading a long log is not what is measured
	var runs []string
	for range b.N/each + 1 {
		runs = append(runs, d.asked("ask").Run)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w, err := watch(ctx, d.http.URL+contract.PathEvents+"?types=message.added")
	if err != nil {
		b.Fatal(err)
	}
	defer w.close()
	arrived := make(chan time.Time, 1)
	go func() {
		for {
			if _, err := w.event(); err != nil {
				return
			}
			arrived <- time.Now()
		}
	}()
	took := make([]time.Duration, b.N)
	b.ResetTimer()
	for i := range b.N {
		d.command(b, runs[i/each], fmt.Sprint(i))
		committed := time.Now()
		took[i] = max((<-arrived).Sub(committed), 0)
	}
	b.StopTimer()
	report(b, took)
}

// command goes straight to the use case, so that its end is the commit.
func (d *desk) command(b *testing.B, run, text string) {
	cmd, err := app.ParseCommand([]byte(`{"type":"message","text":"` + text + `"}`))
	if err == nil {
		_, err = d.parts.App.Command(context.Background(), app.LocalAdmin, run, cmd, nil)
	}
	if err != nil {
		b.Fatal(err)
	}
}

func report(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	at := func(share float64) float64 {
		return float64(took[min(int(share*float64(len(took))), len(took)-1)].Microseconds()) / 1000
	}
	b.ReportMetric(at(.5), "p50-ms")
	b.ReportMetric(at(.99), "p99-ms")
}
