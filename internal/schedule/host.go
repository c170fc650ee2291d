package schedule

import (
	"context"
	"encoding/json"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
)

// Store is the part of a store that schedules use.
type Store interface {
	port.Firings
	Run(ctx context.Context, id string) (port.RunRow, error)
	Runs(ctx context.Context, q port.RunQuery) (port.Page[port.RunRow], error)
}

// Host starts the runs of the schedules in force, and shows them.
type Host struct {
	Store    Store
	Registry *registry.Registry
	Engine   port.Engine
	// RunIDOf is the id of the run that a time of a schedule starts.
	RunIDOf func(schedule string, at time.Time) string
	Now     func() time.Time
}

// Schedule is a schedule in force.
type Schedule struct {
	registry.Document
	// The workflow that it starts.
	Workflow string `json:"workflow"`
	// Whether it starts runs.
	Enabled bool `json:"enabled"`
	// The next times, at most five; none if it is not enabled.
	Next []time.Time `json:"next"`
	// The time that was handled last.
	Last *Firing `json:"last,omitempty"`
}

// Firing is a time of a schedule, and what was done about it.
type Firing struct {
	At time.Time `json:"at"`
	// started: a run began; skipped: the previous run had not ended; missed: the time had passed too long ago; failed:
	// the run was refused.
	Outcome port.FiringOutcome `json:"outcome"`
	Run     string             `json:"run,omitempty"`   // The run that was started.
	Cause   string             `json:"cause,omitempty"` // Why none was started.
}

// nextShown is how many of the next times of a schedule are shown.
const nextShown = 5

// InForce returns a schedule in force, or nil.
func (h *Host) InForce(name string) *definition.Schedule {
	return h.Registry.Current().Documents().Schedules[name]
}

// Views shows the schedules in force for which shown holds, by name.
func (h *Host) Views(ctx context.Context, shown func(*definition.Schedule) bool) ([]Schedule, error) {
	all, err := h.Store.Firings(ctx)
	if err != nil {
		return nil, err
	}
	last := make(map[string]port.Firing, len(all))
	for _, f := range all {
		last[f.Schedule] = f
	}
	out := []Schedule{}
	for _, doc := range h.Registry.InForce(definition.KindSchedule) {
		if s := h.InForce(doc.Name); s != nil && shown(s) {
			out = append(out, h.view(doc, s, last))
		}
	}
	return out, nil
}

func (h *Host) view(doc registry.Document, s *definition.Schedule, last map[string]port.Firing) Schedule {
	v := Schedule{Document: doc, Workflow: s.Workflow, Enabled: s.On(), Next: []time.Time{}}
	if times, zone, err := s.Times(); err == nil && v.Enabled {
		at := h.Now()
		for range nextShown {
			at = times.Next(at, zone)
			v.Next = append(v.Next, at)
		}
	}
	if f, ok := last[doc.Name]; ok {
		v.Last = &Firing{f.At, f.Outcome, f.Run, f.Cause}
	}
	return v
}

// Entries lists the schedules in force that are enabled.
func (h *Host) Entries() (out []Entry) {
	now := h.Registry.Current()
	for name, s := range now.Documents().Schedules {
		if s.On() {
			out = append(out, Entry{s, now.PublishedAt(definition.KindSchedule, name)})
		}
	}
	return out
}

// unended are the statuses of runs that have not ended.
var unended = []run.Status{run.Running, run.Waiting, run.Paused}

// Running reports whether a run of a schedule has not ended.
func (h *Host) Running(ctx context.Context, name string) (bool, error) {
	page, err := h.Store.Runs(ctx, port.RunQuery{Status: unended, Owner: actor(name).Key(), Limit: 1})
	return len(page.Items) > 0, err
}

// Start starts the run of a time of a schedule. The same time starts one run.
func (h *Host) Start(ctx context.Context, name string, at time.Time) (string, error) {
	s := h.InForce(name)
	if s == nil {
		return "", registry.Unknown(definition.KindSchedule, name, nil)
	}
	id := h.RunIDOf(name, at)
	switch _, err := h.Store.Run(ctx, id); {
	case err == nil:
		return id, nil
	case !fault.Is(err, fault.NotFound):
		return "", err
	}
	def, err := h.Registry.DefinitionAt(ctx, s.Workflow, 0)
	if err != nil {
		return "", err
	}
	input := s.Input
	if len(input) == 0 {
		input = json.RawMessage(`{}`)
	}
	by := actor(name)
	_, err = h.Engine.Begin(ctx, id, def, run.Command{ID: id, By: by, Do: run.Start{Input: input, Owner: by.Key()}}, nil)
	if fault.Is(err, fault.Conflict) { // another process was faster
		_, err = h.Store.Run(ctx, id)
	}
	return id, err
}

// actor is who starts the runs of a schedule.
func actor(name string) run.Actor { return run.Actor{Kind: run.Schedule, Name: name} }
