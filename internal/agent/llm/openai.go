package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/assent-run/assent/internal/core/value"
)

// openAI is the Chat Completions API of OpenAI and many compatible servers.
type openAI struct{}

func (openAI) home() string { return "https://api.openai.com/v1" }

func (openAI) ask(ctx context.Context, to target, q *request, r *reply) error {
	header := http.Header{}
	if to.key != "" {
		header.Set("Authorization", "Bearer "+to.key)
	}
	address := strings.TrimSuffix(to.base, "/") + "/chat/completions"
	return to.post(ctx, address, header, chatRequestOf(q, to.base), func(e event) (more bool, err error) {
		if bytes.HasPrefix(e.data, []byte("[DONE]")) {
			return false, nil
		}
		if err := e.object(); err != nil {
			return false, err
		}
		if v, ok := value.Get(e.data, "error"); e.kind == "error" || ok && value.KindOf(v) != value.Null {
			return false, &brokeOff{string(e.data)}
		}
		return true, r.chunk(e.data)
	})
}

// chunk handles a part of a chat completion. Texts are collected as written: a character may be split in two.
func (r *reply) chunk(c json.RawMessage) error {
	r.begun = true
	if in, out := count(c, "usage", "prompt_tokens"), count(c, "usage", "completion_tokens"); in+out > 0 {
		r.used = used{in, out, true}
	}
	for _, choice := range list(c, "choices") {
		if count(choice, "index") != 0 {
			continue // one answer was requested
		}
		if err := r.say(member(choice, "delta", "content")); err != nil {
			return err
		}
		r.refusal.add(member(choice, "delta", "refusal"))
		for _, call := range list(choice, "delta", "tool_calls") {
			if err := r.ask(count(call, "index"), word(call, "id"), word(call, "function", "name"),
				member(call, "function", "arguments")); err != nil {
				return err
			}
		}
		if reason := word(choice, "finish_reason"); reason != "" {
			r.finish = chatFinish(reason)
		}
	}
	return nil
}

func chatFinish(reason string) finish {
	switch reason {
	case "length":
		return filled
	case "content_filter":
		return filtered
	case "error": // some gateways report it here
		return cutOff
	}
	return done
}

// chatRequest is a request in OpenAI's format.
type chatRequest struct {
	Model               string        `json:"model"`
	Messages            []chatMessage `json:"messages"`
	Tools               []chatTool    `json:"tools,omitempty"`
	MaxCompletionTokens int           `json:"max_completion_tokens,omitempty"`
	MaxTokens           int           `json:"max_tokens,omitempty"`
	Temperature         *float64      `json:"temperature,omitempty"`
	Stream              bool          `json:"stream"`
	StreamOptions       struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

type chatMessage struct {
	Role       string     `json:"role"`
	Content    *string    `json:"content,omitempty"` // a result may be an empty text
	ToolCalls  []chatCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type chatCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"` // JSON in a string
	} `json:"function"`
}

type chatTool struct {
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

func chatRequestOf(q *request, base string) chatRequest {
	out := chatRequest{
		Model:       q.model,
		Messages:    []chatMessage{{Role: "system", Content: &q.system}},
		Temperature: q.temperature,
		Stream:      true,
	}
	out.StreamOptions.IncludeUsage = true
	if isOpenAI(base) {
		out.MaxCompletionTokens = q.maxTokens
	} else { // the older name, which OpenAI's newer models reject and other servers need
		out.MaxTokens = q.maxTokens
	}
	for _, m := range q.messages {
		out.Messages = append(out.Messages, chatMessages(m)...)
	}
	for _, t := range q.tools {
		out.Tools = append(out.Tools, chatTool{"function", chatFunction{t.name, t.description, t.args}})
	}
	return out
}

func isOpenAI(base string) bool {
	u, err := url.Parse(base)
	return err == nil && (u.Hostname() == "api.openai.com" || strings.HasSuffix(u.Hostname(), ".openai.azure.com"))
}

func chatMessages(m message) (out []chatMessage) {
	if m.own {
		own := chatMessage{Role: "assistant"}
		if m.text != "" {
			own.Content = &m.text
		}
		for _, c := range m.calls {
			made := chatCall{ID: c.id, Type: "function"}
			made.Function.Name, made.Function.Arguments = c.tool, string(c.args)
			own.ToolCalls = append(own.ToolCalls, made)
		}
		return []chatMessage{own}
	}
	for _, c := range m.results {
		out = append(out, chatMessage{Role: "tool", Content: &c.result, ToolCallID: c.id})
	}
	if m.text != "" {
		out = append(out, chatMessage{Role: "user", Content: &m.text})
	}
	return out
}
