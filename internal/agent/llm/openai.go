package llm

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"

	"github.com/assent-run/assent/internal/core/value"
)

// openAI is chat completions, as OpenAI has them and many servers beside it.
type openAI struct{}

func (openAI) home() string { return "https://api.openai.com/v1" }

func (openAI) ask(ctx context.Context, to target, q *request, r *reply) error {
	opts := []option.RequestOption{
		option.WithBaseURL(to.base), option.WithHTTPClient(to.client), option.WithMaxRetries(0),
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
	chat := openai.NewChatCompletionService(opts...)
	stream := chat.NewStreaming(ctx, chatParams(q, to.base))
	defer stream.Close()
	for stream.Next() {
		chunk := stream.Current()
		if err := r.chunk(&chunk); err != nil {
			return err
		}
	}
	return stream.Err()
}

// chunk takes a piece of a chat completion. The text of its JSON is used rather
// than what the SDK made of it: a character may be cut in two.
func (r *reply) chunk(c *openai.ChatCompletionChunk) error {
	r.begun = true
	if c.JSON.Usage.Valid() && c.Usage.PromptTokens+c.Usage.CompletionTokens > 0 {
		r.used = used{c.Usage.PromptTokens, c.Usage.CompletionTokens, true}
	}
	for i := range c.Choices {
		choice := &c.Choices[i]
		if choice.Index != 0 {
			continue // one answer was asked for
		}
		if err := r.say(choice.Delta.JSON.Content.Raw()); err != nil {
			return err
		}
		r.refusal.add(choice.Delta.JSON.Refusal.Raw())
		for _, call := range choice.Delta.ToolCalls {
			if err := r.ask(call.Index, call.ID, call.Function.Name, call.Function.JSON.Arguments.Raw()); err != nil {
				return err
			}
		}
		if choice.FinishReason != "" {
			r.finish = chatFinish(choice.FinishReason)
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
	case "error": // some gateways say so
		return cutOff
	}
	return done
}

// chatParams is a request in OpenAI's words.
func chatParams(q *request, base string) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{
		Model:         q.model,
		Messages:      []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(q.system)},
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
	if q.temperature != nil {
		p.Temperature = openai.Float(*q.temperature)
	}
	switch {
	case q.maxTokens == 0:
	case isOpenAI(base):
		p.MaxCompletionTokens = openai.Int(int64(q.maxTokens))
	default: // the older name, which OpenAI's newer models refuse and other servers know
		p.MaxTokens = openai.Int(int64(q.maxTokens))
	}
	for _, m := range q.messages {
		p.Messages = append(p.Messages, chatMessages(m)...)
	}
	for _, t := range q.tools {
		f := shared.FunctionDefinitionParam{Name: t.name, Parameters: members(t.args)}
		if t.description != "" {
			f.Description = openai.String(t.description)
		}
		p.Tools = append(p.Tools, openai.ChatCompletionFunctionTool(f))
	}
	return p
}

func isOpenAI(base string) bool {
	u, err := url.Parse(base)
	return err == nil && (u.Hostname() == "api.openai.com" || strings.HasSuffix(u.Hostname(), ".openai.azure.com"))
}

func chatMessages(m message) []openai.ChatCompletionMessageParamUnion {
	if m.own {
		var own openai.ChatCompletionAssistantMessageParam
		if m.text != "" {
			own.Content.OfString = openai.String(m.text)
		}
		for _, c := range m.calls {
			own.ToolCalls = append(own.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
				OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
					ID:       c.id,
					Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.tool, Arguments: string(c.args)},
				},
			})
		}
		return []openai.ChatCompletionMessageParamUnion{{OfAssistant: &own}}
	}
	var out []openai.ChatCompletionMessageParamUnion
	for _, c := range m.results {
		out = append(out, openai.ToolMessage(c.result, c.id))
	}
	if m.text != "" {
		out = append(out, openai.UserMessage(m.text))
	}
	return out
}

// members are an object's members, each as it is written.
func members(raw json.RawMessage) map[string]any {
	out := map[string]any{}
	for name, v := range value.Members(raw) {
		out[name] = v
	}
	return out
}
