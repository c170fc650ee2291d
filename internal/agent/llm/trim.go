package llm

import (
	"fmt"
	"strings"
)

// A conversation that does not fit is shortened in steps, each a function of the conversation alone, so that
// the result is always the same:
//
//  1. unchanged, if it fits
//  2. the oldest items become lines of a summary
//  3. the remaining texts lose their middle, more and more of it
//
// The opening and the newest item are always included.

const (
	cutStep  = 8 // items are dropped in steps, so that the beginning, which providers cache, changes rarely
	cutKeeps = 4 // newest items that rounding up to a step does not affect
)

// fitted is a conversation that fits.
type fitted struct {
	first string // message
	items []item
}

// fit makes a conversation fit into that many tokens.
func fit(o opening, items []item, room int) (fitted, bool) {
	whole := fitted{o.text(0, ""), items}
	if whole.size() <= room {
		return whole, true
	}
	for share := 4; share <= 4096; share *= 2 {
		most := room / share
		short := make([]item, len(items))
		for i, it := range items {
			short[i] = it.shortened(most)
		}
		first := o.text(most, "")
		free := room - 3*around - tokens(first)
		k := cutAt(short, free, room/8)
		if k < 0 {
			continue
		}
		got := fitted{o.text(most, summarise(items[:k], room/8)), short[k:]}
		if got.size() <= room {
			return got, true
		}
	}
	return fitted{}, false
}

// size estimates the tokens of all messages.
func (f *fitted) size() int {
	n := 3*around + tokens(f.first) // with a final message, if one is needed
	for i := range f.items {
		n += f.items[i].size()
	}
	return n
}

// cutAt is how many items have to go so that the others fit next to a summary; -1: the newest alone is too
// large.
func cutAt(items []item, free, summaryMax int) int {
	rest := 0
	for i := range items {
		rest += items[i].size()
	}
	if rest <= free {
		return 0
	}
	for k := 1; k < len(items); k++ {
		rest -= items[k-1].size()
		if rest+summaryMax > free {
			continue
		}
		if up := (k + cutStep - 1) / cutStep * cutStep; up <= len(items)-cutKeeps {
			return up
		}
		return k
	}
	return -1
}

// summarise summarises items in one line each, within that many tokens: the newest that fit, those of people
// first.
func summarise(items []item, most int) string {
	if len(items) == 0 {
		return ""
	}
	var lines []string
	var people []bool
	for i := range items {
		for _, l := range items[i].summary() {
			lines, people = append(lines, l), append(people, items[i].people)
		}
	}
	const head = "Summary of the beginning of the conversation, oldest first:"
	room := most - 2*tokens(head) - 4*around
	if room <= 0 {
		return fmt.Sprintf("%d earlier messages and calls are left out.", len(lines))
	}
	keep := make([]bool, len(lines))
	for _, first := range []bool{true, false} {
		for i := len(lines) - 1; i >= 0; i-- {
			if people[i] != first {
				continue
			}
			n := tokens(lines[i]) + 1
			if n > room {
				break
			}
			keep[i], room = true, room-n
		}
	}
	out, gone := []string{head}, 0
	for i, l := range lines {
		if keep[i] {
			out = append(out, l)
		} else {
			gone++
		}
	}
	if gone > 0 {
		out = append(out, fmt.Sprintf("- (%d more are left out)", gone))
	}
	return strings.Join(out, "\n")
}
