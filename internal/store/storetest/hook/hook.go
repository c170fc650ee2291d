// Package hook tests how stores keep the deliveries to triggers.
package hook

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// Of is a delivery that arrived some minutes after the beginning, and started a run unless that is empty.
func Of(id string, minutes int, started string) port.HookDelivery {
	at := fixture.Began.Add(time.Duration(minutes) * time.Minute)
	d := port.HookDelivery{ID: id, Trigger: "orders", At: at, LastAt: at, Times: 1, Outcome: port.HookFailed, Run: started,
		Body: []byte(`{"from":"` + id + `"}`)}
	if started != "" {
		d.Outcome = port.HookStarted
	}
	return d
}

// Deliveries: the newest of each trigger, each once however often it arrives.
func Deliveries(t *testing.T, s store.Store) {
	ctx := t.Context()
	want := func(want ...port.HookDelivery) {
		t.Helper()
		got, err := s.HookDeliveries(ctx, "orders", 100)
		fixture.Must(t, err)
		fixture.WantEqual(t, "deliveries", got, want)
	}
	want()
	a, b, other := Of("hook_a", 1, ""), Of("hook_b", 2, "run_b"), Of("hook_c", 3, "")
	other.Trigger = "Orders"
	for _, d := range []port.HookDelivery{a, b, other} {
		fixture.Must(t, s.PutHookDelivery(ctx, d))
	}
	want(b, a)
	// A delivery that failed may start a run when it arrives again; the order is that of the first arrivals.
	a2 := Of("hook_a", 5, "run_a")
	a2.Body = []byte(`{"from":"the second time"}`)
	fixture.Must(t, s.PutHookDelivery(ctx, a2))
	a2.At, a2.Times = a.At, 2
	want(b, a2)
	// Nothing replaces one that has started a run, and an arrival in the past is not the last one.
	late := Of("hook_a", 4, "")
	late.Times = 0 // not an arrival of its own
	fixture.Must(t, s.PutHookDelivery(ctx, late))
	fixture.Must(t, s.PutHookDelivery(ctx, Of("hook_a", 6, "run_other")))
	a2.Times, a2.LastAt = 3, Of("", 6, "").At
	want(b, a2)
	found, err := s.HookDelivery(ctx, "hook_a")
	fixture.Must(t, err)
	fixture.WantEqual(t, "one", found, a2)
	_, err = s.HookDelivery(ctx, "hook_x")
	fixture.WantCode(t, err, fault.NotFound)
	first, err := s.HookDeliveries(ctx, "orders", 1)
	fixture.Must(t, err)
	fixture.WantEqual(t, "newest", first, []port.HookDelivery{b})

	var all sync.WaitGroup // the same one from many senders at once
	for range 8 {
		all.Go(func() {
			if err := s.PutHookDelivery(ctx, Of("hook_d", 7, "run_d")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if d, err := s.HookDelivery(ctx, "hook_d"); err != nil || d.Times != 8 {
		t.Errorf("%+v, %v", d, err)
	}

	for i := range port.HookDeliveriesMax {
		fixture.Must(t, s.PutHookDelivery(ctx, Of(fmt.Sprintf("hook_many_%02d", i), 10+i, "run_m")))
	}
	got, err := s.HookDeliveries(ctx, "orders", 1000)
	fixture.Must(t, err)
	if len(got) != port.HookDeliveriesMax || got[0].ID != "hook_many_49" || got[49].ID != "hook_many_00" {
		t.Errorf("%d, %s to %s", len(got), got[0].ID, got[len(got)-1].ID)
	}
	if d, err := s.HookDelivery(ctx, "hook_c"); err != nil || d.Trigger != "Orders" { // of another trigger
		t.Errorf("%+v, %v", d, err)
	}

	n, err := s.ExpireHookDeliveries(ctx, other.LastAt, 10)
	fixture.Must(t, err)
	m, err := s.ExpireHookDeliveries(ctx, other.LastAt.Add(time.Hour), 10)
	fixture.Must(t, err)
	if n != 0 || m != 1 { // those with a run stay
		t.Errorf("%d and %d expired", n, m)
	}
	badHooks(t, s)
}

func badHooks(t *testing.T, s store.Store) {
	for name, change := range map[string]func(*port.HookDelivery){
		"no id":      func(d *port.HookDelivery) { d.ID = "" },
		"no trigger": func(d *port.HookDelivery) { d.Trigger = "" },
		"NUL":        func(d *port.HookDelivery) { d.Trigger = "a\x00b" },
		"no time":    func(d *port.HookDelivery) { d.At = time.Time{} },
		"no last":    func(d *port.HookDelivery) { d.LastAt = time.Time{} },
		"outcome":    func(d *port.HookDelivery) { d.Outcome = "lost" },
		"no run":     func(d *port.HookDelivery) { d.Run = "" },
		"a run":      func(d *port.HookDelivery) { d.Outcome = port.HookIgnored },
	} {
		t.Run(name, func(t *testing.T) {
			d := Of("hook_bad", 1, "run_bad")
			change(&d)
			fixture.WantCode(t, s.PutHookDelivery(t.Context(), d), fault.Invalid)
		})
	}
	large := Of("hook_large", 1, "")
	large.Body = []byte(strings.Repeat("x", 2<<20+1))
	fixture.WantCode(t, s.PutHookDelivery(t.Context(), large), fault.TooLarge)
}

// Removed: deleting a run's payloads deletes the content of the delivery that started it, and it does
// not come back when the delivery is repeated.
func Removed(t *testing.T, s store.Store) {
	ctx := t.Context()
	w := fixture.New("run_gone")
	w.Row.EndedAt = fixture.Began
	w.Did(t, s, fixture.Started(`{}`))
	gone, stays := Of("hook_gone", 1, w.ID), Of("hook_stays", 2, "run_stays")
	gone.Body = []byte(`{"from":"` + fixture.Sent + `"}`)
	fixture.Must(t, s.PutHookDelivery(ctx, gone))
	fixture.Must(t, s.PutHookDelivery(ctx, stays))
	_, err := s.OrderRemoval(ctx, port.Removal{Run: w.ID, By: run.Actor{Kind: run.Person, Name: "ann"},
		Reason: "asked for", At: fixture.Began.Add(2 * time.Hour)})
	fixture.Must(t, err)
	fixture.Must(t, s.RemovePayloads(ctx, w.ID))
	fixture.Must(t, s.PutHookDelivery(ctx, gone))
	got, err := s.HookDeliveries(ctx, "orders", 10)
	fixture.Must(t, err)
	if len(got) != 2 || len(got[1].Body) != 0 || got[1].Run != w.ID || got[1].Times != 2 || len(got[0].Body) == 0 {
		t.Errorf("%+v", got)
	}
}
