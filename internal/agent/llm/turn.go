package llm

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// thoughts are text that some models write before their answer, and not part of it.
var thoughts = regexp.MustCompile(`(?s)^\s*<think>.*?</think>`)

// turn turns a complete reply into a turn.
func (m *Model) turn(t port.TurnRequest, q *request, r *reply, s secrets) (run.Turn, error) {
	if err := m.unfinished(q, r, s); err != nil {
		return run.Turn{}, err
	}
	text := strings.TrimSpace(thoughts.ReplaceAllString(s.speech.Hide(r.text.String()), ""))
	turn := run.Turn{Text: text, Calls: r.turnCalls(q.names, s), Usage: m.usage(q, r)}
	switch {
	case len(turn.Calls) > 0:
	case len(t.Output) > 0:
		structured(&turn, t.Output)
	case text == "":
		return run.Turn{}, m.failure(run.Failure{Code: "empty_answer", Message: m.d.Model + " answered nothing",
			Transient: true}, q, r)
	default:
		inWords(&turn)
	}
	return turn, nil
}

// unfinished is the failure of an incomplete reply.
func (m *Model) unfinished(q *request, r *reply, s secrets) error {
	f := run.Failure{}
	switch refusal := s.veil.Said(r.refusal.String(), false); {
	case r.finish == cutOff:
		f = run.Failure{Code: "broken_stream",
			Message: m.base.Host + " disconnected in the middle of an answer", Transient: true}
	case r.finish == filled:
		f = run.Failure{Code: "length", Message: m.d.Model +
			" reached the length limit before it finished; raise max_tokens or ask for less"}
	case r.finish == overfull:
		f = run.Failure{Code: "context_length", Message: m.d.Model + " has no room left in its window",
			Transient: m.learn(q, "")}
	case r.finish == filtered:
		f = run.Failure{Code: "content_filter", Message: "the provider's content filter stopped the answer of " + m.d.Model}
	case r.finish == refuses || strings.TrimSpace(refusal) != "":
		f = run.Failure{Code: "refusal", Message: m.d.Model + " refuses to answer", Body: refusal}
		if refusal != "" {
			f.Message += ": " + line(refusal, 500)
		}
	default:
		return nil
	}
	return m.failure(f, q, r)
}

// failure is a failure with the cost of the attempt.
func (m *Model) failure(f run.Failure, q *request, r *reply) error {
	if r.begun {
		f.Usage = m.usage(q, r)
	}
	return &port.Failed{Failure: f}
}

// structured extracts the output, and the text around it, from an answer. An answer that is not JSON stays
// text: the core detects the mismatch and reports it to the model.
func structured(t *run.Turn, schema json.RawMessage) {
	raw, ok := document(t.Text, schema)
	if !ok {
		return
	}
	t.Text, t.Output = "", raw // with a text the model would not be shown its output again
	if _, err := value.Strict(raw); err != nil || value.KindOf(raw) != value.KindObject {
		return // ambiguous JSON is rejected by the core, which tells the model
	}
	var members []value.Member
	for name, v := range value.Members(raw) {
		own := declares(schema, name)
		switch name {
		case "confidence":
			t.Confidence = confidence(v, own)
		case "reasoning":
			t.Reasoning = reasoning(v)
		default:
			own = true
		}
		if own {
			members = append(members, value.Member{Key: name, Value: v})
		}
	}
	t.Output = value.Object(members...)
}

var fence = regexp.MustCompile("(?s)```[a-zA-Z]*\\s*\\n(.*?)\\n?\\s*```")

// document finds the JSON document in an answer: all of it, the one in its only code fence, or the text
// between the first brace and the last.
func document(text string, schema json.RawMessage) (json.RawMessage, bool) {
	candidates := []string{text}
	if blocks := fence.FindAllStringSubmatch(text, 2); len(blocks) == 1 {
		candidates = append(candidates, blocks[0][1])
	}
	if from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}'); from >= 0 && to > from {
		candidates = append(candidates, text[from:to+1])
	}
	for _, c := range candidates {
		raw, err := value.Compact([]byte(c))
		if err == nil && (value.KindOf(raw) == value.KindObject || !wantsObject(schema)) {
			return raw, true
		}
	}
	return nil, false
}

func wantsObject(schema json.RawMessage) bool {
	kind, ok := value.Get(schema, "type")
	name, _ := value.Text(kind)
	return !ok || name == "object"
}

// confidence parses a model's confidence. A number outside of 0 to 1 is unreliable: it counts as 0, so that
// people are asked. A member of the schema may have a scale of its own.
func confidence(raw json.RawMessage, own bool) *float64 {
	text := string(raw)
	if s, ok := value.Text(raw); ok {
		text = strings.TrimSpace(s)
	}
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case value.KindOf(raw) == value.Null:
		return nil
	case err == nil && f >= 0 && f <= 1:
		return &f
	case own:
		return nil
	}
	return new(float64)
}

func reasoning(raw json.RawMessage) string {
	s, ok := value.Text(raw)
	if !ok && value.KindOf(raw) != value.Null {
		s = string(raw)
	}
	return strings.ToValidUTF8(s[:min(len(s), reasoningMax)], "")
}

// sureLine matches a last line that states the confidence, and why.
var sureLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^[*_\s]*confidence[*_\s]*:[*_\s]*(0(?:\.\d+)?|1(?:\.0+)?)[*_]*(?:\s*[-–—:,.(]+\s*(.*?)[).]?)?\s*$`)
})

// inWords extracts the confidence from a text answer. An object may have it as a member; the text stays as
// is.
func inWords(t *run.Turn) {
	if raw, err := value.Strict([]byte(t.Text)); err == nil && value.KindOf(raw) == value.KindObject {
		if v, ok := value.Get(raw, "confidence"); ok {
			t.Confidence = confidence(v, true)
		}
		if v, ok := value.Get(raw, "reasoning"); ok && t.Confidence != nil {
			t.Reasoning = reasoning(v)
		}
		return
	}
	at := strings.LastIndexByte(t.Text, '\n')
	found := sureLine().FindStringSubmatch(t.Text[at+1:])
	if at < 0 || found == nil {
		return
	}
	t.Confidence = confidence(json.RawMessage(found[1]), false)
	t.Reasoning = reasoning(value.Quote(found[2]))
	t.Text = strings.TrimSpace(t.Text[:at])
}
