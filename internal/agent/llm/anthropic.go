package llm

import (
	"context"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"
)

// claude is Anthropic's messages.
type claude struct{}

func (claude) home() string { return "https://api.anthropic.com" }

// answerMax is how many tokens an answer may have where the document does not
// say: Anthropic wants a number. Its first models take no more than half of it.
const answerMax = 8192

func (claude) ask(ctx context.Context, to target, q *request, r *reply) error {
	opts := []option.RequestOption{
		option.WithBaseURL(strings.TrimSuffix(strings.TrimSuffix(to.base, "/"), "/v1") + "/"), // the SDK adds v1 itself
		option.WithHTTPClient(to.client), option.WithMaxRetries(0),
		option.WithHeader("User-Agent", "assent"), option.WithHeader("Accept", "text/event-stream"), option.WithHeader("Idempotency-Key", to.turn),
	}
	if to.key != "" {
		opts = append(opts, option.WithAPIKey(to.key))
	}
	for name, values := range to.query {
		for _, v := range values {
			opts = append(opts, option.WithQueryAdd(name, v))
		}
	}
	for name, v := range to.headers {
		opts = append(opts, option.WithHeader(name, v))
	}
	// A service of its own, not a client: a client would take keys and
	// addresses from the environment.
	messages := anthropic.NewMessageService(opts...)
	stream := messages.NewStreaming(ctx, messageParams(q))
	defer stream.Close()
	stopped := false
	for stream.Next() {
		event := stream.Current()
		if err := r.event(&event); err != nil {
			return err
		}
		stopped = stopped || event.Type == "message_stop"
	}
	if !stopped {
		r.finish = cutOff // a reason to stop may come long before the stop
	}
	return stream.Err()
}

// event takes a piece of a message. The text of its JSON is used rather than
// what the SDK made of it: a character may be cut in two.
func (r *reply) event(e *anthropic.MessageStreamEventUnion) error {
	r.begun = true
	switch e.Type {
	case "message_start":
		u := e.Message.Usage
		r.spent(u.InputTokens+u.CacheReadInputTokens+u.CacheCreationInputTokens, u.OutputTokens)
	case "content_block_start":
		switch e.ContentBlock.Type {
		case "text":
			return r.say(e.ContentBlock.JSON.Text.Raw())
		case "tool_use":
			return r.ask(e.Index, e.ContentBlock.ID, e.ContentBlock.Name, "")
		}
	case "content_block_delta":
		switch e.Delta.Type {
		case "text_delta":
			return r.say(e.Delta.JSON.Text.Raw())
		case "input_json_delta":
			return r.ask(e.Index, "", "", e.Delta.JSON.PartialJSON.Raw())
		}
	case "message_delta":
		r.spent(e.Usage.InputTokens+e.Usage.CacheReadInputTokens+e.Usage.CacheCreationInputTokens, e.Usage.OutputTokens)
		if e.Delta.StopReason != "" {
			r.finish = messageFinish(e.Delta.StopReason)
		}
	}
	return nil
}

// spent takes counts that grow while a message comes.
func (r *reply) spent(in, out int64) {
	r.used.in, r.used.out = max(r.used.in, in), max(r.used.out, out)
	r.used.told = r.used.told || in+out > 0
}

func messageFinish(reason anthropic.StopReason) finish {
	switch reason {
	case anthropic.StopReasonMaxTokens:
		return filled
	case anthropic.StopReasonRefusal:
		return refuses
	case "model_context_window_exceeded":
		return overfull
	}
	return done
}

// messageParams is a request in Anthropic's words.
func messageParams(q *request) anthropic.MessageNewParams {
	p := anthropic.MessageNewParams{
		Model:     anthropic.Model(q.model),
		MaxTokens: int64(q.maxTokens),
		System:    []anthropic.TextBlockParam{{Text: q.system}},
	}
	if p.MaxTokens == 0 {
		p.MaxTokens = answerMax
		if strings.HasPrefix(q.model, "claude-3-opus") || strings.HasPrefix(q.model, "claude-3-haiku") || strings.HasPrefix(q.model, "claude-3-sonnet") || strings.HasPrefix(q.model, "claude-2") {
			p.MaxTokens = answerMax / 2
		}
	}
	if q.temperature != nil {
		p.Temperature = anthropic.Float(*q.temperature)
	}
	for _, m := range q.messages {
		p.Messages = append(p.Messages, messageParam(m))
	}
	for _, t := range q.tools {
		// As it is written: the SDK would put members it does not know in any order.
		tool := anthropic.ToolParam{Name: t.name, InputSchema: param.Override[anthropic.ToolInputSchemaParam](t.args)}
		if t.description != "" {
			tool.Description = anthropic.String(t.description)
		}
		p.Tools = append(p.Tools, anthropic.ToolUnionParam{OfTool: &tool})
	}
	return p
}

func messageParam(m message) anthropic.MessageParam {
	var blocks []anthropic.ContentBlockParamUnion
	for _, c := range m.results {
		blocks = append(blocks, anthropic.NewToolResultBlock(c.id, c.result, c.failed))
	}
	if m.text != "" {
		blocks = append(blocks, anthropic.NewTextBlock(m.text))
	}
	for _, c := range m.calls {
		blocks = append(blocks, anthropic.NewToolUseBlock(c.id, c.args, c.tool))
	}
	if m.own {
		return anthropic.NewAssistantMessage(blocks...)
	}
	return anthropic.NewUserMessage(blocks...)
}
