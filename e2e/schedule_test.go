package e2e

import (
	"encoding/json"
	"testing"
	"time"
)

// A schedule starts a run each minute, once: also when the program is killed around the minute and started again.
func TestScheduleSurvivesAKill(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.define(`agent: echo
kind: scripted
answers: [{output: {done: true}}]
---
workflow: minutely
steps: [{id: a, agent: echo}]
`)
	if left := time.Until(time.Now().Truncate(time.Minute).Add(time.Minute)); left < 10*time.Second {
		time.Sleep(left) // the rest of a minute would be too short to look around in
	}
	s.call("PUT", "/schedules/minutely", map[string]any{"schedule": "minutely", "cron": "* * * * *",
		"workflow": "minutely", "input": map[string]any{"from": "the schedule"}, "overlap": "allow"}).want(201)
	type firing struct {
		At      time.Time `json:"at"`
		Outcome string    `json:"outcome"`
		Run     string    `json:"run"`
	}
	var shown struct {
		Next []time.Time `json:"next"`
		Last *firing     `json:"last"`
	}
	if err := json.Unmarshal(s.call("GET", "/schedules/minutely", nil).want(200).body, &shown); err != nil {
		t.Fatal(err)
	}
	if len(shown.Next) != 5 || shown.Last != nil {
		t.Fatalf("%+v", shown)
	}
	due := shown.Next[0]
	time.Sleep(time.Until(due) - 500*time.Millisecond)
	s.kill()
	time.Sleep(time.Until(due) + 500*time.Millisecond)
	s.start() // after the minute: it is made up for

	var listed struct {
		Items []struct {
			ID, Owner, Status string
		} `json:"items"`
		Total int `json:"total"`
	}
	runs := func() int {
		if err := json.Unmarshal(s.call("GET", "/runs?owner=schedule:minutely", nil).want(200).body, &listed); err != nil {
			t.Fatal(err)
		}
		return listed.Total
	}
	waitFor(t, "the run of the minute", func() bool { return runs() >= 1 })
	first := listed.Items[len(listed.Items)-1].ID // the newest is first
	s.settles(first, "completed")
	s.kill() // perhaps before it is stored that the minute was handled
	s.start()
	waitFor(t, "the minute to be handled", func() bool {
		if err := json.Unmarshal(s.call("GET", "/schedules/minutely", nil).want(200).body, &shown); err != nil {
			t.Fatal(err)
		}
		return shown.Last != nil
	})
	n := runs()
	inTime := time.Now().Before(due.Add(time.Minute)) // else a machine this slow is in the next minute
	if inTime && (n != 1 || listed.Items[0].ID != first) {
		t.Errorf("%d runs after the second kill: %+v", n, listed.Items)
	}
	if l := shown.Last; inTime && (!l.At.Equal(due) || l.Outcome != "started" || l.Run != first) {
		t.Errorf("last: %+v, due %s, run %s", l, due, first)
	}
	all := s.call("GET", "/schedules", nil).want(200)
	if all.number("total") != 1 || all.text("items.0.name") != "minutely" {
		t.Errorf("%s", all.body)
	}
	now := s.call("POST", "/schedules/minutely/run", nil).want(201)
	s.settles(now.text("id"), "completed")
	if now.text("owner") == "schedule:minutely" {
		t.Errorf("a run that a person started belongs to the schedule: %s", now.body)
	}
	s.call("DELETE", "/schedules/minutely", nil).want(200)
	s.call("GET", "/schedules/minutely", nil).want(404)
	if listed.Items[0].Owner != "schedule:minutely" {
		t.Errorf("owner %s", listed.Items[0].Owner)
	}
}
