package storetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// OldPeopleSteps are the migrations from before names were permanent.
const OldPeopleSteps = 16

// OldPeople is SQL that fills a store of that time. Bytes formats a text as bytes in the dialect of the
// store.
func OldPeople(bytes func(text string) string) string {
	var b strings.Builder
	b.WriteString(`INSERT INTO accounts (name, hash, roles, disabled, epoch, created_at, changed_at, signed_in_at)
		VALUES ('ann', 'h', '[]', false, 1, 5, 5, 0), ('bob@example.com', 'h', '[]', false, 1, 5, 5, 0);
	INSERT INTO subjects (name, issuer, subject, bound_at) VALUES ('bob@example.com', 'https://id.example.com', '1', 7);
	`)
	for i, r := range []struct{ id, owner, parent, kind, actor string }{
		{"run_1", "ann", "", "service", "ann"},
		{"run_2", "ann", "run_1", "system", ""},
		{"run_3", "ann", "", "person", "ann"},
		{"run_4", "robot", "run_3", "agent", "robot"},
		{"run_5", "ann", "", "service", "nightly"}, // for whom it started the run
		{"run_6", "nightly", "", "sealed", "nightly"},
	} {
		fmt.Fprintf(&b, `INSERT INTO runs (id, workflow, version, definition, status, owner, labels, seq, steps_done, steps_total, pending, error, cost_usd,
			parent, retry_of, forked_from, started_at, updated_at, ended_at, due_at, busy, snapshot_seq)
		VALUES ('%s', 'w', 1, '', 'completed', '%s', '{}', 1, 0, 0, 0, '', '0', '%s', '', '', 1, 1, 2, 0, false, 0);
		`, r.id, r.owner, r.parent)
		body := fmt.Sprintf(`{"action":"run.started","actor":{"kind":"%s","name":"%s"},"n":%d}`, r.kind, r.actor, i+1)
		if r.kind == "sealed" {
			body = "\x01" + body
		}
		fmt.Fprintf(&b, "INSERT INTO audit (n, at, actor, action, target, run, outcome, body, hash) VALUES (%d, 1, '%s', "+
			"'run.started', '%s', '%s', 'done', %s, 'h');\n",
			i+1, r.actor, r.id, r.id, bytes(body))
	}
	return b.String()
}

// PeopleKeepTheirs checks the result for OldPeople.
func PeopleKeepTheirs(t *testing.T, s store.Store) {
	t.Helper()
	ctx := t.Context()
	for id, want := range map[string]string{
		"run_1": "service:ann", "run_2": "service:ann", "run_3": "ann", "run_4": "agent:robot",
		"run_5": "ann", "run_6": "nightly",
	} {
		row, err := s.Run(ctx, id)
		fixture.Must(t, err)
		fixture.WantEqual(t, "owner of "+id, row.Owner, want)
	}
	named, err := s.SubjectNamed(ctx, "ann")
	fixture.Must(t, err)
	fixture.WantEqual(t, "an account", [3]string{named.Issuer, named.Subject, named.Label}, [3]string{"", "ann", "ann"})
	// An account that shared its name with a person of the provider: both keep it.
	named, err = s.SubjectNamed(ctx, "bob@example.com")
	fixture.Must(t, err)
	fixture.WantEqual(t, "a person", [3]string{named.Issuer, named.Subject, named.Label},
		[3]string{"https://id.example.com", "1", "bob@example.com"})
	fixture.WantCode(t, s.BindSubject(ctx, port.Subject{Issuer: "https://id.example.com", Subject: "2", Name: "ann",
		Label: "ann", BoundAt: fixture.Began}), fault.Conflict)
}
