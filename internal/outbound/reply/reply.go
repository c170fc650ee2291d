// Package reply reads the answers of agents and tools outside this process, whether over HTTP or through a pipe:
//
//	result, err := reply.Decode(body, veil)    // {"output":…,"confidence":0.9,…}
//
// An answer is one JSON object. Only output is required; unknown fields are ignored, so an agent may send more
// than this release understands:
//
//	{
//	  "output": {"fraud_score": 0.85},
//	  "confidence": 0.9,
//	  "reasoning": "three claims in a week",
//	  "usage": {"llm_calls": 1, "tokens_in": 900, "tokens_out": 350, "cost_usd": 0.0375},
//	  "logs": "looked at 12 claims",
//	  "deliverables": [{"name": "report.md", "type": "document", "content": "# …"}],
//	  "messages": [{"to": "payer", "text": "three claims in a week"}]
//	}
//
// The output keeps every literal as written and loses only whitespace. Anything else is a permanent failure that
// shows the beginning of the response, with secrets masked by a veil.
package reply

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/outbound"
)

// Limits, each tested at and over.
const (
	OutputMax = run.OutputMax // bytes of an output
	shownMax  = 200           // characters of an invalid answer shown in the message

	messagesMax = 20 // for other agents
)

// Decode reads an answer.
func Decode(body []byte, v outbound.Veil) (run.Result, error) {
	doc, err := value.Strict(bytes.TrimPrefix(body, []byte("\ufeff")))
	if doc == nil {
		return run.Result{}, unlike("is not JSON ("+err.Error()+")", body, v)
	}
	if err != nil {
		return run.Result{}, unlike("cannot be used ("+err.Error()+")", body, v)
	}
	if value.KindOf(doc) != value.KindObject {
		return run.Result{}, unlike(fmt.Sprintf("is %s, not an object", value.KindOf(doc)), body, v)
	}
	var r run.Result
	for name, raw := range value.Members(doc) { // exact names only
		if err := field(&r, name, raw); err != nil {
			return run.Result{}, unlike("has an invalid "+name+" ("+err.Error()+")", body, v)
		}
	}
	if len(r.Output) == 0 {
		return run.Result{}, unlike(`has no "output"`, body, v)
	}
	return Check(hide(r, v))
}

// hide masks secrets in a result: an agent may repeat those it received.
func hide(r run.Result, v outbound.Veil) run.Result {
	r.Output, r.Reasoning, r.Logs = v.HideJSON(r.Output), v.HideData(r.Reasoning), v.Hide(r.Logs)
	for i := range r.Messages {
		r.Messages[i].Text = v.HideData(r.Messages[i].Text)
	}
	for i := range r.Deliverables {
		d := &r.Deliverables[i]
		for _, text := range []*string{&d.Name, &d.Type, &d.Status, &d.MIME, &d.Description, &d.URL} {
			*text = v.HideData(*text)
		}
		d.Content = hideContent(d.Content, v)
	}
	return r
}

// Check validates every result: the output is JSON and not too long. A missing output is null.
func Check(r run.Result) (run.Result, error) {
	if len(r.Output) == 0 {
		r.Output = json.RawMessage("null")
	}
	out, err := value.Strict(r.Output)
	switch {
	case err != nil:
		return run.Result{}, permanent(outbound.Invalid, "the output is not valid: "+err.Error(), "")
	case len(out) > OutputMax:
		return run.Result{}, permanent(outbound.TooLarge,
			fmt.Sprintf("the output has %s; the limit is %s", phrase.Bytes(len(out)), phrase.Bytes(OutputMax)), "")
	}
	r.Output = out
	return r, nil
}

// field reads one member of an answer. Null counts as missing, except for the output, where it is a value.
func field(r *run.Result, name string, raw json.RawMessage) error {
	if name == "output" {
		r.Output = raw
		return nil
	}
	if value.KindOf(raw) == value.Null {
		return nil
	}
	switch name {
	case "confidence":
		return confidence(&r.Confidence, raw)
	case "reasoning":
		return text(&r.Reasoning, raw)
	case "logs":
		return text(&r.Logs, raw)
	case "usage":
		return usage(&r.Usage, raw)
	case "deliverables":
		return deliverables(&r.Deliverables, raw)
	case "messages":
		return messages(&r.Messages, raw)
	}
	return nil
}

// messages reads the messages for other agents of the run.
func messages(into *[]run.Outgoing, raw json.RawMessage) error {
	if value.KindOf(raw) != value.KindArray {
		return errors.New("must be a list of {to, text}")
	}
	for _, each := range value.Elements(raw) {
		var m run.Outgoing
		for name, v := range value.Members(each) {
			var err error
			switch name {
			case "to":
				err = text(&m.To, v)
			case "text":
				err = text(&m.Text, v)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		if m.To == "" || len(*into) == messagesMax {
			return fmt.Errorf("each needs a recipient, and the limit is %d", messagesMax)
		}
		*into = append(*into, m)
	}
	return nil
}

func confidence(into **float64, raw json.RawMessage) error {
	if value.KindOf(raw) != value.Number {
		return errors.New("must be a number from 0 to 1")
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return errors.New("must be a number from 0 to 1")
	}
	*into = &f
	return nil
}

func text(into *string, raw json.RawMessage) error {
	s, ok := value.Text(raw)
	if !ok {
		return errors.New("must be a string")
	}
	*into = s
	return nil
}

func usage(into *run.Usage, raw json.RawMessage) error {
	if value.KindOf(raw) != value.KindObject {
		return errors.New("must be an object")
	}
	var u run.Usage
	for name, v := range value.Members(raw) {
		var err error
		switch {
		case value.KindOf(v) == value.Null:
		case name == "llm_calls":
			err = count(&u.LLMCalls, v)
		case name == "tokens_in":
			err = count(&u.TokensIn, v)
		case name == "tokens_out":
			err = count(&u.TokensOut, v)
		case name == "cost_usd":
			err = json.Unmarshal(v, &u.CostUSD) // a number or a string
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	*into = u
	return nil
}

// count reads a whole number, also written as 12.0 or 1.2e3.
func count(into *int64, raw json.RawMessage) error {
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		*into = max(n, 0) // negative counts as zero
		return nil
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if value.KindOf(raw) != value.Number || err != nil || f != float64(int64(f)) || f > 1<<53 {
		return errors.New("must be a whole number")
	}
	*into = max(int64(f), 0)
	return nil
}

// unlike is the failure of an invalid answer.
func unlike(what string, body []byte, v outbound.Veil) error {
	said := v.Said(string(body), false)
	if strings.TrimSpace(said) == "" {
		return permanent(outbound.Invalid, "the answer is empty, not an object with an output", "")
	}
	return permanent(outbound.Invalid, fmt.Sprintf("the answer %s; it begins %q", v.Hide(what),
		phrase.Clip(said, shownMax)), said)
}

func permanent(code, message, body string) error {
	return &outbound.Failed{Failure: run.Failure{Code: code, Message: message, Body: body}}
}
