package run

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
)

// deliver records what an agent made for people. The same name again is a new
// version of it.
func (d *draft) deliver(by Actor, i int, dl Deliverable) {
	if before, known := d.newest(dl.Name); dl.Update && known {
		if dl.onlyMarks() {
			d.mark(by, before, dl.Status)
			return
		}
		old := &d.Deliverables[before]
		dl.Type, dl.Description = cmp.Or(dl.Type, old.Type), cmp.Or(dl.Description, old.Description)
	} else if dl.Update && dl.onlyMarks() {
		return // there is nothing to mark, and nothing came with it
	}
	dl.Update = false
	dl.ID = fmt.Sprintf("dlv_%s_%d", bareID(d.ID), len(d.Deliverables)+1)
	dl.Status = cmp.Or(dl.Status, Draft)
	d.emit(by, &DeliverableCreated{Step: d.id(i), Agent: by.Name, Deliverable: dl})
}

// refusesUpdate says why deliverables cannot be updated, in words the model can use.
func (d *draft) refusesUpdate(all []Deliverable) string {
	for _, dl := range all {
		if _, known := d.newest(dl.Name); known || !dl.Update {
			continue
		}
		var names []string
		for i := range d.Deliverables {
			names = append(names, strconv.Quote(d.Deliverables[i].Name))
		}
		slices.Sort(names)
		names = slices.Compact(names)
		if len(names) == 0 {
			return fmt.Sprintf("there is no deliverable %q yet: use create_deliverable", dl.Name)
		}
		const shown = 20
		more := ""
		if len(names) > shown {
			names, more = names[:shown], fmt.Sprintf(" and %d more", len(names)-shown)
		}
		return fmt.Sprintf("there is no deliverable %q; there are %s%s: use one of these names, or create_deliverable",
			dl.Name, strings.Join(names, ", "), more)
	}
	return ""
}

// newest finds the newest version of a name.
func (s *State) newest(name string) (n int, ok bool) {
	for n := len(s.Deliverables) - 1; n >= 0; n-- {
		if s.Deliverables[n].Name == name {
			return n, true
		}
	}
	return 0, false
}

// Versions lists the versions of a name, oldest first, by their place among the
// deliverables.
func (s *State) Versions(name string) (places []int) {
	for n := range s.Deliverables {
		if s.Deliverables[n].Name == name {
			places = append(places, n)
		}
	}
	return places
}

// deliverableAt is the place that an id names. A fork's past keeps the ids of
// the run it came from, so the number counts and not the run's name.
func deliverableAt(id string) (n int, ok bool) {
	number := id[strings.LastIndexByte(id, '_')+1:]
	n, err := strconv.Atoi(number)
	return n - 1, err == nil && n > 0
}

// markDeliverable says how a deliverable stands. Only what is newest stands in
// any way; whoever has not seen it is told so.
func (d *draft) markDeliverable(c MarkDeliverable) error {
	if !slices.Contains(DeliverableStatuses, c.Status) {
		return fault.Of("the status is not valid",
			[]fault.Problem{{Path: "status", Message: "expected one of " + strings.Join(DeliverableStatuses, ", ")}})
	}
	n, ok := deliverableAt(c.Deliverable)
	if !ok || n >= len(d.Deliverables) || c.Deliverable != fmt.Sprintf("dlv_%s_%d", bareID(d.ID), n+1) {
		return notFound("deliverable", c.Deliverable)
	}
	dl := &d.Deliverables[n]
	versions := d.Versions(dl.Name)
	if newest := len(versions); c.Version != newest || versions[newest-1] != n {
		return fault.New(fault.VersionMismatch, fmt.Sprintf("%s is now at version %d", dl.Name, newest),
			"review that version instead").With("version", newest)
	}
	if c.Was != "" && c.Was != dl.Status {
		return fault.New(fault.VersionMismatch, fmt.Sprintf("%s is now %s", dl.Name, dl.Status),
			"look at it again").With("status", dl.Status)
	}
	d.mark(d.cmd.By, n, c.Status)
	return nil
}

// mark records how a deliverable stands, unless it stands so already.
func (d *draft) mark(by Actor, n int, status string) {
	if dl := &d.Deliverables[n]; dl.Status != status {
		d.emit(by, &DeliverableMarked{ID: dl.ID, Name: dl.Name, Status: status, Was: dl.Status})
	}
}

func (s *State) applyMarked(f *DeliverableMarked) {
	n, ok := deliverableAt(f.ID)
	if !ok || n >= len(s.Deliverables) {
		return
	}
	s.Deliverables = slices.Clone(s.Deliverables) // a draft shares it
	s.Deliverables[n].Status = f.Status
}
