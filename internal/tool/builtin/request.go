package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/port"
)

const (
	answerMax  = 8 << 20 // bytes of an answer's body
	headersMax = 100     // of an answer
)

// requested is a model's request.
type requested struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body"`
}

// reads reports whether a request is read-only.
func (r requested) reads() bool {
	return r.Method == "" || r.Method == http.MethodGet || r.Method == http.MethodHead
}

// varyRequest rates a request by its method. An unreadable one does not count as GET.
func varyRequest(spec *run.ToolSpec, args json.RawMessage) {
	r := requested{Method: "?"}
	if method, ok := value.Get(args, "method"); ok {
		if text, ok := value.Text(method); ok {
			r.Method = text
		}
	} else if value.KindOf(args) == value.KindObject {
		r.Method = ""
	}
	if r.reads() {
		spec.Class, spec.ReadOnly = risk.Class(risk.Low), true
		return
	}
	spec.Class, spec.Operation = risk.ApprovalRequired, "external_api_call"
	if r.Method == http.MethodDelete {
		spec.Operation, spec.Destructive = "delete", true
	}
}

func (w web) request(ctx context.Context, work port.ToolWork, _ func(port.Progress)) (run.CallResult, error) {
	var args requested
	if err := json.Unmarshal(work.Args, &args); err != nil {
		return no("%v", err), nil
	}
	u, err := address(args.URL)
	if err != nil {
		return no("%v", err), nil
	}
	if args.Method == "" {
		args.Method = http.MethodGet
	}
	var sent atomic.Bool
	traced := httptrace.WithClientTrace(ctx,
		&httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }})
	body, kind := bodyOf(args.Body)
	req, err := http.NewRequestWithContext(traced, args.Method, u.String(), bytes.NewReader(body))
	if err != nil {
		return no("the url is not an http or https address"), nil
	}
	req.Header.Set("User-Agent", "assent (http_request)")
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	for name, text := range args.Headers {
		if err := outbound.CheckHeader(name); err != nil && !strings.EqualFold(name, "Content-Type") {
			return no("%v", err), nil
		}
		if !outbound.Sendable(text) {
			return no("header %s: a line end or control character cannot be sent in a header", name), nil
		}
		req.Header.Set(name, text)
	}
	if !args.reads() {
		req.Header.Set("Idempotency-Key", work.Key)
	}
	client := http.Client{Transport: w.client.Transport(), CheckRedirect: stay(args.reads())}
	res, err := client.Do(req)
	if err != nil {
		return unanswered(ctx, u.Host, err, !args.reads() && sent.Load())
	}
	defer res.Body.Close()
	said, err := io.ReadAll(io.LimitReader(res.Body, answerMax+1))
	if err != nil {
		return unanswered(ctx, u.Host, err, !args.reads())
	}
	return yes(respond(res, said))
}

// bodyOf is the body to send, and its type.
func bodyOf(raw json.RawMessage) ([]byte, string) {
	if len(raw) == 0 || value.KindOf(raw) == value.Null {
		return nil, ""
	}
	if text, ok := value.Text(raw); ok {
		return []byte(text), "text/plain; charset=utf-8"
	}
	return raw, "application/json"
}

// stay is the redirect rule of requests: a header may contain a secret meant for this host only, and nothing
// is sent twice. For a redirect to another host, the model sees the redirect itself.
func stay(reads bool) func(*http.Request, []*http.Request) error {
	return func(to *http.Request, via []*http.Request) error {
		if !reads || outbound.SameHost(to, via) != nil {
			return http.ErrUseLastResponse
		}
		return nil
	}
}

// unanswered classifies a request without a complete response. One that may have changed something is not
// retried behind the model's back.
func unanswered(ctx context.Context, host string, err error, mayHaveHappened bool) (run.CallResult, error) {
	r, err := gone(ctx, host, err)
	if err != nil && mayHaveHappened {
		return no("%v; it may have been carried out all the same: find out before you send it again", err), nil
	}
	return r, err
}

type response struct {
	Status  int               `json:"status"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    json.RawMessage   `json:"body,omitempty"`
	Note    string            `json:"note,omitempty"`
}

func respond(res *http.Response, said []byte) response {
	out := response{Status: res.StatusCode, URL: res.Request.URL.String(), Headers: map[string]string{}}
	for name, values := range res.Header {
		if len(out.Headers) < headersMax {
			out.Headers[strings.ToLower(name)] = strings.ToValidUTF8(strings.Join(values, ", "), "\ufffd")
		}
	}
	cut := len(said) > answerMax
	if cut {
		said = said[:answerMax]
		out.Note = fmt.Sprintf("The body is longer than %s; the rest is left out.", phrase.Bytes(answerMax))
	}
	if len(said) == 0 {
		return out
	}
	kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil || kind == "" {
		kind, _, _ = mime.ParseMediaType(http.DetectContentType(said))
	}
	if doc, err := value.Compact(said); !cut && err == nil {
		out.Body = doc
		return out
	}
	if !readable(kind) {
		out.Note = fmt.Sprintf("The body is %s, not text: %s.", kind, phrase.Bytes(len(said)))
		return out
	}
	out.Body = value.Quote(decoded(said, res.Header.Get("Content-Type")))
	return out
}
