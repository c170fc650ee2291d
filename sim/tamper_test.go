package sim_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/sim"
	"github.com/assent-run/assent/sim/audit"
)

// TestAuditorComplains: an auditor that never complains is useless. Each case forges valid evidence in one
// way and names the expected complaint.
func TestAuditorComplains(t *testing.T) {
	var good []audit.Case
	for seed := uint64(1); seed <= 300; seed++ {
		r := sim.Run(sim.Options{Seed: seed, Off: switchedOff()})
		if r.Violation != nil {
			t.Fatalf("seed %d is not even good evidence: %s", seed, r.Violation)
		}
		good = append(good, r.Case)
	}
	for _, forgery := range forgeries {
		t.Run(forgery.name, func(t *testing.T) {
			tried := 0
			for n, c := range good {
				seed := n + 1
				c.Runs, c.Acks, c.Starts = slices.Clone(c.Runs), slices.Clone(c.Acks), slices.Clone(c.Starts)
				if !forgery.forge(&c) {
					continue // nothing to forge here
				}
				tried++
				v := audit.Check(c)
				if v == nil {
					t.Fatalf("seed %d: nobody noticed", seed)
				}
				if !slices.Contains(forgery.says, v.Invariant) {
					t.Fatalf("seed %d: the auditor says %s, not %v", seed, v, forgery.says)
				}
				if tried == 3 {
					return
				}
			}
			if tried == 0 {
				t.Fatal("no seed had anything to forge")
			}
		})
	}
}

type forgery struct {
	name  string
	forge func(*audit.Case) bool
	says  []string
}

var forgeries = []forgery{
	{"an event is dropped", func(c *audit.Case) bool {
		return edit(c, func(n int, e line) []line { return nil }, func(n int, e line) bool { return n == 2 })
	}, []string{"seq is dense"}},

	{"an acknowledged command is not in the log", func(c *audit.Case) bool {
		for i := range c.Acks {
			if c.Acks[i].ID != "" {
				c.Acks[i].ID += "-forged"
				return true
			}
		}
		return false
	}, []string{"acknowledged means durable"}},

	{"a command leads to events twice", func(c *audit.Case) bool {
		cause := ""
		return edit(c, func(n int, e line) []line { return []line{e.with("cause", cause)} }, func(n int, e line) bool {
			if n == 0 {
				cause, _ = e["cause"].(string)
			}
			return cause != "" && e["cause"] == nil && n > 3
		})
	}, []string{"one command id, one answer"}},

	{"an approval is settled twice", func(c *audit.Case) bool {
		return edit(c, func(n int, e line) []line { return []line{e, e} }, ofType("approval.resolved"))
	}, []string{"at most one outcome per approval"}},

	{"the requester votes", func(c *audit.Case) bool {
		owner := ownerOf(c)
		return edit(c, func(n int, e line) []line {
			e.data()["decision"].(map[string]any)["by"] = owner
			e["actor"].(map[string]any)["name"] = owner
			return []line{e}
		}, func(n int, e line) bool {
			return e["type"] == "approval.decided" && excludes(c, e.data()["id"].(string))
		})
	}, []string{"only who may decide decides", "nothing is approved without its quorum"}},

	{"an agent votes", func(c *audit.Case) bool {
		return edit(c, func(n int, e line) []line {
			e.data()["decision"].(map[string]any)["by"] = "robot"
			e["actor"].(map[string]any)["name"] = "robot"
			return []line{e}
		}, ofType("approval.decided"))
	}, []string{"only who may decide decides"}},

	{"a vote is lost", func(c *audit.Case) bool {
		return edit(c, func(n int, e line) []line {
			e["type"], e["data"] = "warning.raised", map[string]any{"code": "x"}
			return []line{e}
		}, func(n int, e line) bool {
			d, _ := e.data()["decision"].(map[string]any)
			return e["type"] == "approval.decided" && d != nil && (d["act"] == "approve" || d["act"] == "choose") &&
				settles(c, n, e)
		})
	}, []string{"nothing is approved without its quorum"}},

	{"what ran ahead is not given up", func(c *audit.Case) bool {
		return edit(c, func(n int, e line) []line {
			e["type"], e["data"] = "warning.raised", map[string]any{"code": "x"}
			return []line{e}
		}, ofType("speculation.discarded"))
	}, []string{aheadUsed}},

	{"what ran ahead for something else is used", func(c *audit.Case) bool {
		for i, s := range c.Starts {
			began := func(other audit.Start) bool { return other.Work == s.Work && other.Kind == "step" && other.Seq < s.Seq }
			if s.Kind == "ahead" && slices.ContainsFunc(c.Starts, began) {
				c.Starts[i].Content = json.RawMessage(`{"n":77}`)
				return true
			}
		}
		return false
	}, []string{"equal keys are equal work"}},

	{"what ran ahead costs the run something", func(c *audit.Case) bool {
		c.Spent = map[string]int64{c.Runs[0].ID: c.Spent[c.Runs[0].ID] + 1}
		return true
	}, []string{aheadUsed}},

	{"an open approval is forgotten at the end", func(c *audit.Case) bool {
		return edit(c, func(n int, e line) []line {
			e["type"], e["data"] = "warning.raised", map[string]any{"code": "x"}
			return []line{e}
		}, func(n int, e line) bool {
			o, _ := e.data()["outcome"].(map[string]any)
			return e["type"] == "approval.resolved" && o != nil && o["status"] == "cancelled"
		})
	}, []string{"a run completes only when nothing is open", "nothing gated runs without its approval"}},

	{"the ids of two calls are swapped", func(c *audit.Case) bool {
		return edit(c, func(n int, e line) []line {
			e.data()["id"] = "another"
			return []line{e}
		}, ofType("call.completed"))
	}, []string{"results count only for what is owed"}},

	{"a call runs with other arguments", func(c *audit.Case) bool {
		for i := range c.Starts {
			if c.Starts[i].Kind == "call" {
				c.Starts[i].Content = json.RawMessage(`{"n":77}`)
				return true
			}
		}
		return false
	}, []string{"nothing gated runs without its approval", "equal keys are equal work"}},

	{"a tool that asked is told what nobody said", func(c *audit.Case) bool {
		for i := range c.Starts {
			if c.Starts[i].Answer != nil {
				c.Starts[i].Answer = json.RawMessage(`{"n":77}`)
				return true
			}
		}
		return false
	}, []string{"nothing gated runs without its approval"}},

	{"a call that asked runs again before anybody answered", func(c *audit.Case) bool {
		return edit(c, func(n int, e line) []line {
			again := line{"run": e["run"], "seq": e["seq"], "at": e["at"], "type": "call.started", "actor": e["actor"],
				"data": map[string]any{
					"step": e.data()["step"], "index": e.data()["index"], "no": e.data()["no"], "try": 99,
				}}
			return []line{e, again}
		}, ofType("call.input_needed"))
	}, []string{"nothing gated runs without its approval"}},

	{"a call runs twice", func(c *audit.Case) bool {
		return edit(c, func(n int, e line) []line {
			again := line{}
			for k, v := range e {
				again[k] = v
			}
			data := map[string]any{}
			for k, v := range e.data() {
				data[k] = v
			}
			data["try"] = 99
			again["data"] = data
			return []line{e, again}
		}, ofType("call.started"))
	}, []string{"results count only for what is owed"}},

	{"a step that people let through works on something else", func(c *audit.Case) bool {
		for i, s := range c.Starts {
			if s.Kind == "step" && s.Index < 0 && s.Try == 1 && gateBefore(c, s) {
				c.Starts[i].Content = json.RawMessage(`{"n":77}`)
				return true
			}
		}
		return false
	}, []string{"nothing gated runs without its approval", "equal keys are equal work"}},

	{"a fork changes what was decided", func(c *audit.Case) bool {
		return editFork(c, func(e line) { e.data()["edits"] = map[string]any{"input": map[string]any{"n": 77}} },
			func(e line) bool { return true })
	}, []string{"a fork keeps no answer to something else"}},

	{"a program that forks takes the run over", func(c *audit.Case) bool {
		return editFork(c, func(e line) { e.data()["owner"] = "service:deploy" },
			func(e line) bool { return e["actor"].(map[string]any)["kind"] != "person" })
	}, []string{"only who may decide decides"}},

	{"a deadline passes early", func(c *audit.Case) bool {
		return edit(c, func(n int, e line) []line {
			e["at"] = "2020-01-01T00:00:00Z"
			return []line{e}
		}, ofType("approval.timed_out"))
	}, []string{"a deadline counts only once it has passed"}},

	{"a result comes from nowhere", func(c *audit.Case) bool {
		return edit(c, func(n int, e line) []line {
			e["type"], e["data"] = "warning.raised", map[string]any{"code": "x"}
			return []line{e}
		}, ofType("step.started"))
	}, []string{"results count only for what is owed", "only what is owed is started", "steps start in their order"}},

	{"a run never ends", func(c *audit.Case) bool {
		return edit(c, func(n int, e line) []line {
			e["type"], e["data"] = "warning.raised", map[string]any{"code": "x"}
			return []line{e}
		}, ofType("run.completed"))
	}, []string{"every run moves on once faults stop"}},
}

// line is an event that can be forged.
type line map[string]any

func (l line) data() map[string]any { return l["data"].(map[string]any) }

func (l line) with(key string, v any) line {
	l[key] = v
	return l
}

func ofType(typ string) func(int, line) bool {
	return func(_ int, e line) bool { return e["type"] == typ }
}

const aheadUsed = "what ran ahead is used as assumed, or not at all"

// settles reports whether a vote settles its approval: the next event says so.
func settles(c *audit.Case, n int, e line) bool {
	for _, r := range c.Runs {
		if r.ID == e["run"] && n+1 < len(r.Lines) {
			next := string(r.Lines[n+1])
			return strings.Contains(next, `"type":"approval.resolved"`) &&
				(strings.Contains(next, `"status":"approved"`) || strings.Contains(next, `"status":"chosen"`))
		}
	}
	return false
}

// edit forges the first matching event in a log that no other is copied from.
func edit(c *audit.Case, forge func(int, line) []line, match func(int, line) bool) bool {
	if hasForks(c) {
		return false // a forged history shows elsewhere first
	}
	for i, r := range c.Runs {
		var out [][]byte
		done := false
		for n, raw := range r.Lines {
			var e line
			if err := json.Unmarshal(raw, &e); err != nil {
				panic(err)
			}
			if done || !match(n, e) {
				out = append(out, raw)
				continue
			}
			done = true
			for _, forged := range forge(n, e) {
				raw, err := json.Marshal(forged)
				if err != nil {
					panic(err)
				}
				out = append(out, raw)
			}
		}
		if done {
			c.Runs[i].Lines = out
			if len(out) > len(r.Lines) {
				renumber(c, i)
			}
			return true
		}
	}
	return false
}

// editFork forges the first matching fork of a past with an answer.
func editFork(c *audit.Case, forge func(line), match func(line) bool) bool {
	for i, r := range c.Runs {
		answered := false
		for n, raw := range r.Lines {
			var e line
			if err := json.Unmarshal(raw, &e); err != nil {
				panic(err)
			}
			answered = answered || e["type"] == "approval.auto_approved" ||
				e["type"] == "approval.decided" && strings.Contains(string(raw), `"act":"approve"`)
			if e["type"] != "run.forked" || !answered || !match(e) {
				continue
			}
			forge(e)
			forged, err := json.Marshal(e)
			if err != nil {
				panic(err)
			}
			c.Runs[i].Lines = slices.Clone(r.Lines)
			c.Runs[i].Lines[n] = forged
			return true
		}
	}
	return false
}

// renumber makes a log dense again, and adapts the promises about it: only the forgery itself should be
// detected.
func renumber(c *audit.Case, i int) {
	for n, raw := range c.Runs[i].Lines {
		var e line
		_ = json.Unmarshal(raw, &e)
		e["seq"] = n + 1
		c.Runs[i].Lines[n], _ = json.Marshal(e)
	}
	c.Acks, c.Starts = nil, nil
}

func hasForks(c *audit.Case) bool {
	for _, r := range c.Runs {
		for _, raw := range r.Lines {
			if strings.Contains(string(raw), `"type":"run.forked"`) {
				return true
			}
		}
	}
	return false
}

func ownerOf(c *audit.Case) string {
	var e struct {
		Data struct{ Owner string }
	}
	_ = json.Unmarshal(c.Runs[0].Lines[0], &e)
	return e.Data.Owner
}

// excludes reports whether an approval excludes the requester.
func excludes(c *audit.Case, id string) bool {
	for _, raw := range c.Runs[0].Lines {
		s := string(raw)
		if strings.Contains(s, fmt.Sprintf(`"id":%q`, id)) && strings.Contains(s, `"type":"approval.needed"`) {
			return strings.Contains(s, `"exclude_requester":true`)
		}
	}
	return false
}

// gateBefore reports whether someone was asked before this step, and approved.
func gateBefore(c *audit.Case, s audit.Start) bool {
	for _, r := range c.Runs {
		for _, raw := range r.Lines {
			t := string(raw)
			if r.ID == s.Run && strings.Contains(t, `"type":"approval.resolved"`) &&
				strings.Contains(t, fmt.Sprintf(`"spot":{"at":"before","step":%q}`, s.Step)) &&
				(strings.Contains(t, `"status":"approved"`) || strings.Contains(t, `"status":"chosen"`)) &&
				!strings.Contains(t, `"n":77`) {
				return strings.Contains(string(c.Definitions["main"]), fmt.Sprintf(`"at":"before %s","kind"`, s.Step))
			}
		}
	}
	return false
}
