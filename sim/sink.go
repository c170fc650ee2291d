package sim

import (
	"encoding/json"
	"time"

	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/sim/audit"
)

// sink is the outside world as an idempotent receiver: the first call with a key does something, the same key
// again gets the same answer.
type sink struct {
	w      *world
	done   map[string]*work
	starts []audit.Start
}

// work is one piece of work across attempts.
type work struct {
	content string
	answer  answer // nil until it was really done
}

// answer is the answer to a particular attempt.
type answer func(run.Key) run.Operation

// note records a start.
func (s *sink) note(r *record, st *machine.State, k run.Key, kind string, content json.RawMessage,
	child string, used []string) {
	s.starts = append(s.starts, audit.Start{
		Run: r.id, Seq: st.Seq, Kind: kind, Work: k.Work(), Step: k.Step, Index: k.Index, Rev: k.Rev, N: k.N, Try: k.Try,
		Content: content, Child: child, Used: used,
	})
}

// start calls an agent or a model.
func (s *sink) start(h *host, r *record, st *machine.State, k run.Key, content json.RawMessage,
	used []string, do func() answer) {
	s.note(r, st, k, string(k.Kind), content, "", used)
	s.w.say("%s: starts %s with %s", h, k, short(content))
	s.carryOut(h, r, k, k.Work(), content, do)
}

// ask calls a tool. One that asked people continues where it stopped.
func (s *sink) ask(h *host, r *record, st *machine.State, k run.Key, do run.CallTool, made func() answer) {
	s.note(r, st, k, string(k.Kind), do.Call.Args, "", used(s.w.shelf.spec(do.Call.Tool).Implementation))
	s.starts[len(s.starts)-1].Answer = do.Answer
	s.w.say("%s: starts %s with %s and %s", h, k, short(do.Call.Args), short(do.Answer))
	s.carryOut(h, r, k, k.Work()+string(do.State), do.Call.Args, made)
}

func (s *sink) carryOut(h *host, r *record, k run.Key, name string, content json.RawMessage, do func() answer) {
	w := s.w
	job, ok := s.done[name]
	if !ok {
		job = &work{content: string(content)}
		s.done[name] = job
	}
	if job.answer == nil {
		switch {
		case w.strikes(Silent, 0.04):
			if w.chance.IntN(2) == 0 {
				job.answer = do() // done, but the answer is lost
			}
			return
		case w.strikes(Transient, 0.08):
			if w.chance.IntN(3) == 0 {
				job.answer = do()
			}
			h.report(r, failed(k, true), w.delay())
			return
		case w.strikes(Permanent, 0.02):
			h.report(r, failed(k, false), w.delay())
			return
		}
		job.answer = do()
	}
	wait := w.delay()
	if w.strikes(Late, 0.05) {
		wait = 5*time.Minute + time.Duration(w.chance.IntN(1200))*time.Second
	}
	if w.quiet {
		wait = time.Second
	}
	c := run.Command{By: run.Actor{Kind: run.System}, Do: job.answer(k)}
	h.report(r, c, wait)
	if w.strikes(Duplicate, 0.1) {
		h.report(r, c, wait+w.delay())
	}
}

func failed(k run.Key, transient bool) run.Command {
	f := run.Failure{Message: "the agent refused", Transient: transient}
	if transient {
		f.Message = "connection timed out"
	}
	return run.Command{By: run.Actor{Kind: run.System}, Do: run.Fail{Key: k, Failure: f}}
}
