package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/view"
)

func TestOnlyOneOfManyDecides(t *testing.T) {
	d := open(t, Options{})
	ap := d.asked("ask")
	const many = 50
	answers := make([]answer, many)
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			answers[i] = d.post("/approvals/"+ap.ID+"/decisions", `{"act":"approve","version":1}`,
				as(fmt.Sprintf("p%02d", i), "approver")...)
		})
	}
	all.Wait()
	winner := ""
	for i, a := range answers {
		if a.status == 200 {
			if winner != "" {
				t.Fatalf("%s and p%02d have won", winner, i)
			}
			winner = fmt.Sprintf("p%02d", i)
		}
	}
	for _, a := range answers {
		if a.status == 200 {
			continue
		}
		a.refused(409, "already_decided")
		more := into[struct {
			By  string    `json:"decided_by"`
			At  time.Time `json:"decided_at"`
			Act string    `json:"act"`
		}](a)
		if more.By != winner || more.At.IsZero() || more.Act != "approve" {
			t.Errorf("%s: %s", winner, a.body)
		}
	}
	now := d.approval(ap.ID)
	if now.Status != "approved" || len(now.Decisions) != 1 || now.Decisions[0].By != winner || len(now.Acts) != 0 {
		t.Errorf("%+v", now)
	}
	// Whatever the version, a settled approval is settled.
	d.post("/approvals/"+ap.ID+"/decisions", `{"act":"approve","version":77}`,
		as("late", "approver")...).refused(409, "already_decided")
	d.until(ap.Run, "completed")
}

func TestQuorum(t *testing.T) {
	d := open(t, Options{})
	ap := d.asked("pair")
	path := "/approvals/" + ap.ID + "/decisions"
	d.post(path, `{"act":"approve","version":1}`, as("ann", "approver")...).refused(403, "forbidden") // she asked for it
	first := into[view.Approval](d.post(path, `{"act":"approve","version":1}`, as("bob", "approver")...).want(200))
	if first.Status != "pending" || first.Quorum.Given != 1 || first.Version != 2 {
		t.Errorf("%+v", first)
	}
	d.post(path, `{"act":"approve","version":2}`, as("bob", "approver")...).refused(409, "conflict")
	d.post(path, `{"act":"approve","version":1}`, as("eve", "approver")...).refused(409, "version_mismatch")
	second := into[view.Approval](d.post(path, `{"act":"approve","version":2}`, as("eve", "approver")...).want(200))
	if second.Status != "approved" || second.Outcome == nil || second.Outcome.By != "eve" {
		t.Errorf("%+v", second)
	}
}

func TestDecisions(t *testing.T) {
	d := open(t, Options{})
	bob := as("bob", "approver")
	t.Run("whoever asked is excluded", func(t *testing.T) {
		ap := d.asked("apart")
		d.post("/approvals/"+ap.ID+"/decisions", `{"act":"approve","version":1}`,
			as("ann", "approver", "admin")...).refused(403, "forbidden")
		d.post("/approvals/"+ap.ID+"/decisions", `{"act":"approve","version":1}`, bob...).want(200)
	})
	t.Run("values keep their bytes", func(t *testing.T) {
		ap := d.asked("ask")
		a := d.post("/approvals/"+ap.ID+"/decisions",
			`{"act":"modify","version":1,"comment":"a < b & c","changes":{"text":"\u0041<&>"}}`, bob...).want(200)
		for _, want := range []string{`"amount":12345678901234567890.10`, `"text":"\u0041<&>"`, `"comment":"a < b & c"`,
			`"status":"modified"`} {
			if !strings.Contains(string(a.body), want) {
				t.Errorf("%s is not in %s", want, a.body)
			}
		}
		if v := d.until(ap.Run, "completed"); string(v.Output) != `{"text":"\u0041<&>","amount":12345678901234567890.10}` {
			t.Errorf("%s", v.Output)
		}
	})
	t.Run("If-Match", func(t *testing.T) {
		ap := d.asked("ask")
		shown := d.get("/approvals/"+ap.ID, bob...)
		tag := shown.header.Get("ETag")
		d.get("/approvals/"+ap.ID, append(bob, "If-None-Match", tag)...).want(304)
		d.get("/approvals/"+ap.ID, append(as("eve", "viewer"), "If-None-Match", tag)...).want(200) // she may do less with it
		d.post("/approvals/"+ap.ID+"/decisions", `{"act":"delegate","to":"cid"}`, append(bob, "If-Match", tag)...).want(200)
		d.post("/approvals/"+ap.ID+"/decisions", `{"act":"approve"}`,
			append(as("cid"), "If-Match", tag)...).refused(409, "version_mismatch")
		fresh := d.get("/approvals/"+ap.ID, as("cid")...).header.Get("ETag")
		d.post("/approvals/"+ap.ID+"/decisions", `{"act":"approve"}`, append(as("cid"), "If-Match", fresh)...).want(200)
	})
	t.Run("choice", func(t *testing.T) {
		ap := d.asked("choose")
		d.post("/approvals/"+ap.ID+"/decisions", `{"act":"choose","option":"c","version":1}`, bob...).want(422)
		d.post("/approvals/"+ap.ID+"/decisions", `{"act":"choose","option":"b","version":1}`, bob...).want(200)
		d.until(ap.Run, "completed")
	})
	t.Run("input", func(t *testing.T) {
		ap := d.asked("form")
		p := d.post("/approvals/"+ap.ID+"/decisions", `{"act":"submit","data":{"date":7},"version":1}`,
			bob...).refused(422, "invalid")
		if len(p.Errors) == 0 || !strings.Contains(p.Errors[0].Path, "date") {
			t.Errorf("%+v", p)
		}
		d.post("/approvals/"+ap.ID+"/decisions",
			`{"act":"submit","data":{"date":"2026-01-01"},"version":1}`, bob...).want(200)
		d.until(ap.Run, "completed")
	})
	t.Run("preview", func(t *testing.T) {
		ap := d.asked("ask")
		v := into[app.ChangeView](d.post("/approvals/"+ap.ID+"/preview", `{"changes":{"amount":"much"}}`, bob...).want(200))
		if v.Valid || len(v.Errors) != 1 || len(v.Diff) != 1 || v.Diff[0].Path != "/amount" || v.Diff[0].Op != "replace" {
			t.Errorf("%+v", v)
		}
		v = into[app.ChangeView](d.post("/approvals/"+ap.ID+"/preview", `{"changes":{"amount":1}}`, bob...).want(200))
		if !v.Valid || string(v.Diff[0].From) != "12345678901234567890.10" {
			t.Errorf("%+v", v)
		}
	})
}

func TestInbox(t *testing.T) {
	d := open(t, Options{})
	d.asked("ask")
	d.asked("form")
	ap := d.asked("choose")
	count := func(query string, headers ...string) int {
		t.Helper()
		return len(into[view.List[view.Approval]](d.get("/approvals?"+query, headers...).want(200)).Items)
	}
	for query, want := range map[string]int{
		"": 3, "status=pending": 3, "status=approved": 0, "status=pending,approved": 3, "status=pending&status=approved": 3,
		"role=approver": 3, "role=finance": 0, "role=finance,approver": 3, "workflow=ask": 1, "kind=choice": 1,
		"run=" + ap.Run: 1, "run=x": 0,
		"agent=writer": 3, "agent=x": 0, "risk=critical": 0, "tool=x": 0, "sort=age": 3, "sort=deadline": 3, "limit=2": 2,
	} {
		if got := count(query); got != want {
			t.Errorf("%s: %d, not %d", query, got, want)
		}
	}
	if n := count("mine=true", as("bob", "approver")...); n != 3 {
		t.Errorf("bob sees %d", n)
	}
	if n := count("mine=true", as("eve", "viewer")...); n != 0 {
		t.Errorf("eve sees %d", n)
	}
	// Pages fit together, in every order.
	for _, sort := range []string{"priority", "age", "deadline"} {
		seen, cursor := map[string]bool{}, ""
		for range 3 {
			v := into[view.List[view.Approval]](d.get("/approvals?limit=1&sort=" + sort + "&cursor=" + cursor).want(200))
			if v.Total != 3 {
				t.Errorf("%+v", v)
			}
			seen[v.Items[0].ID], cursor = true, v.Next
		}
		if len(seen) != 3 || cursor != "" {
			t.Errorf("%s: %v %q", sort, seen, cursor)
		}
		d.get("/approvals?sort=age&cursor=bm9uc2Vuc2U").refused(422, "invalid")
	}
}

func TestBatch(t *testing.T) {
	d := open(t, Options{})
	one, two, three := d.asked("ask"), d.asked("ask"), d.asked("apart")
	d.post("/approvals/"+two.ID+"/decisions", `{"act":"approve","version":1}`, as("bob", "approver")...).want(200)
	body, _ := json.Marshal(map[string]any{"ids": []string{one.ID, two.ID, three.ID, "apr_nope"}, "act": "approve"})
	v := into[contract.BatchAnswer](d.post("/approvals/batch", string(body), as("ann", "approver")...).want(200))
	if len(v.Results) != 4 || !v.Results[0].OK || v.Results[0].Status != "approved" || v.Results[0].Error != nil {
		t.Fatalf("%+v", v)
	}
	for i, want := range map[int]string{1: "already_decided", 2: "forbidden", 3: "not_found"} {
		if r := v.Results[i]; r.OK || r.Error == nil || string(r.Error.Code) != want || r.Error.Status < 400 {
			t.Errorf("%d: %+v", i, r)
		}
	}
	// A version that was not the current one.
	body, _ = json.Marshal(map[string]any{"ids": []string{three.ID}, "act": "approve",
		"versions": map[string]int{three.ID: 9}})
	if v := into[contract.BatchAnswer](d.post("/approvals/batch", string(body),
		as("bob", "approver")...).want(200)); v.Results[0].OK || v.Results[0].Error.Code != "version_mismatch" {
		t.Errorf("%+v", v)
	}
}

func TestExpire(t *testing.T) {
	d := open(t, Options{})
	ap, other := d.asked("ask"), d.asked("choose")
	if v := into[contract.BatchAnswer](d.post("/approvals/expire", `{"older_than":"1h"}`).want(200)); len(v.Results) != 0 {
		t.Errorf("%+v", v)
	}
	time.Sleep(2 * time.Millisecond)
	v := into[contract.BatchAnswer](d.post("/approvals/expire",
		`{"older_than":"1ms","comment":"Stale.","workflow":"ask"}`).want(200))
	if len(v.Results) != 1 || v.Results[0].ID != ap.ID || !v.Results[0].OK {
		t.Errorf("%+v", v)
	}
	if now := d.approval(ap.ID); now.Status == "pending" {
		t.Errorf("%+v", now)
	}
	if now := d.approval(other.ID); now.Status != "pending" {
		t.Errorf("%+v", now)
	}
}
