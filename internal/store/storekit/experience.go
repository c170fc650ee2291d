package storekit

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// Statements of both stores. A change of what was learned always comes with SQLLearned.
const (
	SQLUntaught = `DELETE FROM experience WHERE run = ?`
	SQLLearned  = `UPDATE learned SET version = version + 1`
)

// TaughtMax limits the size of a stored experience.
const TaughtMax = 64 << 10

// TaughtRow is what a run taught, as stored.
type TaughtRow struct {
	Run, Workflow string
	At            int64
	Body          []byte
}

// Fields are the scan targets of a row.
func (r *TaughtRow) Fields() []any { return []any{&r.Run, &r.Workflow, &r.At, &r.Body} }

// EncodeTaught is the stored form of an experience.
func (v *Vault) EncodeTaught(run string, e *run.Experience) ([]byte, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	if len(body) > TaughtMax {
		return nil, fault.Newf(fault.TooLarge, "%d bytes of experience of run %s are more than %d", len(body), run, TaughtMax)
	}
	return v.Bytes(body, atExperience(run)), nil
}

// DecodeTaught reads a stored experience, without words that were stored undeclared.
func (v *Vault) DecodeTaught(r *TaughtRow) (port.Experience, error) {
	e, _, err := v.DecodeTaughtAs(r)
	return e, err
}

// DecodeTaughtAs reports in addition whether there were any.
func (v *Vault) DecodeTaughtAs(r *TaughtRow) (e port.Experience, undeclared bool, err error) {
	e = port.Experience{Run: r.Run, Workflow: r.Workflow, At: Time(r.At)}
	body, err := v.Open(r.Body, atExperience(r.Run))
	if err == nil {
		err = json.Unmarshal(body, &e.Experience)
	}
	if err != nil {
		return e, false, fmt.Errorf("the experience of run %s: %w", r.Run, err)
	}
	return e, e.DropUndeclared(), nil
}

// Taught is how a write changes what was learned: the row of its run is deleted, then stored.
type Taught struct {
	Gone bool
	Row  *TaughtRow
}

// Changes reports whether anything changes.
func (t Taught) Changes() bool { return t.Gone || t.Row != nil }

// TaughtBy is what a write changes.
func (v *Vault) TaughtBy(w *port.Write) (t Taught, err error) {
	t.Gone = w.Untaught
	if w.Taught == nil {
		return t, nil
	}
	t.Row = &TaughtRow{Run: w.Run, Workflow: Text(w.Row.Workflow), At: Nanos(w.Row.EndedAt)}
	t.Row.Body, err = v.EncodeTaught(w.Run, w.Taught)
	return t, err
}

// UnlearnWords are how an order to forget is stored: what and its name.
func UnlearnWords(u port.Unlearning) (what, name string) {
	switch {
	case u.Run != "":
		return "run", u.Run
	case u.Workflow != "":
		return "workflow", u.Workflow
	case u.Tool != "":
		return "tool", u.Tool
	}
	return "all", ""
}

// UnlearningOf reads a stored order.
func UnlearningOf(what, name string, at int64) port.Unlearning {
	u := port.Unlearning{At: Time(at)}
	switch what {
	case "run":
		u.Run = name
	case "workflow":
		u.Workflow = name
	case "tool":
		u.Tool = name
	}
	return u
}

// Remembered is an experience without anything that is to be forgotten; false: nothing is left.
func Remembered(e port.Experience, forgotten []port.Unlearning) (port.Experience, bool) {
	for _, u := range forgotten {
		if u.Covers(&e) {
			return e, false
		}
		if u.Tool != "" && !e.At.After(u.At) {
			e.Experience = *without(&e.Experience, u.Tool)
		}
	}
	return e, !e.Empty()
}

// without is an experience that does not mention a tool.
func without(e *run.Experience, tool string) *run.Experience {
	out := &run.Experience{}
	at := slices.Index(e.Tools, tool)
	drop := func(names []string) []string {
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == tool })
	}
	out.Tools = drop(e.Tools)
	pairs := func(all [][2]int) (left [][2]int) {
		for _, p := range all {
			if at >= 0 && (p[0] == at || p[1] == at) {
				continue
			}
			for k := range p {
				if at >= 0 && p[k] > at {
					p[k]--
				}
			}
			left = append(left, p)
		}
		return left
	}
	out.Then, out.Fits = pairs(e.Then), pairs(e.Fits)
	for _, s := range e.Served {
		if s.Tools, s.Not = drop(s.Tools), drop(s.Not); len(s.Tools)+len(s.Not) > 0 {
			out.Served = append(out.Served, s)
		}
	}
	return out
}
