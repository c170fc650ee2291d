package decide

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
)

// deliver records an agent's deliverable. An existing name gets a new version.
func (d *draft) deliver(by run.Actor, i int, dl run.Deliverable) {
	if before, known := d.Newest(dl.Name); dl.Update && known {
		if dl.OnlyMarks() {
			d.mark(by, before, dl.Status)
			return
		}
		old := &d.Deliverables[before]
		dl.Type, dl.Description = cmp.Or(dl.Type, old.Type), cmp.Or(dl.Description, old.Description)
	} else if dl.Update && dl.OnlyMarks() {
		return // there is nothing to mark, and no content came with it
	}
	dl.Update = false
	dl.ID = fmt.Sprintf("dlv_%s_%d", bareID(d.ID), len(d.Deliverables)+1)
	dl.Status = cmp.Or(dl.Status, run.Draft)
	d.emit(by, &run.DeliverableCreated{Step: d.id(i), Agent: by.Name, Deliverable: dl})
}

// refusesUpdate explains why deliverables cannot be updated, in words the model can use.
func (d *draft) refusesUpdate(all []run.Deliverable) string {
	for _, dl := range all {
		if _, known := d.Newest(dl.Name); known || !dl.Update {
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

// markDeliverable sets a deliverable's status. Only the newest version has one; a caller that has not seen it
// gets an error.
func (d *draft) markDeliverable(c run.MarkDeliverable) error {
	if !slices.Contains(run.DeliverableStatuses, c.Status) {
		return fault.Of("the status is not valid",
			[]fault.Problem{{Path: "status", Message: "expected one of " + strings.Join(run.DeliverableStatuses, ", ")}})
	}
	n, ok := machine.DeliverableAt(c.Deliverable)
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

// mark records a deliverable's status, unless it is already set.
func (d *draft) mark(by run.Actor, n int, status string) {
	if dl := &d.Deliverables[n]; dl.Status != status {
		d.emit(by, &run.DeliverableMarked{ID: dl.ID, Name: dl.Name, Status: status, Was: dl.Status})
	}
}
