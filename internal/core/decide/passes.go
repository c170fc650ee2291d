package decide

import (
	"slices"

	"github.com/assent-run/assent/internal/core/asking"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/run"
)

// passes reports whether everything required at a place has been approved for exactly the current proposal
// and implementation, and whether the policy now in force requires nothing more. Questions about this content
// without an approval are asked again unchanged; if something changed, approvers who have not seen it are
// asked again.
func (d *draft) passes(spot run.Spot, p *gate.Place) bool {
	if slices.ContainsFunc(p.Asks, func(ask gate.Ask) bool { return ask.Pending }) {
		return false // they are asked about what they see
	}
	p = d.rebindPlace(spot, p)
	again, now := []asking.Want(nil), d.asking()
	changed := false
	for _, ask := range p.Asks {
		switch {
		case ask.Accepted == p.Content: // edits by people are checked like anything new
			changed = changed || ask.Content != p.Content
		case ask.Content == p.Content && ask.Accepted == "":
			again = append(again, now.Again(ask.Want, ask.Approval))
		default:
			changed = true
		}
	}
	if mutant.Is(mutant.ChangedArgsPass) {
		return true
	}
	if changed || now.JudgedAt(spot) && !mutant.Is(mutant.NotAskedOnceMore) {
		wants, denied := d.heed(now.OnceMore(spot, p, changed))
		if denied != nil { // the edited proposal is forbidden, or is by now
			d.denied(spot, *denied)
			return false
		}
		again = append(again, wants...)
	}
	again = append(again, now.AlsoAgain(spot, p, again)...)
	return len(again) == 0 || !d.open(spot, again)
}

// mayRetry reports whether a failed attempt may be repeated now. A nil place is one that required nothing the
// first time.
func (d *draft) mayRetry(spot run.Spot, p *gate.Place) bool {
	if p != nil {
		return d.passes(spot, p)
	}
	if !d.asking().JudgedAt(spot) {
		return true
	}
	wants, denied := d.heed(d.asking().OnceMore(spot, &gate.Place{}, false))
	if denied != nil {
		d.denied(spot, *denied)
		return false
	}
	return len(wants) == 0 || !d.open(spot, wants)
}
