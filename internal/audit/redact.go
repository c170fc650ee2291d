package audit

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// Redaction selects the values to remove from a proof.
type Redaction struct {
	// Paths are JSON pointers into the data of events, such as /decision/comment; everything below is removed
	// as well. With a number and a colon before it (7:/decision/comment) it applies to that event only.
	Paths []string
	// Containing removes every value that contains one of these texts.
	Containing []string
}

type redactPath struct {
	seq int64 // 0: any
	at  string
}

func (p redactPath) covers(seq int64, at string) bool {
	return (p.seq == 0 || p.seq == seq) && (at == p.at || strings.HasPrefix(at, p.at+"/"))
}

func parsePaths(texts []string) ([]redactPath, error) {
	var out []redactPath
	for _, text := range texts {
		p := redactPath{at: text}
		if number, at, ok := strings.Cut(text, ":"); ok && !strings.Contains(number, "/") {
			n, err := strconv.ParseInt(number, 10, 64)
			if err != nil || n < 1 {
				return nil, fault.Newf(fault.Invalid, "%q is not a valid path: the number of an event comes before the colon",
					shorten(text))
			}
			p = redactPath{n, at}
		}
		if !strings.HasPrefix(p.at, "/") {
			return nil, fault.New(fault.Invalid, fmt.Sprintf("%q is not a valid path", shorten(text)),
				"write a JSON pointer, such as /decision/comment or 7:/decision/comment")
		}
		out = append(out, p)
	}
	return out, nil
}

// Redact removes values from a proof and returns how many. The rest still verifies. Everything that could
// help to guess a removed value is removed as well: salts, unsalted digests, and the run's subject line.
func Redact(file []byte, r Redaction) (out []byte, removed int, err error) {
	paths, err := parsePaths(r.Paths)
	if err != nil {
		return nil, 0, err
	}
	p, err := readProof(file)
	if err != nil {
		return nil, 0, err
	}
	gone := map[int64][]string{} // paths, by event
	for i := range p.Events {
		e := &p.Events[i]
		e.Data = without("", e.Data, e.Salts, func(at string, v json.RawMessage) bool {
			if !r.wants(paths, e.Seq, at, v) {
				return false
			}
			gone[e.Seq] = append(gone[e.Seq], at)
			removed++
			return true
		})
	}
	if removed == 0 {
		return nil, 0, fault.New(fault.NotFound, "value not found in the proof", "see the data of its events")
	}
	p.dropHints()
	for i := range p.Entries {
		if err := p.Entries[i].forget(gone); err != nil {
			return nil, 0, err
		}
	}
	raw, err := value.Marshal(p)
	if err != nil {
		return nil, 0, err
	}
	return append(raw, '\n'), removed, nil
}

func (r *Redaction) wants(paths []redactPath, seq int64, at string, v json.RawMessage) bool {
	for _, p := range paths {
		if p.covers(seq, at) {
			return true
		}
	}
	text, ok := value.Text(v)
	if !ok {
		text = string(v)
	}
	for _, words := range r.Containing {
		if words != "" && strings.Contains(text, words) {
			return true
		}
	}
	return false
}

// dropHints removes the digests that bind approvals to what was shown, because they are unsalted, and the
// subject, because it is derived from the run's input.
func (p *proof) dropHints() {
	for i := range p.Events {
		e := &p.Events[i]
		if !strings.HasPrefix(e.Type, "approval.") {
			continue
		}
		e.Data = without("", e.Data, e.Salts, func(at string, _ json.RawMessage) bool {
			return at == "/content" || at == "/request/action/digest" || at == "/request/about"
		})
	}
}

// forget drops an entry's data about removed values.
func (e *proofEntry) forget(gone map[int64][]string) error {
	entry, err := port.ReadAuditBody(e.Entry)
	if err != nil {
		return err
	}
	open, err := port.ReadOpen(e.Open, entry.Sealed)
	if err != nil {
		return bad(entry.N, "%v", err)
	}
	var about struct {
		Seq int64 `json:"seq"`
	}
	if err := json.Unmarshal(entry.Detail, &about); err != nil {
		return bad(entry.N, "its detail cannot be read")
	}
	for name := range open {
		where := port.SealedPaths[entry.Action][name]
		if where == nil || name == "content" || touches(where, gone[about.Seq]) {
			delete(open, name) // a value in no event may be the one removed from another
		}
	}
	e.Open = nil
	if len(open) > 0 {
		if e.Open, err = value.Marshal(open); err != nil {
			return err
		}
	}
	if _, err := port.ReadOpen(e.Open, entry.Sealed); err != nil {
		return bad(entry.N, "%v", err)
	}
	return nil
}

// touches reports whether one of the paths is within a value, or contains it.
func touches(where, places []string) bool {
	at := ""
	for _, key := range where {
		at += "/" + escape(key)
	}
	for _, p := range places {
		if p == at || strings.HasPrefix(p, at+"/") || strings.HasPrefix(at, p+"/") {
			return true
		}
	}
	return false
}
