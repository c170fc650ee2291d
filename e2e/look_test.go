package e2e

import "testing"

// Views other than lists: a step with its attempts, comments, figures; and cancelling from them.
func TestLookingAndCancelling(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.define(refund)
	first, second := s.run("refund", map[string]any{"amount": 5}, as(ann)),
		s.run("refund", map[string]any{"amount": 6}, as(ann))
	asked := s.pending(first)
	s.pending(second)
	v := s.call("GET", "/runs/"+first+"/steps/draft", nil).want(200)
	if v.number("input.amount") != 5 || v.count("tries") != 1 || v.text("tries.0.output.text") != "hello" ||
		v.text("usage.cost_usd") != "0.0375" {
		t.Errorf("%s", v.body)
	}
	if v := s.call("GET", "/runs/"+first+"/steps/draft?at_seq=1", nil).want(200); v.count("tries") != 0 ||
		v.text("status") != "pending" {
		t.Errorf("%s", v.body)
	}
	s.call("GET", "/runs/"+first+"/steps/none", nil).problem(404, "not_found")

	id := asked.text("id")
	remarked := s.call("POST", "/approvals/"+id+"/comments", `{"text":"Which letter?"}`, as(bob), key("k1")).want(200)
	if remarked.text("comments.0.text") != "Which letter?" || remarked.text("comments.0.by") != "bob" ||
		remarked.number("version") != 1 {
		t.Errorf("%s", remarked.body)
	}
	if again := s.call("POST", "/approvals/"+id+"/comments", `{"text":"Which letter?"}`, as(bob),
		key("k1")).want(200); again.count("comments") != 1 {
		t.Errorf("%s", again.body)
	}
	s.call("POST", "/approvals/"+id+"/comments", `{"text":""}`, as(bob)).problem(422, "invalid")
	s.call("POST", "/approvals/"+id+"/decisions", `{"act":"reject","comment":"no","version":1}`, as(bob)).want(200)
	s.settles(first, "failed")

	if v := s.call("GET", "/insights?since=1d", nil).want(200); v.number("decided.by_status.rejected") != 1 ||
		v.number("pending.total") != 1 || v.number("runs.total") != 2 {
		t.Errorf("%s", v.body)
	}
	s.call("GET", "/insights?since=tomorrow", nil).problem(422, "invalid")

	if v := s.call("POST", "/runs/cancel", `{"workflow":"refund","just_count":true}`).want(200); v.number("runs") != 1 ||
		v.number("approvals") != 1 || v.number("cancelled") != 0 {
		t.Errorf("%s", v.body)
	}
	if v := s.call("POST", "/runs/cancel", `{"workflow":"refund","reason":"over"}`).want(200); v.number("cancelled") != 1 {
		t.Errorf("%s", v.body)
	}
	s.settles(second, "cancelled")
	s.call("POST", "/runs/cancel", `{"status":["completed"]}`).problem(422, "invalid")
}
