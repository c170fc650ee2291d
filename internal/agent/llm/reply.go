package llm

import (
	"encoding/json"
	"strings"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// reply collects a model's answer, part by part.
type reply struct {
	hear    func(string)
	begun   bool // the model has begun to answer
	text    literal
	refusal literal
	calls   []*asked
	finish  finish
	used    used
	size    int
}

// asked is a call being written by the model.
type asked struct {
	at       int64 // the provider's number for it
	id, name string
	args     literal
}

// finish is a stop reason.
type finish int

const (
	cutOff finish = iota // none: the stream broke off
	done
	filled   // the answer reached its limit
	filtered // the provider stopped it
	refuses
	overfull // the window is full
)

// used is the provider's token count.
type used struct {
	in, out int64
	told    bool
}

// say adds text; raw is a JSON string.
func (r *reply) say(raw string) error {
	s := r.text.add(raw)
	r.hear(s)
	return r.grow(len(s))
}

func (r *reply) grow(n int) error {
	if r.size += n; r.size > replyMax {
		return tooLarge()
	}
	return nil
}

// ask adds to a call. Some servers give all calls of a turn the same number and each its own id; a new id
// begins a new call.
func (r *reply) ask(at int64, id, name, raw string) error {
	var c *asked
	for i := len(r.calls) - 1; i >= 0 && c == nil; i-- {
		if r.calls[i].at == at {
			c = r.calls[i]
		}
	}
	if c == nil || id != "" && c.id != "" && id != c.id {
		c = &asked{at: at}
		r.calls = append(r.calls, c)
		if len(r.calls) > 2*run.CallsMax { // the core rejects that many, but has to know
			return tooLarge()
		}
	}
	if id != "" {
		c.id = id
	}
	if c.name == "" {
		c.name = name
	}
	return r.grow(len(c.args.add(raw)) + len(id) + len(name))
}

// turnCalls are the calls with our names and ids.
func (r *reply) turnCalls(n names, s secrets) []run.Call {
	var out []run.Call
	used := ids{}
	for _, c := range r.calls {
		args := json.RawMessage(s.speech.Hide(strings.TrimSpace(c.args.String())))
		out = append(out, run.Call{ID: used.next(c.id), Tool: n.real(line(c.name, 4*nameMax)), Args: args})
	}
	return out
}

// literal joins JSON strings that were split anywhere, even between the two halves of one character.
type literal struct {
	text strings.Builder
	half string
}

// add adds a JSON string and returns what can be decoded so far. Anything other than a string is taken as
// written: some servers send arguments as an object.
func (l *literal) add(raw string) string {
	if raw == "" || raw == "null" {
		return ""
	}
	if raw[0] != '"' || len(raw) < 2 {
		l.text.WriteString(raw)
		return raw
	}
	inside := l.half + raw[1:len(raw)-1]
	cut := len(inside) - halfAt(inside)
	inside, l.half = inside[:cut], inside[cut:]
	s, ok := value.Text(json.RawMessage(`"` + inside + `"`))
	if !ok {
		s = inside
	}
	l.text.WriteString(s)
	return s
}

// halfAt is how many bytes at the end are the escape of the first half of a surrogate pair.
func halfAt(s string) int {
	const n = len(`\ud83d`)
	if len(s) < n || s[len(s)-n] != '\\' || s[len(s)-n+1] != 'u' {
		return 0
	}
	before := len(s) - n
	slashes := before - len(strings.TrimRight(s[:before], `\`))
	hex := strings.ToLower(s[len(s)-4:])
	if slashes%2 == 1 || hex[0] != 'd' || !strings.ContainsRune("89ab", rune(hex[1])) {
		return 0
	}
	return n
}

// String is everything so far. Half a character at the very end is lost.
func (l *literal) String() string {
	if l.half != "" {
		return l.text.String() + "\ufffd"
	}
	return l.text.String()
}
