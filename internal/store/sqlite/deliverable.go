package sqlite

import (
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

func storeDeliverable(t *tx, d *port.DeliverableRow) error {
	return t.exec(sqlPutDeliverable, d.ID, d.Run, d.Workflow, d.Step, d.Agent, d.Name, d.Type, d.Status, d.MIME,
		d.Description, d.Blob, d.URL, d.Size, d.Version, d.Newest,
		storekit.Nanos(d.CreatedAt), storekit.Nanos(d.UpdatedAt))
}

func storeMark(t *tx, run string, m *port.DeliverableMark) error {
	if m.Outdated {
		if err := t.exec(sqlOutdateDeliverable, m.ID, run); err != nil {
			return err
		}
	}
	if m.Status == "" {
		return nil
	}
	return t.exec(sqlMarkDeliverable, m.Status, storekit.Nanos(m.At), m.ID, run)
}
