package run

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/plan"
)

// KeyKind is the kind of obligation that a key identifies.
type KeyKind string

const (
	KeyStep    KeyKind = "step"
	KeyTurn    KeyKind = "turn"
	KeyCall    KeyKind = "call"
	KeyConsult KeyKind = "consult"
	KeyReplan  KeyKind = "replan"
	KeyCancel  KeyKind = "cancel" // of a sub-run; its end is reported under the step's key
)

// Key permanently identifies an obligation. Equal keys are one obligation, so a repeat may reuse its result;
// a key with an older Try or Rev is fenced off.
type Key struct {
	Run   string  `holds:"id"`
	Kind  KeyKind `holds:"id"`
	Step  string  `holds:"id"` // empty for consult and replan
	Index int     // element of a map, -1 otherwise
	Rev   int     // increased when the work has to be done differently
	N     int     // turn, call, layer or replan number
	Try   int
}

// Work identifies the piece of work across attempts: the idempotency key that external systems see.
func (k Key) Work() string {
	var b strings.Builder
	b.WriteString(k.Run)
	b.WriteByte('/')
	b.WriteString(string(k.Kind))
	b.WriteByte('/')
	b.WriteString(k.Step)
	if k.Index >= 0 {
		b.WriteByte('[')
		b.WriteString(strconv.Itoa(k.Index))
		b.WriteByte(']')
	}
	b.WriteByte('#')
	b.WriteString(strconv.Itoa(k.Rev))
	if k.Kind != KeyStep {
		b.WriteByte('.')
		b.WriteString(strconv.Itoa(k.N))
	}
	return b.String()
}

// String is Work and the attempt.
func (k Key) String() string { return k.Work() + "~" + strconv.Itoa(k.Try) }

// MarshalText and UnmarshalText encode keys in JSON and headers.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

func (k *Key) UnmarshalText(b []byte) error {
	p, err := ParseKey(string(b))
	if err == nil {
		*k = p
	}
	return err
}

// ParseKey parses the output of String.
func ParseKey(s string) (k Key, err error) {
	bad := fmt.Errorf("%q is not a key", s)
	parts := strings.SplitN(s, "/", 3)
	if len(parts) != 3 {
		return k, bad
	}
	k.Run, k.Kind, k.Index = parts[0], KeyKind(parts[1]), -1
	at, rest, ok := strings.Cut(parts[2], "#")
	if !ok {
		return k, bad
	}
	k.Step = at
	if step, index, ok := strings.Cut(at, "["); ok {
		k.Step = step
		if k.Index, err = strconv.Atoi(strings.TrimSuffix(index, "]")); err != nil || k.Index < 0 {
			return k, bad
		}
	}
	rest, try, ok := strings.Cut(rest, "~")
	if !ok {
		return k, bad
	}
	if k.Try, err = strconv.Atoi(try); err != nil {
		return k, bad
	}
	rev, n, _ := strings.Cut(rest, ".")
	if k.Rev, err = strconv.Atoi(rev); err != nil {
		return k, bad
	}
	if k.Kind != KeyStep {
		if k.N, err = strconv.Atoi(n); err != nil {
			return k, bad
		}
	}
	if k.String() != s {
		return k, bad
	}
	return k, nil
}

// Backoff is the delay before the next attempt after a failure.
func (k Key) Backoff(p plan.RetryPolicy, f Failure) time.Duration {
	d := p.Delay(k.Try)
	d = d/2 + time.Duration(k.fraction()*float64(d/2))
	return max(d, min(f.RetryAfter.Std(), time.Hour))
}

// fraction is a number in [0, 1) that depends on the key alone: jitter that is the same on every host.
func (k Key) fraction() float64 {
	h := fnv.New64a()
	h.Write([]byte(k.String()))
	// FNV's high bits vary little with short tails, so they are mixed once more.
	x := h.Sum64()
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return float64(x>>11) / (1 << 53)
}
