// Package httptool contains tools that are HTTP services:
//
//	result, err := httptool.Call(ctx, httptool.Options{Client: client, Lookup: secrets}, *doc.HTTP, work)
//
// Each call is one POST of {"run","step","call","key","args"}, and the header Idempotency-Key identifies the
// call: the same key again is a retry. Package outbound interprets the status, package reply the body.
package httptool

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/outbound/reply"
	"github.com/assent-run/assent/internal/port"
)

// Options define how services are reached.
type Options struct {
	Client *outbound.Client
	Lookup func(definition.Reference) (string, error) // resolves secrets; nil: there are none
}

// Question is the request to a service or a program.
func Question(w port.ToolWork) (json.RawMessage, error) {
	return value.Marshal(struct {
		Run  string          `json:"run"`
		Step string          `json:"step"`
		Call string          `json:"call"`
		Key  string          `json:"key"`
		Args json.RawMessage `json:"args"`
	}{w.Run, w.Step, w.Call, w.Key, w.Args})
}

// Call calls a service. Errors are a *outbound.Failed or the error of ctx.
func Call(ctx context.Context, o Options, d definition.HTTP, w port.ToolWork) (run.CallResult, error) {
	u, ok := outbound.ParseURL(d.URL)
	if !ok {
		return run.CallResult{}, outbound.Permanent("invalid_request", "the url of the tool is not an http or https address")
	}
	var secret []string
	if password, ok := u.User.Password(); ok {
		secret = append(secret, password)
	}
	for name := range d.Headers {
		if err := outbound.CheckHeader(name); err != nil {
			return run.CallResult{}, outbound.Permanent("invalid_request", err.Error())
		}
	}
	headers, veil, err := outbound.Expand(d.Headers, o.Lookup, secret...)
	if err != nil {
		return run.CallResult{}, outbound.Permanent(outbound.NoSecret, "header "+err.Error())
	}
	question, err := Question(w)
	if err != nil {
		return run.CallResult{}, outbound.Permanent("invalid_request", "put the question: "+err.Error())
	}
	body, err := o.Client.Ask(ctx, outbound.Question{URL: d.URL, Host: u.Host, Headers: headers, Key: w.Key,
		Body: question, Veil: veil})
	if err != nil {
		return run.CallResult{}, explain(err)
	}
	r, err := reply.Decode(body, veil)
	return Result(r), err
}

// saidMax is how much of a service's own message is quoted.
const saidMax = 1000

// explain adds the service's message to the error: the model sees it, and "no customer 17" is more helpful
// than "422".
func explain(err error) error {
	var f *outbound.Failed
	if errors.As(err, &f) && f.Body != "" {
		f.Message += ": " + phrase.ClipValid(strings.Join(strings.Fields(f.Body), " "), saidMax)
	}
	return err
}

// Result converts a tool's answer. Package reply has redacted the secrets in it.
func Result(r run.Result) run.CallResult {
	return run.CallResult{Output: r.Output, Usage: r.Usage, Logs: r.Logs, Deliverables: r.Deliverables}
}
