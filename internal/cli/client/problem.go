package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Problem is a server's error response (RFC 9457).
type Problem struct {
	Title     string     `json:"title"`
	Status    int        `json:"status"`
	Code      string     `json:"code"`
	Detail    string     `json:"detail"`
	Hint      string     `json:"hint,omitempty"`
	Errors    []Mistake  `json:"errors,omitempty"`
	DecidedBy string     `json:"decided_by,omitempty"`
	DecidedAt *time.Time `json:"decided_at,omitempty"`
	Act       string     `json:"act,omitempty"`
	// WouldPass are rejected approvals that a rejected policy would have approved.
	WouldPass []string `json:"would_pass_rejected,omitempty"`
}

// Mistake is one problem at one position.
type Mistake struct {
	Path    string `json:"path"`
	Message string `json:"message"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Warning bool   `json:"warning,omitempty"`
}

func (m Mistake) String() string {
	if m.Path == "" {
		return m.Message
	}
	return m.Path + ": " + m.Message
}

// Error is a one-line summary for logs; people are shown the parts.
func (p *Problem) Error() string {
	parts := make([]string, len(p.Errors))
	for i, m := range p.Errors {
		parts[i] = m.String()
	}
	if len(parts) == 0 {
		return p.What()
	}
	return p.What() + ": " + strings.Join(parts, "; ")
}

// What is the sentence that describes the error.
func (p *Problem) What() string {
	switch {
	case p.Detail != "":
		return p.Detail
	case p.Title != "":
		return p.Title
	}
	return fmt.Sprintf("the server responded with %d %s", p.Status, http.StatusText(p.Status))
}

// problemOf parses an error response from any sender.
func problemOf(resp *http.Response, body []byte) error {
	p := &Problem{}
	if json.Unmarshal(body, p) != nil {
		p = &Problem{}
	}
	p.Status = resp.StatusCode
	return p
}
