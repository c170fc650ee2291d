package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// chatDialect is OpenAI's chat completions.
type chatDialect struct{}

type chatMessage struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	ToolCalls []struct {
		ID       string `json:"id"`
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
	ToolCallID string `json:"tool_call_id"`
}

func (chatDialect) read(body []byte) (heard, error) {
	var in struct {
		Model         string        `json:"model"`
		Stream        bool          `json:"stream"`
		Messages      []chatMessage `json:"messages"`
		StreamOptions struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return heard{}, err
	}
	if in.Model == "" || !in.Stream || !in.StreamOptions.IncludeUsage || len(in.Messages) < 2 {
		return heard{}, fmt.Errorf("not a streamed conversation with a model")
	}
	h := heard{words: texts(body)}
	open := map[string]bool{} // calls without a result
	for i, m := range in.Messages {
		if m.Role != "tool" && len(open) > 0 {
			return heard{}, fmt.Errorf("message %d: the calls %v have no results", i, open)
		}
		switch m.Role {
		case "assistant":
			h.own++
			for _, c := range m.ToolCalls {
				if !json.Valid([]byte(c.Function.Arguments)) || c.Function.Name == "" || open[c.ID] {
					return heard{}, fmt.Errorf("message %d: call %s is not right", i, c.ID)
				}
				open[c.ID] = true
			}
		case "tool":
			if !open[m.ToolCallID] {
				return heard{}, fmt.Errorf("message %d: nobody called %s", i, m.ToolCallID)
			}
			delete(open, m.ToolCallID)
		}
	}
	if len(open) > 0 {
		return heard{}, fmt.Errorf("the calls %v have no results", open)
	}
	return h, nil
}

func chunk(delta, finish string) string {
	return fmt.Sprintf("data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}],\"usage\":null}\n\n", delta, finish)
}

func (chatDialect) write(t *turn) []string {
	out := []string{chunk(`{"role":"assistant","content":null,"refusal":null}`, "null"), ": keep-alive\n\n"}
	for _, p := range parts(t.says) {
		out = append(out, chunk(`{"content":`+quoted(p)+`}`, "null"))
	}
	for i, c := range t.calls {
		out = append(out, chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":""}}]}`, i, c.id, c.tool), "null"))
		for _, p := range parts(c.args) {
			out = append(out, chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, i, quoted(p)),
				"null"))
		}
	}
	finish := `"stop"`
	if len(t.calls) > 0 {
		finish = `"tool_calls"`
	}
	return append(out, chunk("{}", finish),
		"data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":100,\"total_tokens\":1100}}\n\n",
		"data: [DONE]\n\n")
}

func (chatDialect) refusal(why string) []string {
	return []string{chunk(`{"role":"assistant","content":null}`, "null"), chunk(`{"refusal":`+quoted(why)+`}`, "null"),
		chunk("{}", `"stop"`), "data: [DONE]\n\n"}
}

func (chatDialect) breaks(why string) string {
	return fmt.Sprintf("data: {\"error\":{\"message\":%s,\"type\":\"server_error\",\"code\":null}}\n\n",
		quoted("The server had an error "+why))
}

func (chatDialect) refuse(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":{"message":%q,"type":%q,"param":null,"code":null}}`, message, kind)
}

// messageDialect is Anthropic's messages.
type messageDialect struct{}

type block struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	ToolUseID string          `json:"tool_use_id"`
	Input     json.RawMessage `json:"input"`
}

func (messageDialect) read(body []byte) (heard, error) {
	var in struct {
		Model     string `json:"model"`
		MaxTokens int    `json:"max_tokens"`
		Stream    bool   `json:"stream"`
		Messages  []struct {
			Role    string  `json:"role"`
			Content []block `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return heard{}, err
	}
	if in.Model == "" || in.MaxTokens == 0 || !in.Stream || len(in.Messages) == 0 {
		return heard{}, fmt.Errorf("not a streamed conversation with a model")
	}
	h := heard{words: texts(body)}
	open := map[string]bool{}
	for i, m := range in.Messages {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want || len(m.Content) == 0 {
			return heard{}, fmt.Errorf("message %d is by %s, with %d blocks", i, m.Role, len(m.Content))
		}
		for _, b := range m.Content {
			switch {
			case b.Type == "tool_use":
				if len(b.Input) == 0 || b.Input[0] != '{' || open[b.ID] {
					return heard{}, fmt.Errorf("message %d: call %s is not right", i, b.ID)
				}
				open[b.ID] = true
			case b.Type == "tool_result" && !open[b.ToolUseID]:
				return heard{}, fmt.Errorf("message %d: nobody called %s", i, b.ToolUseID)
			case b.Type == "tool_result":
				delete(open, b.ToolUseID)
			}
		}
		if m.Role == "assistant" {
			h.own++
		} else if len(open) > 0 {
			return heard{}, fmt.Errorf("message %d: the calls %v have no results", i, open)
		}
	}
	if in.Messages[len(in.Messages)-1].Role != "user" {
		return heard{}, fmt.Errorf("the last message is the model's own")
	}
	return h, nil
}

func sse(kind, members string) string {
	return fmt.Sprintf("event: %s\ndata: {\"type\":%q%s}\n\n", kind, kind, members)
}

const messageStart = `,"message":{"id":"m","type":"message","role":"assistant","content":[],"model":"m","stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1000,"output_tokens":1}}`

func (messageDialect) write(t *turn) []string {
	out := []string{sse("message_start", messageStart), sse("ping", "")}
	at := 0
	begin := func(b string) {
		out = append(out, sse("content_block_start", fmt.Sprintf(`,"index":%d,"content_block":%s`, at, b)))
	}
	delta := func(d string) {
		out = append(out, sse("content_block_delta", fmt.Sprintf(`,"index":%d,"delta":%s`, at, d)))
	}
	end := func() { out = append(out, sse("content_block_stop", fmt.Sprintf(`,"index":%d`, at))); at++ }
	if t.says != "" {
		begin(`{"type":"text","text":""}`)
		for _, p := range parts(t.says) {
			delta(`{"type":"text_delta","text":` + quoted(p) + `}`)
		}
		end()
	}
	for _, c := range t.calls {
		begin(fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":{}}`, c.id, c.tool))
		delta(`{"type":"input_json_delta","partial_json":""}`)
		for _, p := range parts(c.args) {
			delta(`{"type":"input_json_delta","partial_json":` + quoted(p) + `}`)
		}
		end()
	}
	reason := "end_turn"
	if len(t.calls) > 0 {
		reason = "tool_use"
	}
	return append(out, stops(reason)...)
}

func stops(reason string) []string {
	return []string{sse("message_delta", fmt.Sprintf(`,"delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":100}`, reason)), sse("message_stop", "")}
}

func (messageDialect) refusal(why string) []string {
	out := []string{
		sse("message_start", messageStart), sse("content_block_start",
			`,"index":0,"content_block":{"type":"text","text":""}`),
		sse("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":`+quoted(why)+`}`),
		sse("content_block_stop", `,"index":0`),
	}
	return append(out, stops("refusal")...)
}

func (messageDialect) breaks(why string) string {
	return sse("error", `,"error":{"type":"overloaded_error","message":`+quoted("Overloaded "+why)+`}`)
}

func (messageDialect) refuse(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"type":"error","error":{"type":%q,"message":%q}}`, kind, message)
}
