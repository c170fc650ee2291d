package llm

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/assent-run/assent/internal/core/value"
)

// claude is Anthropic's Messages API.
type claude struct{}

func (claude) home() string { return "https://api.anthropic.com" }

// answerMax is the default limit of tokens in an answer: Anthropic requires one. Its first models accept no
// more than half of it.
const answerMax = 8192

func (claude) ask(ctx context.Context, to target, q *request, r *reply) error {
	header := http.Header{"Anthropic-Version": {"2023-06-01"}}
	if to.key != "" {
		header.Set("X-Api-Key", to.key)
	}
	address := strings.TrimSuffix(strings.TrimSuffix(to.base, "/"), "/v1") + "/v1/messages"
	stopped := false
	err := to.post(ctx, address, header, messageRequestOf(q), func(e event) (more bool, err error) {
		if e.kind == "error" {
			return false, &brokeOff{string(e.data)}
		}
		if err := e.object(); err != nil {
			return false, err
		}
		stopped = stopped || e.kind == "message_stop"
		return true, r.event(e)
	})
	if !stopped {
		r.finish = cutOff // a stop reason may come long before the stop
	}
	return err
}

// event handles a part of a message. Texts are collected as written: a character may be split in two.
func (r *reply) event(e event) error {
	if e.kind == "" || e.kind == "ping" {
		return nil
	}
	r.begun = true
	switch e.kind {
	case "message_start":
		usage, _ := value.Get(e.data, "message", "usage")
		r.spent(usage)
	case "content_block_start":
		switch word(e.data, "content_block", "type") {
		case "text":
			return r.say(member(e.data, "content_block", "text"))
		case "tool_use":
			return r.ask(count(e.data, "index"), word(e.data, "content_block", "id"), word(e.data, "content_block", "name"), "")
		}
	case "content_block_delta":
		switch word(e.data, "delta", "type") {
		case "text_delta":
			return r.say(member(e.data, "delta", "text"))
		case "input_json_delta":
			return r.ask(count(e.data, "index"), "", "", member(e.data, "delta", "partial_json"))
		}
	case "message_delta":
		usage, _ := value.Get(e.data, "usage")
		r.spent(usage)
		if reason := word(e.data, "delta", "stop_reason"); reason != "" {
			r.finish = messageFinish(reason)
		}
	}
	return nil
}

// spent records counts that grow while a message arrives.
func (r *reply) spent(usage json.RawMessage) {
	in := count(usage, "input_tokens") + count(usage, "cache_read_input_tokens") +
		count(usage, "cache_creation_input_tokens")
	out := count(usage, "output_tokens")
	r.used.in, r.used.out = max(r.used.in, in), max(r.used.out, out)
	r.used.told = r.used.told || in+out > 0
}

func messageFinish(reason string) finish {
	switch reason {
	case "max_tokens":
		return filled
	case "refusal":
		return refuses
	case "model_context_window_exceeded":
		return overfull
	}
	return done
}

// messageRequest is a request in Anthropic's format.
type messageRequest struct {
	Model       string        `json:"model"`
	MaxTokens   int           `json:"max_tokens"`
	System      []block       `json:"system"`
	Messages    []turnOf      `json:"messages"`
	Tools       []messageTool `json:"tools,omitempty"`
	Temperature *float64      `json:"temperature,omitempty"`
	Stream      bool          `json:"stream"`
}

type turnOf struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// block is a part of a message: text, a tool call, or its result.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   []block         `json:"content,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
}

type messageTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

func messageRequestOf(q *request) messageRequest {
	out := messageRequest{
		Model: q.model, MaxTokens: q.maxTokens, System: words(q.system), Temperature: q.temperature, Stream: true,
	}
	if out.MaxTokens == 0 {
		out.MaxTokens = answerMax
		for _, first := range []string{"claude-2", "claude-3-haiku", "claude-3-opus", "claude-3-sonnet"} {
			if strings.HasPrefix(q.model, first) {
				out.MaxTokens = answerMax / 2
			}
		}
	}
	for _, m := range q.messages {
		out.Messages = append(out.Messages, turnOf{"user", blocks(m)})
		if m.own {
			out.Messages[len(out.Messages)-1].Role = "assistant"
		}
	}
	for _, t := range q.tools {
		out.Tools = append(out.Tools, messageTool{t.name, t.description, t.args})
	}
	return out
}

func blocks(m message) (out []block) {
	for _, c := range m.results {
		out = append(out, block{Type: "tool_result", ToolUseID: c.id, Content: words(c.result), IsError: c.failed})
	}
	out = append(out, words(m.text)...)
	for _, c := range m.calls {
		out = append(out, block{Type: "tool_use", ID: c.id, Name: c.tool, Input: c.args})
	}
	return out
}

// words returns a text as blocks. Anthropic rejects empty ones, so an empty text
// has none.
func words(text string) []block {
	if text == "" {
		return nil
	}
	return []block{{Type: "text", Text: text}}
}
