package definition

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/cron"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/core/value"
)

// Schedule starts runs of a workflow at times of a clock.
type Schedule struct {
	Name        string             `json:"schedule"`
	Description string             `json:"description,omitempty"`
	Cron        string             `json:"cron"`
	Timezone    string             `json:"timezone,omitempty"` // of the times; empty: UTC
	Workflow    string             `json:"workflow"`
	Input       json.RawMessage    `json:"input,omitempty"`
	Overlap     Overlap            `json:"overlap,omitempty"`  // empty: skip
	CatchUp     *quantity.Duration `json:"catch_up,omitempty"` // nil: CatchUpDefault
	Enabled     *bool              `json:"enabled,omitempty"`  // nil: true
	Place       Place              `json:"-"`
}

// Overlap is what happens at a time when the previous run of the schedule has not ended.
type Overlap string

const (
	OverlapSkip  Overlap = "skip"  // no run starts
	OverlapQueue Overlap = "queue" // the run starts when the previous one has ended
	OverlapAllow Overlap = "allow" // the run starts
)

// Overlaps lists them all.
var Overlaps = []Overlap{OverlapSkip, OverlapQueue, OverlapAllow}

// Limits of how late a run may start.
const (
	CatchUpDefault = time.Hour
	CatchUpMax     = 7 * 24 * time.Hour
)

// On reports whether the schedule starts runs.
func (s *Schedule) On() bool { return s.Enabled == nil || *s.Enabled }

// Late is how late a run may start: a time that passed longer ago is missed.
func (s *Schedule) Late() time.Duration {
	return quantity.Or(s.CatchUp, CatchUpDefault)
}

// Overlapping is what happens when the previous run has not ended.
func (s *Schedule) Overlapping() Overlap {
	if s.Overlap == "" {
		return OverlapSkip
	}
	return s.Overlap
}

// Times are the times of the schedule and their time zone. A checked schedule has them.
func (s *Schedule) Times() (*cron.Schedule, *time.Location, error) {
	times, err := cron.Parse(s.Cron)
	if err != nil {
		return nil, nil, err
	}
	zone, err := time.LoadLocation(s.Timezone)
	return times, zone, err
}

func (c *checker) schedule(s *Schedule) {
	if s.Cron == "" {
		c.add(s.Place.bad("cron", "the times are missing: write five fields, for example 0 9 * * mon-fri"))
	} else if _, err := cron.Parse(s.Cron); err != nil {
		c.add(s.Place.bad("cron", "%v", err))
	}
	if _, err := time.LoadLocation(s.Timezone); err != nil || s.Timezone == "Local" {
		c.add(s.Place.bad("timezone", "%q is not a time zone: write one such as Europe/Berlin or UTC", clip(s.Timezone)))
	}
	if s.Overlap != "" {
		c.word(s.Place, "overlap", string(s.Overlap), texts(Overlaps))
	}
	if d := s.CatchUp; d != nil && (*d < 0 || d.Std() > CatchUpMax) {
		c.add(s.Place.bad("catch_up", "it is at most 7d: how late a run may start"))
	}
	c.scheduled(s)
}

// scheduled checks the workflow that a schedule starts, and its input.
func (c *checker) scheduled(s *Schedule) {
	w := c.startable(s.Place, s.Workflow)
	if w == nil {
		return
	}
	input := s.Input
	if len(input) == 0 {
		input = json.RawMessage(`{}`)
	}
	if value.KindOf(input) != value.KindObject {
		c.add(s.Place.bad("input", "the input of a run is a mapping"))
		return
	}
	compiled, err := schema.Compile(w.Input)
	if err != nil {
		return // reported at the workflow
	}
	for _, p := range compiled.Validate(input) {
		p.Path = "input" + strings.ReplaceAll(p.Path, "/", ".")
		c.add(s.Place.locate(p))
	}
}

// startable is the workflow that a schedule or a trigger starts; nil, and reported, if there is none.
func (c *checker) startable(place Place, name string) *plan.Workflow {
	if name == "" {
		c.add(place.bad("workflow", "the workflow to start is missing"))
		return nil
	}
	w, known := c.workflows[name]
	if !known {
		c.add(place.bad("workflow", "unknown workflow %q%s", clip(name),
			DidYouMean(name, slices.Sorted(maps.Keys(c.workflows)))))
		return nil
	}
	return &w
}
