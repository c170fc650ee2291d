package slack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/outbound"
)

const (
	defaultBase = "https://slack.com/api"
	answerMax   = 16 << 20 // of a response: 999 messages
	callFor     = 15 * time.Second
	waitMost    = time.Hour // longest wait that Slack may ask for
)

// client calls methods of the Web API.
type client struct {
	token string
	base  string
	http  *http.Client
}

// problem is an error code of the Web API.
type problem string

func (p problem) Error() string { return "Slack responded with " + string(p) }

// post calls a method with a JSON body.
func (c *client) post(ctx context.Context, method string, body, out any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return &notify.Failure{Why: fmt.Sprintf("call %s: %v", method, err), Permanent: true}
	}
	return c.call(ctx, method, "application/json; charset=utf-8", raw, out)
}

// ask calls a method that reads, which takes a form.
func (c *client) ask(ctx context.Context, method string, form url.Values, out any) error {
	return c.call(ctx, method, "application/x-www-form-urlencoded", []byte(form.Encode()), out)
}

// call calls a method. Its errors are Failures.
func (c *client) call(ctx context.Context, method, media string, body []byte, out any) error {
	ctx, cancel := context.WithTimeout(ctx, callFor)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/"+method, bytes.NewReader(body))
	if err != nil {
		return &notify.Failure{Why: "the address of Slack is not valid", Permanent: true}
	}
	req.Header.Set("Content-Type", media)
	req.Header.Set("Authorization", "Bearer "+c.token)
	res, err := c.http.Do(req)
	if err != nil {
		var blocked *outbound.Failed
		if errors.As(err, &blocked) {
			return &notify.Failure{Why: "Slack could not be reached: " + blocked.Message, Permanent: true}
		}
		return &notify.Failure{Why: fmt.Sprintf("Slack could not be reached (%s)", method), Unknown: !undelivered(err)}
	}
	defer func() { _ = res.Body.Close() }() // it was read
	raw, err := io.ReadAll(io.LimitReader(res.Body, answerMax))
	switch {
	case res.StatusCode == http.StatusTooManyRequests:
		return &notify.Failure{Why: "Slack asked to wait", After: retryAfter(res.Header)}
	case res.StatusCode >= http.StatusInternalServerError:
		return &notify.Failure{Why: fmt.Sprintf("Slack responded with status %d (%s)", res.StatusCode, method), Unknown: true}
	case res.StatusCode != http.StatusOK:
		return &notify.Failure{Why: fmt.Sprintf("Slack responded with status %d (%s)", res.StatusCode, method),
			Permanent: res.StatusCode != http.StatusRequestTimeout}
	case err != nil:
		return &notify.Failure{Why: "Slack's response was cut off", Unknown: true}
	}
	var answer struct {
		OK    bool   `json:"ok"`
		Error string `json:"error"`
	}
	if json.Unmarshal(raw, &answer) != nil {
		return &notify.Failure{Why: "Slack's response is not JSON", Unknown: true}
	}
	if !answer.OK {
		return failure(method, answer.Error, res.Header)
	}
	if out != nil && json.Unmarshal(raw, out) != nil {
		return &notify.Failure{Why: "Slack's response has an unknown form", Unknown: true}
	}
	return nil
}

// undelivered reports whether a request certainly did not arrive.
func undelivered(err error) bool {
	var dial *net.OpError
	return errors.As(err, &dial) && dial.Op == "dial"
}

func retryAfter(h http.Header) time.Duration {
	s, err := strconv.Atoi(strings.TrimSpace(h.Get("Retry-After")))
	if err != nil || s < 1 {
		s = 1
	}
	return min(time.Duration(s)*time.Second, waitMost)
}

var (
	// revoked are answers to a token that no longer works.
	revoked = []string{"invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired",
		"no_permission", "missing_scope", "org_login_required", "team_access_not_granted", "ekm_access_denied"}
	// passing are failures of Slack itself; the request may have been carried out.
	passing = []string{"fatal_error", "internal_error", "service_unavailable", "request_timeout", "team_added_to_org"}
)

// reported is a Failure with the code that Slack answered.
type reported struct {
	*notify.Failure
	code problem
}

func (r *reported) Unwrap() []error { return []error{r.Failure, r.code} }

func failure(method, code string, h http.Header) error {
	f := &notify.Failure{Why: fmt.Sprintf("Slack responded with %s to %s", clean(code), method)}
	switch {
	case code == "ratelimited" || code == "rate_limited":
		f.After = retryAfter(h)
	case slices.Contains(revoked, code):
		f.Permanent, f.Gone = true, true
	case slices.Contains(passing, code):
		f.Unknown = true
	default:
		f.Permanent = true
	}
	return &reported{f, problem(code)}
}

// clean keeps a code that is one: answers of other servers end up in logs.
func clean(code string) string {
	bad := func(r rune) bool { return (r < 'a' || r > 'z') && r != '_' && (r < '0' || r > '9') }
	if code == "" || len(code) > 64 || strings.ContainsFunc(code, bad) {
		return "an error"
	}
	return code
}

// answered reports whether err is one of some codes of Slack.
func answered(err error, codes ...problem) bool {
	var code problem
	return errors.As(err, &code) && slices.Contains(codes, code)
}
