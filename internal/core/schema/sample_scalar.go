package schema

import (
	"encoding/json"
	"math/big"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/value"
)

const sampleTextMax = 10_000

// sampleText generates a string: of the right format, matching the pattern, or plain text of the right
// length.
func sampleText(schema json.RawMessage, variant int) json.RawMessage {
	least := integer(schema, "minLength", 0)
	most := integer(schema, "maxLength", sampleTextMax)
	fits := func(s string) bool {
		n := utf8.RuneCountInString(s)
		return n >= least && n <= most
	}
	format, _ := value.Get(schema, "format")
	if name, ok := value.Text(format); ok {
		if example, ok := formatExamples[name]; ok && fits(example) {
			return value.Quote(example)
		}
	}
	text := "text"
	if variant > 0 {
		text += strconv.Itoa(variant)
	}
	if raw, ok := value.Get(schema, "pattern"); ok {
		src, _ := value.Text(raw)
		if made, ok := matching(re2(src), text, least); ok {
			return value.Quote(made)
		}
	}
	if n := len(text); n < least {
		text += strings.Repeat("x", min(least, sampleTextMax)-n)
	}
	if most >= 0 && len(text) > most {
		text = text[len(text)-most:]
	}
	return value.Quote(text)
}

// matching generates a text that a pattern accepts: the default one if it matches, else the shortest path
// through the pattern, repeating what may repeat until the text is long enough.
func matching(src, usual string, least int) (string, bool) {
	if len(src) > 1000 {
		return "", false
	}
	re, err := regexp.Compile(src)
	if err != nil {
		return "", false
	}
	if len(usual) >= least && re.MatchString(usual) {
		return usual, true
	}
	tree, err := syntax.Parse(src, syntax.Perl)
	if err != nil {
		return "", false
	}
	for _, extra := range []int{0, 1, least} {
		w := writer{extra: min(extra, sampleTextMax)}
		w.write(tree)
		if made := w.b.String(); utf8.RuneCountInString(made) >= least && re.MatchString(made) {
			return made, true
		}
	}
	return "", false
}

type writer struct {
	b     strings.Builder
	extra int // repetitions beyond the minimum
}

func (w *writer) write(re *syntax.Regexp) {
	if w.b.Len() > sampleTextMax {
		return
	}
	repeat := func(least, most int) {
		n := least + w.extra
		if most >= 0 {
			n = min(n, most)
		}
		for range n {
			if w.b.Len() > sampleTextMax {
				return
			}
			w.write(re.Sub[0])
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		w.b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		w.b.WriteRune(pick(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		w.b.WriteByte('x')
	case syntax.OpStar:
		repeat(0, -1)
	case syntax.OpPlus:
		repeat(1, -1)
	case syntax.OpQuest:
		repeat(0, 1)
	case syntax.OpRepeat:
		repeat(re.Min, re.Max)
	case syntax.OpAlternate:
		w.write(re.Sub[0])
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			w.write(sub)
		}
	}
}

// pick selects a readable character from a class, which is a list of ranges.
func pick(ranges []rune) rune {
	for _, like := range "ax1A-_ " {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= like && like <= ranges[i+1] {
				return like
			}
		}
	}
	if len(ranges) == 0 {
		return 'x'
	}
	return ranges[0]
}

// sampleNumber returns 1 if it is allowed, else the nearest to the lower limit, else to the upper one. A
// variant is that many steps higher.
func sampleNumber(schema json.RawMessage, variant int, whole bool) json.RawMessage {
	lim := limits(schema, whole)
	one := big.NewRat(1, 1)
	var tries []*big.Rat
	tries = append(tries, one)
	for _, l := range []*big.Rat{lim.low, lim.high} {
		if l == nil {
			continue
		}
		tries = append(tries, l, lim.round(l, 1), lim.round(l, -1))
	}
	if lim.low != nil && lim.high != nil && !whole {
		mid := new(big.Rat).Add(lim.low, lim.high)
		tries = append(tries, mid.Mul(mid, big.NewRat(1, 2)))
	}
	tries = append(tries, new(big.Rat), lim.step)
	for _, t := range tries {
		if !lim.allow(t) {
			continue
		}
		next := new(big.Rat).Mul(lim.step, big.NewRat(int64(variant), 1))
		if next.Add(next, t); lim.allow(next) {
			t = next
		}
		return json.RawMessage(decimal(t))
	}
	return json.RawMessage("0")
}

type bounds struct {
	low, high           *big.Rat
	openLow, openHigh   bool // the limit itself is not allowed
	step                *big.Rat
	whole, mustBeOnStep bool
}

func limits(schema json.RawMessage, whole bool) bounds {
	b := bounds{step: big.NewRat(1, 1), whole: whole}
	get := func(keyword string) *big.Rat {
		v, ok := value.Get(schema, keyword)
		if !ok || value.KindOf(v) != value.Number {
			return nil
		}
		r, _ := rational(string(v))
		return r
	}
	b.low, b.high = get("minimum"), get("maximum")
	if open := get("exclusiveMinimum"); open != nil && (b.low == nil || open.Cmp(b.low) >= 0) {
		b.low, b.openLow = open, true
	}
	if open := get("exclusiveMaximum"); open != nil && (b.high == nil || open.Cmp(b.high) <= 0) {
		b.high, b.openHigh = open, true
	}
	// Draft 4 declares whether minimum and maximum are exclusive.
	if v, _ := value.Get(schema, "exclusiveMinimum"); string(v) == "true" {
		b.openLow = true
	}
	if v, _ := value.Get(schema, "exclusiveMaximum"); string(v) == "true" {
		b.openHigh = true
	}
	if step := get("multipleOf"); step != nil && step.Sign() > 0 {
		b.step, b.mustBeOnStep = step, true
	}
	return b
}

func (b bounds) allow(r *big.Rat) bool {
	if b.whole && !r.IsInt() {
		return false
	}
	if b.mustBeOnStep && !new(big.Rat).Quo(r, b.step).IsInt() {
		return false
	}
	if b.low != nil && (r.Cmp(b.low) < 0 || b.openLow && r.Cmp(b.low) == 0) {
		return false
	}
	return b.high == nil || r.Cmp(b.high) < 0 || !b.openHigh && r.Cmp(b.high) == 0
}

// round returns the first step strictly above (1) or below (-1) a limit.
func (b bounds) round(r *big.Rat, direction int64) *big.Rat {
	q := new(big.Rat).Quo(r, b.step)
	n := new(big.Int).Div(q.Num(), q.Denom()) // rounds down
	if direction > 0 || q.IsInt() {
		n.Add(n, big.NewInt(direction))
	}
	return new(big.Rat).Mul(new(big.Rat).SetInt(n), b.step)
}
