package storekit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// LookRow is a port.SecondLook as stored.
type LookRow struct {
	ID, Run, Workflow, Step, Agent string

	Index      int64 // plainStep: not an element of a map
	Confidence float64
	At         int64
}

// LookColumns are the columns of LookRow, in the order of Fields.
const LookColumns = `id, run, workflow, step, agent, idx, confidence, at`

const (
	plainStep = -1
	wholeStep = -2 // of GoneLook: all elements of a map
)

// Fields are the scan targets of a row.
func (r *LookRow) Fields() []any {
	return []any{&r.ID, &r.Run, &r.Workflow, &r.Step, &r.Agent, &r.Index, &r.Confidence, &r.At}
}

// Look is the row as readers get it.
func (r *LookRow) Look() port.SecondLook {
	l := port.SecondLook{
		ID: r.ID, Run: r.Run, Workflow: r.Workflow, Step: r.Step, Agent: r.Agent,
		Confidence: r.Confidence, At: Time(r.At),
	}
	if r.Index >= 0 {
		l.Index = new(int(r.Index))
	}
	return l
}

// GoneLook identifies results that have been replaced.
type GoneLook struct {
	Run, Step string
	Index     int64
}

// Whole reports that all results of the step are included.
func (g GoneLook) Whole() bool { return g.Index == wholeStep }

// Looks is how writes change the list of results that deserve a second look: first outdated ones are deleted,
// then the rows are stored.
type Looks struct {
	Gone []GoneLook
	Rows []LookRow
}

// Add adds the events of one more write.
func (l *Looks) Add(w *port.Write) {
	if w.Row.TestMode {
		return
	}
	agent := "" // whose result it is: the previous event names it
	for i := range w.Events {
		e := &w.Events[i]
		switch f := e.Fact.(type) {
		case *run.RunForked: // copied results are for the original run to review
			*l = Looks{
				Gone: slices.DeleteFunc(l.Gone, func(g GoneLook) bool { return g.Run == w.Run }),
				Rows: slices.DeleteFunc(l.Rows, func(r LookRow) bool { return r.Run == w.Run }),
			}
		case *run.StepReturned, *run.StepCompleted, *run.ElementCompleted:
			agent = Text(e.Actor.Name)
		case *run.StepRevised:
			l.drop(GoneLook{w.Run, Text(f.Step), indexOr(f.Index, wholeStep)})
			for _, step := range f.Redo {
				l.drop(GoneLook{w.Run, Text(step), wholeStep})
			}
		case *run.StepFailed:
			l.drop(GoneLook{w.Run, Text(f.Step), indexOr(f.Error.Index, plainStep)})
		case *run.StepSkipped: // also: its result was rejected
			l.drop(GoneLook{w.Run, Text(f.Step), wholeStep})
		case *run.ReviewSuggested:
			row := LookRow{
				ID:  fmt.Sprintf("rev_%s_%d", strings.TrimPrefix(w.Run, "run_"), e.Seq),
				Run: w.Run, Workflow: Text(w.Row.Workflow), Step: Text(f.Step), Agent: agent,
				Index: indexOr(f.Index, plainStep), Confidence: f.Confidence, At: Nanos(e.At),
			}
			l.drop(GoneLook{row.Run, row.Step, row.Index})
			l.Rows = append(l.Rows, row)
		}
	}
}

func (l *Looks) drop(g GoneLook) {
	l.Gone = append(l.Gone, g)
	l.Rows = slices.DeleteFunc(l.Rows, func(r LookRow) bool {
		return r.Run == g.Run && r.Step == g.Step && (g.Whole() || r.Index == g.Index)
	})
}

func indexOr(index *int, none int64) int64 {
	if index == nil {
		return none
	}
	return int64(*index)
}
