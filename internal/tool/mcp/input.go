package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// A server's request for input becomes a question to people, and their answer is sent with the next attempt
// of the call. There are three kinds:
//
//	elicitation/create during a call    repeated by the next attempt, and answered then
//	a result that requires input        the next attempt includes the answer
//	an error that names addresses       the next attempt follows once people have visited them

const (
	askedMax    = 20       // questions at once
	messagesMax = 16 << 10 // bytes of all text for people
	stateMax    = 64 << 10 // bytes of state that a server wants back
)

// question is a server's request for input.
type question struct {
	ID     string          `json:"id,omitempty"`    // the server's own, in a result that requires input
	Match  string          `json:"match,omitempty"` // digest that identifies it
	URL    bool            `json:"url,omitempty"`   // people have to visit an address
	schema json.RawMessage // of the answer
	text   string          // text for people
}

// answered is a question with its answer.
type answered struct {
	question
	Data json.RawMessage `json:"data,omitempty"`
}

// carried is the state of a call between a question and its answer.
type carried struct {
	Asked  []question `json:"asked,omitempty"`  // the current questions
	Said   []answered `json:"said,omitempty"`   // answers to earlier questions of the same call
	State  string     `json:"state,omitempty"`  // the server's own state
	Result bool       `json:"result,omitempty"` // it came in a result: answers are sent with the next call
}

// carriedOf decodes the state; anything foreign is ignored.
func carriedOf(raw json.RawMessage) (c carried) {
	if json.Unmarshal(raw, &c) != nil {
		return carried{}
	}
	return c
}

// questionOf converts a server's request. Its schema is passed on as is; the core checks whether it is
// usable.
func questionOf(id string, p *sdk.ElicitParams) question {
	q := question{ID: id, URL: p.Mode == "url" || p.URL != "", text: strings.TrimSpace(p.Message)}
	if q.URL {
		q.Match = value.Digest([]byte("url"), []byte(p.Message), []byte(p.URL))
		q.text += "\n\nOpen this address yourself, if you trust it, and confirm here when you are done there: " +
			phrase.ClipValid(p.URL, 2000)
		q.schema = json.RawMessage(`{"type":"object","properties":{"done":{"type":"boolean","title":"I have been there and am done","enum":[true]}},"required":["done"]}`)
		return q
	}
	if raw, err := value.Marshal(p.RequestedSchema); err == nil && p.RequestedSchema != nil &&
		value.KindOf(raw) == value.KindObject {
		q.schema = raw
	} else {
		q.schema = json.RawMessage(`{"type":"object"}`)
	}
	q.Match = value.Digest([]byte("form"), []byte(p.Message), value.Canonical(q.schema))
	return q
}

// ask is the result of a call that needs input from people first.
func (l *session) ask(tool string, c carried) run.CallResult {
	switch {
	case len(c.Asked) == 0:
		return l.cannotAsk("it asks for something that people cannot give it")
	case len(c.Asked) > askedMax || len(c.State) > stateMax:
		return l.cannotAsk("it asks for too much at once")
	}
	state, err := value.Marshal(c)
	if err != nil {
		return l.cannotAsk("its question cannot be kept")
	}
	var texts []string
	for _, q := range c.Asked {
		texts = append(texts, q.text)
	}
	return run.CallResult{Input: &run.CallInput{
		From:    fmt.Sprintf("The tool %s of the server %s", tool, l.server.doc.Name),
		Message: l.veil.Hide(phrase.ClipValid(strings.Join(texts, "\n\n"), messagesMax)),
		Schema:  l.veil.HideJSON(schemaFor(c.Asked)), State: state,
	}}
}

func (l *session) cannotAsk(why string) run.CallResult {
	return run.CallResult{Error: fmt.Sprintf("the server %s needs input before it can do this, and %s",
		l.server.doc.Name, why)}
}

// schemaFor is the schema of the answer: that of the question, or of an object with an answer for each.
func schemaFor(asked []question) json.RawMessage {
	if len(asked) == 1 {
		return asked[0].schema
	}
	var properties []value.Member
	var names []json.RawMessage
	for _, q := range asked {
		properties = append(properties, value.Member{Key: q.ID, Value: q.schema})
		names = append(names, value.Quote(q.ID))
	}
	return value.Object(
		value.Member{Key: "type", Value: value.Quote("object")},
		value.Member{Key: "properties", Value: value.Object(properties...)},
		value.Member{Key: "required", Value: value.Array(names...)},
	)
}

// answers are all answers so far in a call that elicits input.
func (c carried) answers(data json.RawMessage) []answered {
	if c.Result {
		return nil
	}
	out := slices.Clone(c.Said)
	if data != nil && len(c.Asked) == 1 {
		out = append(out, answered{c.Asked[0], data})
	}
	return out
}

// responses are the answers sent with a call.
func (c carried) responses(data json.RawMessage) sdk.InputResponseMap {
	if !c.Result || data == nil {
		return nil
	}
	out := sdk.InputResponseMap{}
	for _, q := range c.Asked {
		said := data
		if len(c.Asked) > 1 {
			said, _ = value.Get(data, q.ID)
		}
		r := &sdk.ElicitResult{Action: "accept"}
		if !q.URL {
			r.Content = map[string]any{}
			for k, v := range value.Members(said) {
				r.Content[k] = v // byte for byte
			}
		}
		out[q.ID] = r
	}
	return out
}

// required returns the questions in a result that requires input.
func required(res *sdk.CallToolResult) (c carried, ok bool) {
	c = carried{Result: true, State: res.RequestState}
	for _, id := range slices.Sorted(maps.Keys(res.InputRequests)) {
		p, isQuestion := res.InputRequests[id].(*sdk.ElicitParams)
		if !isQuestion || p == nil {
			return c, false // a model, or directories: we provide neither
		}
		c.Asked = append(c.Asked, questionOf(id, p))
	}
	return c, true
}

// elsewhere returns the addresses in an error that people have to visit.
func elsewhere(data json.RawMessage) (c carried) {
	var d struct {
		Elicitations []*sdk.ElicitParams `json:"elicitations"`
	}
	_ = json.Unmarshal(data, &d)
	for i, p := range d.Elicitations {
		if p != nil && p.URL != "" {
			c.Asked = append(c.Asked, questionOf(strconv.Itoa(i+1), p))
		}
	}
	return c
}

// elicited is the answer to a question during a call. The library checks it again and only knows Go's types.
func (a answered) elicited() *sdk.ElicitResult {
	r := &sdk.ElicitResult{Action: "accept"}
	if a.URL {
		return r
	}
	r.Content = map[string]any{}
	for k, v := range value.Members(a.Data) {
		var plain any
		if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			plain = n
		} else if json.Unmarshal(v, &plain) != nil {
			continue
		}
		r.Content[k] = plain
	}
	return r
}
