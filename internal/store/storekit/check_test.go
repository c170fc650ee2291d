package storekit

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

var noon = time.Date(2030, 5, 6, 12, 0, 0, 0, time.UTC)

// oneEvent is a write of one event.
func oneEvent(id string) port.Write {
	return port.Write{
		Run:    id,
		Events: []run.Event{{Run: id, Seq: 1, At: noon, Actor: run.Actor{Kind: run.System}, Fact: &run.RunWaiting{}}},
		Row:    port.RunRow{ID: id, Workflow: "w", Status: run.Running, Seq: 1, StartedAt: noon, UpdatedAt: noon},
	}
}

func approvalOf(id string) port.ApprovalRow {
	return port.ApprovalRow{ID: "apr_1", Run: id, Workflow: "w", Status: string(gate.Pending), Asked: []string{"ann"},
		RequestedAt: noon}
}

// limited spoils each name and each time of a value, one at a time: an index takes no long text, PostgreSQL no
// NUL, and 64 bits no year 2300. Fields that are free text are named.
func limited[T any](t *testing.T, v T, check func(T) error, free ...string) {
	t.Helper()
	if err := check(v); err != nil {
		t.Fatalf("%T: %v", v, err)
	}
	kind := reflect.TypeFor[T]()
	for i := range kind.NumField() {
		field := kind.Field(i)
		if slices.Contains(free, field.Name) {
			continue
		}
		for _, bad := range unstorable(field.Type) {
			spoilt := v
			reflect.ValueOf(&spoilt).Elem().Field(i).Set(bad)
			if err := check(spoilt); !fault.Is(err, fault.Invalid) {
				t.Errorf("%s.%s = %.20q was accepted: %v", kind.Name(), field.Name, fmt.Sprint(bad), err)
			}
		}
	}
}

func unstorable(kind reflect.Type) (out []reflect.Value) {
	switch {
	case kind.Kind() == reflect.String:
		for _, s := range []string{"a\x00b", "a\xffb", strings.Repeat("x", 3000)} {
			out = append(out, reflect.ValueOf(s).Convert(kind))
		}
	case kind == reflect.TypeFor[[]string]():
		out = append(out, reflect.ValueOf([]string{"fine", "a\x00b"}))
	case kind == reflect.TypeFor[time.Time]():
		out = append(out, reflect.ValueOf(time.Unix(0, 0)), reflect.ValueOf(latest.Add(1)))
	}
	return out
}

func TestEveryFieldIsLimited(t *testing.T) {
	limited(t, oneEvent("run_1").Row, func(r port.RunRow) error {
		w := oneEvent("run_1")
		w.Row = r
		return CheckWrite(&w)
	}, "Subject", "Error")
	limited(t, approvalOf("run_1"), func(a port.ApprovalRow) error {
		w := oneEvent("run_1")
		w.Approvals = []port.ApprovalRow{a}
		return CheckWrite(&w)
	}, "Title")
	limited(t, port.DeliverableRow{ID: "dlv_1", Run: "run_1"}, func(d port.DeliverableRow) error {
		w := oneEvent("run_1")
		w.Deliverables = []port.DeliverableRow{d}
		return CheckWrite(&w)
	}, "Name", "MIME", "Description", "URL")
	limited(t, port.DeliverableMark{ID: "dlv_1"}, func(m port.DeliverableMark) error {
		w := oneEvent("run_1")
		w.Marks = []port.DeliverableMark{m}
		return CheckWrite(&w)
	})
	answer := port.Answer{Key: "k", At: noon}
	limited(t, answer, func(a port.Answer) error { return CheckAnswer(&a) })
	limited(t, answer, func(a port.Answer) error {
		w := oneEvent("run_1")
		w.Answer = &a
		return CheckWrite(&w)
	})
	limited(t, port.Version{ID: "v", Kind: "k", Name: "n", Digest: "d", Body: []byte(`1`)},
		func(v port.Version) error { return CheckVersion(&v) }, "PublishedBy", "PublishedAt")
	limited(t, port.Unlearning{At: noon}, func(u port.Unlearning) error { return CheckUnlearning(&u) })
	limited(t, port.Account{Name: "ann", Hash: "h"}, func(a port.Account) error { return CheckAccount(&a) })
	limited(t, port.Token{ID: "i", Name: "n", Kind: run.Person, Hash: "h"},
		func(k port.Token) error { return CheckToken(&k) })
	limited(t, port.Session{ID: "i", Person: "ann", Method: "password"},
		func(s port.Session) error { return CheckSession(&s) })
	limited(t, port.StandIn{Name: "ann", To: "bob", From: noon, Until: noon.Add(1)},
		func(s port.StandIn) error { return CheckStandIn(&s) })
	limited(t, port.Subject{Issuer: "i", Subject: "s", Name: "ann"},
		func(s port.Subject) error { return CheckSubject(&s) }, "Roles", "RolesAt")
	limited(t, port.Push{ID: "i", Person: "ann", Endpoint: "e", P256DH: make([]byte, 65), Auth: make([]byte, 16)},
		func(p port.Push) error { return CheckPush(&p) })
	limited(t, port.Firing{Schedule: "s", At: noon, Outcome: port.FiringMissed},
		func(f port.Firing) error { return CheckFiring(&f) })
}

// problemsOf are the paths of what is wrong.
func problemsOf(t *testing.T, err error) (paths []string) {
	t.Helper()
	if err == nil {
		return nil
	}
	var all *fault.Error
	if !errors.As(err, &all) || all.Code != fault.Invalid {
		t.Fatalf("%v is not about the input", err)
	}
	for _, p := range all.Problems {
		paths = append(paths, p.Path)
	}
	return paths
}

// TestWritesAreChecked: what does not fit together is refused and named.
func TestWritesAreChecked(t *testing.T) {
	second := func(w *port.Write) *run.Event {
		w.Events = append(w.Events, w.Events[0])
		w.Events[1].Seq, w.Row.Seq = 2, 2
		return &w.Events[1]
	}
	for what, c := range map[string]struct {
		change func(*port.Write)
		want   []string
	}{
		"as it is":         {func(*port.Write) {}, nil},
		"two events":       {func(w *port.Write) { second(w) }, nil},
		"later":            {func(w *port.Write) { w.After, w.Events[0].Seq, w.Row.Seq = 7, 8, 8 }, nil},
		"only a snapshot":  {func(w *port.Write) { w.After, w.Events, w.Snapshot = 1, nil, []byte(`{}`) }, nil},
		"before the first": {func(w *port.Write) { w.After, w.Events[0].Seq, w.Row.Seq = -1, 0, 0 }, []string{"after"}},
		"nothing":          {func(w *port.Write) { w.Events, w.Row.Seq = nil, 0 }, []string{"events"}},
		"no run":           {func(w *port.Write) { *w = oneEvent("") }, []string{"run"}},
		"no fact":          {func(w *port.Write) { second(w).Fact = nil }, []string{"events[1]"}},
		"a gap":            {func(w *port.Write) { second(w).Seq = 3 }, []string{"events[1]"}},
		"another's event":  {func(w *port.Write) { second(w).Run = "run_2" }, []string{"events[1]"}},
		"no time":          {func(w *port.Write) { second(w).At = time.Time{} }, []string{"events[1].at"}},
		"too early":        {func(w *port.Write) { second(w).At = earliest.Add(-1) }, []string{"events[1].at"}},
		"too late":         {func(w *port.Write) { second(w).At = latest.Add(1) }, []string{"events[1].at"}},
		"earliest, latest": {func(w *port.Write) { second(w).At, w.Events[0].At = latest, earliest }, nil},
		"another's row":    {func(w *port.Write) { w.Row.ID = "run_2" }, []string{"row"}},
		"row too old":      {func(w *port.Write) { second(w); w.Row.Seq = 1 }, []string{"row"}},
		"label without a name": {func(w *port.Write) { w.Row.Labels = map[string]string{"": "v"} },
			[]string{"row.labels"}},
		"label without a value": {func(w *port.Write) { w.Row.Labels = map[string]string{"n": ""} }, nil},
		"label with NUL": {func(w *port.Write) { w.Row.Labels = map[string]string{"n": "\x00"} },
			[]string{"row.labels"}},
		"another's approval": {func(w *port.Write) { w.Approvals = []port.ApprovalRow{approvalOf("run_2")} },
			[]string{"approvals[0].run"}},
		"approval twice": {func(w *port.Write) {
			w.Approvals = []port.ApprovalRow{approvalOf("run_1"), approvalOf("run_1")}
		}, []string{"approvals"}},
		"unknown status": {func(w *port.Write) {
			w.Approvals = []port.ApprovalRow{approvalOf("run_1")}
			w.Approvals[0].Status = "odd"
		}, []string{"approvals[0].status"}},
		"for everyone": {func(w *port.Write) {
			w.Approvals = []port.ApprovalRow{approvalOf("run_1")}
			w.Approvals[0].Asked = []string{port.Anyone, "role:finance"}
		}, nil},
		"a reader that only the inbox has": {func(w *port.Write) {
			w.Approvals = []port.ApprovalRow{approvalOf("run_1")}
			w.Approvals[0].Asked = []string{Everything}
		}, []string{"approvals[0].asked"}},
		"most urgent, least urgent": {func(w *port.Write) {
			w.Approvals = []port.ApprovalRow{approvalOf("run_1"), approvalOf("run_1")}
			w.Approvals[1].ID, w.Approvals[0].Priority, w.Approvals[1].Priority = "apr_2", 1<<40, -1<<40
		}, nil},
		"too urgent": {func(w *port.Write) {
			w.Approvals = []port.ApprovalRow{approvalOf("run_1")}
			w.Approvals[0].Priority = 1<<40 + 1
		}, []string{"approvals[0].priority"}},
		"not urgent enough": {func(w *port.Write) {
			w.Approvals = []port.ApprovalRow{approvalOf("run_1")}
			w.Approvals[0].Priority = -1<<40 - 1
		}, []string{"approvals[0].priority"}},
		"deliverable twice": {func(w *port.Write) {
			d := port.DeliverableRow{ID: "dlv_1", Run: "run_1"}
			w.Deliverables = []port.DeliverableRow{d, d}
		}, []string{"deliverables"}},
		"another's deliverable": {func(w *port.Write) {
			w.Deliverables = []port.DeliverableRow{{ID: "dlv_1", Run: "run_2"}}
		}, []string{"deliverables[0].run"}},
		"work of another event": {func(w *port.Write) {
			w.Worked = []port.Worked{{Seq: 2, Agent: "a", At: noon}}
		}, []string{"worked[0].seq"}},
		"two problems": {func(w *port.Write) { w.Row.Owner, w.Row.Parent = "\x00", "\x00" },
			[]string{"row.owner", "row.parent"}},
		"30 problems": {func(w *port.Write) { w.Marks = make([]port.DeliverableMark, 30) }, func() (all []string) {
			for i := range 20 {
				all = append(all, fmt.Sprintf("marks[%d].id", i))
			}
			return all
		}()},
	} {
		w := oneEvent("run_1")
		c.change(&w)
		if got := problemsOf(t, CheckWrite(&w)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q is wrong, not %q", what, got, c.want)
		}
	}
}

// TestMisplacedEvents: the error names the number that an event has, and the one that belongs there.
func TestMisplacedEvents(t *testing.T) {
	w := oneEvent("run_1")
	w.After, w.Row.Seq = 4, 6
	w.Events = append(w.Events, w.Events[0])
	w.Events[0].Seq, w.Events[1].Seq = 5, 9
	err := CheckWrite(&w)
	const want = "is number 9 of run run_1 where number 6 of run_1 belongs"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v does not say that it %s", err, want)
	}
}

// TestSizesAreLimited: exactly the largest is accepted, and one more is not.
func TestSizesAreLimited(t *testing.T) {
	huge := make([]byte, BodyMax+1)
	words := func(n int) []string { return slices.Repeat([]string{"x"}, n) }
	write := func(change func(*port.Write, int)) func(int) error {
		return func(n int) error {
			w := oneEvent("run_1")
			change(&w, n)
			return CheckWrite(&w)
		}
	}
	push := func(change func(*port.Push, int)) func(int) error {
		return func(n int) error {
			p := port.Push{ID: "i", Person: "ann", Endpoint: "e", P256DH: make([]byte, keyBytes),
				Auth: make([]byte, secretBytes)}
			change(&p, n)
			return CheckPush(&p)
		}
	}
	for what, c := range map[string]struct {
		most  int
		check func(n int) error
		code  fault.Code
	}{
		"events": {EventsMax, write(func(w *port.Write, n int) {
			w.Events = slices.Repeat(w.Events, n)
			for i := range w.Events {
				w.Events[i].Seq = int64(i) + 1
			}
			w.Row.Seq = int64(n)
		}), fault.TooLarge},
		"snapshot": {BodyMax, write(func(w *port.Write, n int) { w.Snapshot = huge[:n] }), fault.TooLarge},
		"answer": {BodyMax, func(n int) error { return CheckAnswer(&port.Answer{Key: "k", Answer: huge[:n]}) },
			fault.Invalid},
		"bundle": {BodyMax, func(n int) error { return CheckBundle("d", huge[:n]) }, fault.TooLarge},
		"source": {port.SourceMax, func(n int) error { return CheckSource([]byte(strings.Repeat(" ", n))) },
			fault.TooLarge},
		"labels": {LabelsMax, write(func(w *port.Write, n int) {
			w.Row.Labels = map[string]string{}
			for i := range n {
				w.Row.Labels[fmt.Sprint(i)] = "x"
			}
		}), fault.Invalid},
		"assignees": {AskedMax, write(func(w *port.Write, n int) {
			w.Approvals = []port.ApprovalRow{approvalOf(w.Run)}
			w.Approvals[0].Asked = words(n)
		}), fault.Invalid},
		"statuses": {AskedMax, CheckStatuses, fault.Invalid},
		"statuses of runs": {AskedMax, func(n int) error {
			return CheckRuns(&port.RunQuery{Status: slices.Repeat([]run.Status{run.Running}, n)})
		}, fault.Invalid},
		"labels looked for": {LabelsMax, func(n int) error {
			q := port.RunQuery{Label: map[string]string{}}
			for i := range n {
				q.Label[fmt.Sprint(i)] = ""
			}
			return CheckRuns(&q)
		}, fault.Invalid},
		"roles":       {RolesMax, func(n int) error { return CheckRoles(words(n)) }, fault.Invalid},
		"push key":    {pushKeyMax, func(n int) error { return CheckPushKey(huge[:n]) }, fault.Invalid},
		"public key":  {keyBytes, push(func(p *port.Push, n int) { p.P256DH = huge[:n] }), fault.Invalid},
		"push secret": {secretBytes, push(func(p *port.Push, n int) { p.Auth = huge[:n] }), fault.Invalid},
		"endpoint": {endpointMax, push(func(p *port.Push, n int) { p.Endpoint = strings.Repeat("x", n) }),
			fault.Invalid},
		"browser": {browserMax, push(func(p *port.Push, n int) { p.Browser = strings.Repeat("x", n) }), fault.Invalid},
		"cause of a firing": {ValueMax, func(n int) error {
			return CheckFiring(&port.Firing{Schedule: "s", At: noon, Outcome: port.FiringMissed,
				Cause: strings.Repeat("x", n)})
		}, fault.Invalid},
		"cursor": {4 * WordMax, func(n int) error {
			c := Cursor{List: RunList, ID: "i"}.String()
			_, err := ParseCursor(c+strings.Repeat("\n", n-len(c)), RunList) // line ends are passed over
			return err
		}, fault.Invalid},
	} {
		if err := c.check(c.most); err != nil {
			t.Errorf("%s: %d: %v", what, c.most, err)
		}
		if err := c.check(c.most + 1); !fault.Is(err, c.code) {
			t.Errorf("%s: %d: %v", what, c.most+1, err)
		}
	}
	if err := CheckVersion(&port.Version{ID: "v", Kind: "k", Name: "n", Digest: "d",
		Body: huge}); !fault.Is(err, fault.TooLarge) {
		t.Errorf("a huge document: %v", err)
	}
}

// TestWhatIsMissing: nothing is stored without what identifies it.
func TestWhatIsMissing(t *testing.T) {
	body := json.RawMessage(`{}`)
	for what, c := range map[string]struct {
		err  error
		want []string
	}{
		"document": {CheckVersion(&port.Version{}), []string{"id", "kind", "name", "digest", "body"}},
		"document that is no JSON": {CheckVersion(&port.Version{ID: "v", Kind: "k", Name: "n", Digest: "d",
			Body: []byte(`{`)}), []string{"body"}},
		"account": {CheckAccount(&port.Account{}), []string{"name", "hash"}},
		"token":   {CheckToken(&port.Token{}), []string{"id", "name", "kind", "hash"}},
		"session": {CheckSession(&port.Session{}), []string{"id", "person", "way"}},
		"stand-in": {CheckStandIn(&port.StandIn{From: noon, Until: noon}),
			[]string{"name", "to", "until"}},
		"subject":              {CheckSubject(&port.Subject{}), []string{"name", "issuer", "subject"}},
		"answer":               {CheckAnswer(&port.Answer{}), []string{"answer.key"}},
		"firing":               {CheckFiring(&port.Firing{}), []string{"schedule", "at", "outcome"}},
		"order to forget":      {CheckUnlearning(&port.Unlearning{Run: "r", Tool: "t"}), []string{"name", "at"}},
		"subscription":         {CheckPush(&port.Push{}), []string{"id", "person", "endpoint", "p256dh", "auth"}},
		"key of push messages": {CheckPushKey(nil), []string{"key"}},
		"mark": {func() error {
			w := oneEvent("run_1")
			w.Marks = []port.DeliverableMark{{}}
			return CheckWrite(&w)
		}(), []string{"marks[0].id"}},
	} {
		if got := problemsOf(t, c.err); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q is wrong, not %q", what, got, c.want)
		}
	}
	for what, err := range map[string]error{
		"a bundle without digest": CheckBundle("", body), "an empty bundle": CheckBundle("d", nil),
		"a source with NUL": CheckSource([]byte("a\x00")), "a source that is no text": CheckSource([]byte("a\xff")),
		"a document with such a source": CheckVersion(&port.Version{ID: "v", Kind: "k", Name: "n", Digest: "d",
			Body: body, Source: []byte("\x00")}),
	} {
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, err := range map[string]error{
		"a bundle": CheckBundle("d", body), "a source": CheckSource([]byte("ö")), "no source": CheckSource(nil),
		"forget everything": CheckUnlearning(&port.Unlearning{At: noon}),
		"forget a tool":     CheckUnlearning(&port.Unlearning{Tool: "t", At: noon}),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}
