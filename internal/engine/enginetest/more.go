package enginetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/port"
)

func (b *bench) restart() {
	b.start(Surroundings{})
	id := b.begin(Define(b, gated))
	b.ends(id, run.Waiting)
	b.stop()
	b.start(Surroundings{})
	if err := b.decide("bob", b.approval(), gate.Approve); err != nil {
		b.Fatal(err)
	}
	b.ends(id, run.Completed)
}

// Unfinished work is resumed by the next engine; recorded results are not repeated.
func (b *bench) takenUp() {
	var calls [3]atomic.Int32
	step := func(w port.Work) *atomic.Int32 { return &calls[w.Step[0]-'a'] }
	stuck := make(chan struct{})
	begin := sync.OnceFunc(func() { close(stuck) })
	b.start(Surroundings{Agent: func(ctx context.Context, w port.Work) (run.Result, error) {
		step(w).Add(1)
		if w.Step == "b" {
			begin() // a second call is counted, and no panic here
			<-ctx.Done()
			return run.Result{}, ctx.Err()
		}
		return Echo(ctx, w)
	}})
	id := b.begin(Define(b, three))
	<-stuck
	ctx, cancel := context.WithCancel(b.Context())
	cancel()
	if err := b.e.Stop(ctx); !errors.Is(err, context.Canceled) {
		b.Errorf("Stop did not say that work was left: %v", err)
	}
	if err := b.store.Close(); err != nil {
		b.Error(err)
	}
	b.e = nil
	b.start(Surroundings{Agent: func(ctx context.Context, w port.Work) (run.Result, error) {
		step(w).Add(1)
		return Echo(ctx, w)
	}})
	b.ends(id, run.Completed)
	if got := fmt.Sprint(calls[0].Load(), calls[1].Load(), calls[2].Load()); got != "1 2 1" {
		b.Errorf("a, b and c ran %s times", got)
	}
}

func (b *bench) timers() {
	b.start(Surroundings{Agent: func(ctx context.Context, w port.Work) (run.Result, error) {
		if w.Try < 3 {
			return run.Result{}, errors.New("busy")
		}
		return Echo(ctx, w)
	}})
	b.ends(b.begin(Define(b, `{"workflow":"w","steps":[{"id":"a","agent":"x","retry":{"max":3,"backoff":"20ms"}},
		{"id":"h","human":{"kind":"approval","timeout":{"after":"50ms","then":"approve"}}}]}`)), run.Completed)
}

// A deadline that passes while no engine runs is handled by the next one.
func (b *bench) timersAfterRestart() {
	b.start(Surroundings{})
	id := b.begin(Define(b, `{"workflow":"w","steps":[{"id":"h","human":{"kind":"approval","timeout":{"after":"300ms","then":"approve"}}}]}`))
	b.stop()
	b.start(Surroundings{})
	b.ends(id, run.Completed)
}

// A run waits while its sub-run waits or is paused, and works while the sub-run works.
func (b *bench) parentStands() {
	work := make(chan struct{})
	child := Define(b, `{"workflow":"child","steps":[{"id":"k","agent":"x"},{"id":"l","agent":"x"}],"gates":[{"id":"g","at":"start"}]}`)
	b.start(Surroundings{
		Workflows: map[string]*plan.Definition{"child": child},
		Agent:     func(ctx context.Context, w port.Work) (run.Result, error) { <-work; return Echo(ctx, w) },
	})
	id := b.begin(Define(b, `{"workflow":"parent","steps":[{"id":"s","workflow":"child"}]}`))
	b.ends(id, run.Waiting)
	a := b.approval()
	if err := b.decide("bob", a, gate.Approve); err != nil {
		b.Fatal(err)
	}
	b.ends(id, run.Running)
	do := func(command string, what run.Operation) {
		if _, err := b.e.Do(b.Context(), a.Run, run.Command{ID: command, By: ann, Do: what}, nil); err != nil {
			b.Fatal(err)
		}
	}
	do("pause", run.Pause{})
	work <- struct{}{}
	b.await(a.Run, func(s *machine.State) bool { return s.Status == run.Paused && s.Steps[0].Status == run.DoneStep })
	b.ends(id, run.Waiting)
	do("resume", run.Resume{})
	b.ends(id, run.Running)
	close(work)
	b.ends(id, run.Completed)
}

func (b *bench) subRuns() {
	child := Define(b, `{"workflow":"child","steps":[{"id":"k","agent":"x"}],"gates":[{"id":"g","at":"end"}]}`)
	parent := Define(b, `{"workflow":"parent","steps":[{"id":"s","workflow":"child"},{"id":"z","agent":"x"}]}`)
	b.start(Surroundings{Workflows: map[string]*plan.Definition{"child": child}})
	id := b.begin(parent)
	b.ends(id, run.Waiting) // for the approver in the sub-run
	a := b.approval()
	if row, err := b.store.Run(b.Context(), a.Run); err != nil || row.Parent != id {
		b.Errorf("%+v, %v", row, err)
	}
	if err := b.decide("bob", a, gate.Approve); err != nil {
		b.Fatal(err)
	}
	b.ends(id, run.Completed)

	// A sub-run does not outlive its parent.
	id = b.begin(parent)
	b.ends(id, run.Waiting)
	orphan := b.approval().Run
	if _, err := b.e.Do(b.Context(), id, run.Command{ID: "abort", By: ann, Do: run.Abort{Reason: "enough"}},
		nil); err != nil {
		b.Fatal(err)
	}
	b.ends(orphan, run.Cancelled)
	b.await(id, func(s *machine.State) bool { return len(s.Children) == 0 })
}

func (b *bench) abort() {
	begun, stopped := make(chan struct{}), make(chan struct{})
	begin, stop := sync.OnceFunc(func() { close(begun) }), sync.OnceFunc(func() { close(stopped) })
	b.start(Surroundings{Agent: func(ctx context.Context, w port.Work) (run.Result, error) {
		begin()
		<-ctx.Done()
		stop()
		return run.Result{}, ctx.Err()
	}})
	id := b.begin(Define(b, three))
	<-begun
	if _, err := b.e.Do(b.Context(), id, run.Command{ID: "abort", By: ann, Do: run.Abort{Reason: "enough"}},
		nil); err != nil {
		b.Fatal(err)
	}
	select {
	case <-stopped:
	case <-time.After(patience):
		b.Fatal("the agent continues")
	}
	b.ends(id, run.Cancelled)
}

func (b *bench) panics() {
	b.start(Surroundings{Agent: func(context.Context, port.Work) (run.Result, error) { panic("boom") }})
	b.await(b.begin(Define(b, three)), func(s *machine.State) bool {
		return s.Status == run.Failed &&
			s.Error.Code == "panic"
	})
}

func (b *bench) fork() {
	var calls atomic.Int32
	b.start(Surroundings{Agent: func(ctx context.Context, w port.Work) (run.Result, error) {
		if w.Step == "a" {
			calls.Add(1)
		}
		return Echo(ctx, w)
	}})
	id := b.begin(Define(b, gated))
	b.ends(id, run.Waiting)
	row, err := b.store.Run(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	fork := engine.NewRunID(time.Now())
	if _, err := b.e.Fork(b.Context(), fork, id, row.Seq, run.Edits{}, run.Command{ID: fork, By: ann}, nil); err != nil {
		b.Fatal(err)
	}
	page, err := b.store.Approvals(b.Context(), port.ApprovalQuery{Run: fork, Status: []string{"pending"}, Limit: 10})
	if err != nil || len(page.Items) != 1 {
		b.Fatalf("%+v, %v", page, err)
	}
	if err := b.decide("bob", page.Items[0], gate.Approve); err != nil {
		b.Fatal(err)
	}
	b.ends(fork, run.Completed)
	b.ends(id, run.Waiting) // the approval there is still open
	if calls.Load() != 1 {
		b.Errorf("a ran %d times", calls.Load())
	}
}

func (b *bench) large() {
	big := `{"text":"` + strings.Repeat("é<", largePairs) + `","n":9007199254740993}`
	b.start(Surroundings{Agent: func(ctx context.Context, w port.Work) (run.Result, error) {
		if w.Step == "a" {
			return run.Result{Output: json.RawMessage(big)}, nil
		}
		return run.Result{Output: w.Input}, nil
	}})
	id := b.begin(Define(b, `{"workflow":"w","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x","with":{"text":"a.text","n":"a.n"}}]}`))
	b.ends(id, run.Completed)
	b.stop()
	b.start(Surroundings{})
	b.await(id, func(s *machine.State) bool { return string(s.Output) == big })
}

func (b *bench) deliverables() {
	b.start(Surroundings{Agent: func(context.Context, port.Work) (run.Result, error) {
		return run.Result{Output: json.RawMessage(`1`), Deliverables: []run.Deliverable{
			{Name: "report.md", Type: "document", Content: json.RawMessage(`"# Report"`)},
			{Name: "dot.png", Type: "media", Content: json.RawMessage(`{"$base64":"iVBORw=="}`)},
		}}, nil
	}})
	id := b.begin(Define(b, `{"workflow":"w","steps":[{"id":"a","agent":"x"}]}`))
	b.ends(id, run.Completed)
	page, err := b.store.Deliverables(b.Context(), port.DeliverableQuery{Run: id, Limit: 10})
	if err != nil || len(page.Items) != 2 {
		b.Fatalf("%+v, %v", page, err)
	}
	for _, d := range page.Items {
		blob, size, err := b.store.OpenBlob(b.Context(), d.Blob)
		if err != nil {
			b.Fatal(err)
		}
		content, err := io.ReadAll(blob)
		want := map[string]string{"report.md": "# Report", "dot.png": "\x89PNG"}[d.Name]
		if err = errors.Join(err, blob.Close()); err != nil || string(content) != want || size != int64(len(want)) ||
			d.Size != size {
			b.Errorf("%s: %q, %d, %v", d.Name, content, size, err)
		}
	}
	// A fork has them as well, with its own ids.
	row, err := b.store.Run(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	fork := engine.NewRunID(time.Now())
	if _, err := b.e.Fork(b.Context(), fork, id, row.Seq, run.Edits{}, run.Command{ID: fork, By: ann}, nil); err != nil {
		b.Fatal(err)
	}
	page, err = b.store.Deliverables(b.Context(), port.DeliverableQuery{Run: fork, Limit: 10})
	if err != nil || len(page.Items) != 2 || page.Items[0].Version != 1 {
		b.Errorf("%+v, %v", page, err)
	}
}

func (b *bench) answers() {
	b.start(Surroundings{})
	id := engine.NewRunID(time.Now())
	said := func(s *machine.State, r port.Receipt) (*port.Answer, error) {
		return &port.Answer{Key: "ann POST /runs k1", Body: "digest", Status: 201,
			Answer: []byte(fmt.Sprintf("%s at %d", s.ID, r.Seq)), At: time.Now()}, nil
	}
	r, err := b.e.Begin(b.Context(), id, Define(b, gated), run.Command{ID: id, By: ann, Do: run.Start{Owner: "ann"}}, said)
	if err != nil {
		b.Fatal(err)
	}
	if a, ok, err := b.store.Answer(b.Context(), "ann POST /runs k1"); err != nil || !ok || a.Status != 201 ||
		string(a.Answer) != fmt.Sprintf("%s at %d", id, r.Seq) {
		b.Errorf("%+v, %v, %v", a, ok, err)
	}
	b.ends(id, run.Waiting)
}
