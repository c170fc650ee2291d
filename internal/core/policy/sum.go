package policy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/value"
)

// A comparison with sum looks at the total over acts with the rule's operations, including the one being
// judged: within one run, or within a time window over all runs. That way a limit cannot be bypassed by
// splitting an amount.
const (
	sumRun     = "run"
	sumSpanMin = time.Minute
	SumSpanMax = 31 * 24 * time.Hour // the longest window for a sum
)

// sum is a compiled sum.
type sum struct {
	field      value.Path
	by         value.Path    // nil: one total for all
	span       time.Duration // 0: this run
	text       string        // the span as written
	operations []string
}

// Count is an act's contribution to one sum.
type Count struct {
	// Sum identifies the field, the group-by field and its value, as a digest.
	Sum string `json:"sum" holds:"digest"`
	// Of is the field with its value, {"amount": 600}; empty if the value is unknown.
	Of json.RawMessage `json:"of,omitempty" holds:"amount"`

	amount Amount // once it has been read
	read   bool
	known  bool
}

// Amount is how much it adds, if known.
func (c *Count) Amount() (Amount, bool) {
	if !c.read {
		c.read = true
		for _, raw := range value.Members(c.Of) {
			c.amount, _, c.known = amountOf(raw)
		}
	}
	return c.amount, c.known
}

// SumQuery asks for the total over acts other than the one being judged.
type SumQuery struct {
	Sum   string
	Since time.Time // zero: all of this run
	// Operations are those to count; a word may end in *.
	Operations []string
}

// Counts reports whether acts with the given operation count.
func (q SumQuery) Counts(operation string) bool {
	return slices.ContainsFunc(q.Operations, func(p string) bool { return like(p, operation) })
}

// Total is the total over acts.
type Total struct {
	Amount  Amount
	Acts    int // number of acts added
	Unknown int // number of acts whose amount is unknown
}

// Plus adds two totals.
func (t Total) Plus(u Total) Total {
	return Total{t.Amount.Plus(u.Amount), t.Acts + u.Acts, t.Unknown + u.Unknown}
}

// Add returns the total including one more act.
func (t Total) Add(c *Count) Total {
	a, ok := c.Amount()
	if !ok {
		t.Unknown++
		return t
	}
	t.Amount = t.Amount.Plus(a)
	t.Acts++
	return t
}

// sum compiles a comparison's sum, or returns nil.
func (c *compiler) sum(path string, t *trigger, in Field) *sum {
	if in.Sum == "" {
		if in.By != "" {
			c.bad(path+".by", "it needs sum: also write sum: run or sum: 24h")
		}
		return nil
	}
	out := &sum{operations: t.words[0], text: strings.TrimSpace(in.Sum)}
	out.field, _ = value.ParsePath(in.Field)
	if !strings.HasSuffix(strings.TrimRight(path, "[]0123456789"), "data_threshold") {
		c.bad(path+".sum", "only data_threshold adds up")
	}
	if len(out.operations) == 0 {
		c.bad(path+".sum", "it adds up actions of an operation: name it in operation_type")
	}
	if t.at == "result" {
		c.bad(path+".sum", "it adds up actions, and at: result evaluates results")
	}
	if op := operators[in.Operator]; op != "" && !slices.Contains([]string{">", ">=", "<", "<="}, op) {
		c.bad(path+".operator", "a sum is compared by >, >=, < or <=")
	}
	raw, _ := value.Get(in.Value)
	if k := value.KindOf(raw); k != value.Number && k != value.Missing {
		c.bad(path+".value", "a sum is compared with a number")
	}
	if in.Sum != sumRun {
		span, err := quantity.ParseDuration(in.Sum)
		if out.span = span.Std(); err != nil || out.span < sumSpanMin || out.span > SumSpanMax {
			c.bad(path+".sum", "%q is unknown: write run, or a time from 1m to 31d such as 24h", in.Sum)
		}
	}
	if in.By != "" {
		by, err := value.ParsePath(in.By)
		if out.by = by; err != nil {
			c.bad(path+".by", "%v", err)
		} else {
			c.set.roots[by[0]] = true
		}
	}
	c.set.sums = append(c.set.sums, out)
	return out
}

// Counts returns an act's contributions to the policy's sums, whichever rule decides about it.
func (s *Set) Counts(sub Subject) (out []Count) {
	if s == nil || len(s.sums) == 0 || sub.Result {
		return nil
	}
	v := view{sub: &sub, roots: s.roots, paths: s.paths, budget: expr.Budget}
	for _, one := range s.sums {
		if !(SumQuery{Operations: one.operations}).Counts(sub.Operation) {
			continue
		}
		name, _ := one.name(&v)
		if name == "" || slices.ContainsFunc(out, func(c Count) bool { return c.Sum == name }) {
			continue
		}
		c := Count{Sum: name}
		if a, _, ok := amountOf(v.field(one.field)); ok {
			c.Of = value.Object(value.Member{Key: one.field[len(one.field)-1], Value: json.RawMessage(a.String())})
		}
		out = append(out, c)
	}
	return out
}

// name is the digest that groups acts with the one in view; if it cannot be determined, why explains. Values
// that many services treat as equal are grouped: 7, "7" and " 7.0", c-1 and C-1.
func (m *sum) name(v *view) (name, why string) {
	whom := ""
	if m.by != nil {
		switch raw := v.field(m.by); value.KindOf(raw) {
		case value.Number:
			whom = string(raw)
		case value.String:
			whom, _ = value.Text(raw)
			whom = strings.ToLower(strings.Join(strings.Fields(whom), " "))
		case value.Missing, value.Null:
			return "", ""
		default:
			return "", m.by.String() + " is neither a text nor a number"
		}
		if whom == "" {
			return "", ""
		}
		if a, negative, ok := amountOf(json.RawMessage(whom)); ok && !negative {
			whom = a.String()
		}
	}
	parts := [][]byte{[]byte("sum"), []byte(strconv.FormatBool(v.sub.Test)), []byte(m.field.String()),
		[]byte(m.by.String()), []byte(whom)}
	return value.Digest(parts...)[len("sha256:"):][:32], ""
}

// added is a sum including the act being judged.
type added struct {
	raw      json.RawMessage // the number; nil: unknown
	acts     int
	missing  string // the field that is missing
	why      string // any other reason it is unknown
	mistyped bool
}

// total computes a comparison's sum.
func (v *view) total(now time.Time, m *sum) (out added) {
	own := v.field(m.field)
	kind := value.KindOf(own)
	mine, negative, ok := amountOf(own)
	name, why := m.name(v)
	switch {
	case kind == value.Missing || kind == value.Null:
		return added{missing: m.field.String()}
	case kind != value.Number:
		return added{why: m.field.String() + " is not a number", mistyped: true}
	case negative:
		return added{why: m.field.String() + " is negative, and a sum never becomes smaller", mistyped: true}
	case !ok:
		return added{why: m.field.String() + " is too large, or has too many decimals, to be added up", mistyped: true}
	case why != "":
		return added{why: why, mistyped: true}
	case name == "":
		return added{missing: m.by.String()}
	case v.sub.Total == nil:
		return added{why: "other actions cannot be counted here"}
	}
	q := SumQuery{Sum: name, Operations: m.operations}
	if m.span > 0 {
		q.Since = now.Add(-m.span).Round(0).UTC()
	}
	total, known := v.sub.Total(q)
	switch {
	case !known:
		return added{why: "other actions could not be counted"}
	case total.Unknown > 0:
		return added{why: fmt.Sprintf("the %s of %s is unknown", m.field, acts(total.Unknown, "earlier action"))}
	}
	if !mutant.Is(mutant.SumForgetsThis) {
		total.Amount = total.Amount.Plus(mine)
	}
	return added{raw: json.RawMessage(total.Amount.String()), acts: total.Acts + 1}
}

func acts(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}

// same reports whether two comparisons use the same number.
func (m *sum) same(n *sum) bool {
	if m == nil || n == nil {
		return m == n
	}
	return m.span == n.span && slices.Equal(m.by, n.by) && slices.Equal(m.operations, n.operations)
}

// String describes it: the sum of amount in this run.
func (m *sum) String() string {
	out := "the sum of " + m.field.String()
	if m.by != nil {
		out += " by " + m.by.String()
	}
	return out + " " + m.where()
}

func (m *sum) where() string {
	if m.span == 0 {
		return "in this run"
	}
	return "in the last " + m.text
}

// tells describes a sum: 3 refund actions in this run add up to 1,800.
func (m *sum) tells(sum added) string {
	what := fmt.Sprintf("%s %s", acts(sum.acts, either(m.operations)+" action"), m.where())
	if m.by != nil {
		what += " for this " + m.by.String()
	}
	if sum.acts == 1 {
		return fmt.Sprintf("%s comes to %s (%s)", what, phrase.Grouped(string(sum.raw)), m.field)
	}
	return fmt.Sprintf("%s add up to %s (%s)", what, phrase.Grouped(string(sum.raw)), m.field)
}
