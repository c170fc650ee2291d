package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// What a server wants to know becomes a question to people, and their answer
// comes back with the next try of the call. Three ways of asking come to that:
//
//	elicitation/create during a call    asked again by the next try, and answered then
//	a result that requires input        the next try brings the answer along
//	an error that names addresses       the next try is made when people were there

const (
	askedMax    = 20       // questions at once
	messagesMax = 16 << 10 // bytes of all that people read
	stateMax    = 64 << 10 // bytes that a server wants to have back
)

// question is what a server wants to know.
type question struct {
	ID     string          `json:"id,omitempty"`    // the server's own, in a result that requires input
	Match  string          `json:"match,omitempty"` // digest by which it is known again
	URL    bool            `json:"url,omitempty"`   // people have to go to an address
	schema json.RawMessage // of the answer
	text   string          // what people read
}

// answered is a question with what people said.
type answered struct {
	question
	Data json.RawMessage `json:"data,omitempty"`
}

// carried is what is kept of a call between a question and its answer.
type carried struct {
	Asked  []question `json:"asked,omitempty"`  // what people are asked now
	Said   []answered `json:"said,omitempty"`   // what they said to earlier questions of the same call
	State  string     `json:"state,omitempty"`  // the server's own
	Result bool       `json:"result,omitempty"` // it came in a result: answers go along with the next call
}

// carriedOf reads what was kept; what is not ours is nothing.
func carriedOf(raw json.RawMessage) (c carried) {
	if json.Unmarshal(raw, &c) != nil {
		return carried{}
	}
	return c
}

// questionOf is a server's question. Its schema is taken as it came; the core
// looks whether it can be used.
func questionOf(id string, p *sdk.ElicitParams) question {
	q := question{ID: id, URL: p.Mode == "url" || p.URL != "", text: strings.TrimSpace(p.Message)}
	if q.URL {
		q.Match = value.Digest([]byte("url"), []byte(p.Message), []byte(p.URL))
		q.text += "\n\nOpen this address yourself, if you trust it, and confirm here when you are done there: " +
			clip(p.URL, 2000)
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

// ask is the result of a call that people have to answer something for first.
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
		Message: l.veil.Hide(clip(strings.Join(texts, "\n\n"), messagesMax)),
		Schema:  l.veil.HideJSON(schemaFor(c.Asked)), State: state,
	}}
}

func (l *session) cannotAsk(why string) run.CallResult {
	return run.CallResult{Error: fmt.Sprintf("the server %s needs input before it can do this, and %s",
		l.server.doc.Name, why)}
}

// schemaFor is the schema of the answer: that of the question, or of an object
// with an answer for each.
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

// answers are all that people said so far in a call that elicits.
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

// responses are the answers that go along with a call.
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
				r.Content[k] = v // as people wrote it, to the last digit
			}
		}
		out[q.ID] = r
	}
	return out
}

// required is what a result that requires input wants to know.
func required(res *sdk.CallToolResult) (c carried, ok bool) {
	c = carried{Result: true, State: res.RequestState}
	for _, id := range slices.Sorted(maps.Keys(res.InputRequests)) {
		p, isQuestion := res.InputRequests[id].(*sdk.ElicitParams)
		if !isQuestion || p == nil {
			return c, false // a model, or directories: we lend neither
		}
		c.Asked = append(c.Asked, questionOf(id, p))
	}
	return c, true
}

// elsewhere is what an error wants that names addresses people have to go to.
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

// elicited is the answer to a question that is asked while a call is under way.
// The library looks at it once more and knows the types of Go alone.
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
