package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Trials wait for models, which cost. Only a few run at the same time; the next one is refused, with when to try again,
// and runs once another has ended.
func TestTrialsAtTheSameTime(t *testing.T) {
	t.Parallel()
	const most = 4
	asked, answer := make(chan struct{}, most+1), make(chan struct{})
	release := sync.OnceFunc(func() { close(answer) })
	defer release()
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-answer:
		case <-r.Context().Done():
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"{\"done\":true}"},`+
			`"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(model.Close)
	s := serve(t)
	body := map[string]any{"yaml": fmt.Sprintf("agent: slow\nkind: llm\nprovider: openai\nmodel: m\nbase_url: %s/v1\n"+
		"output: { type: object }\n", model.URL)}
	tried := make(chan answered, most+1)
	try := func() {
		a, err := s.try("POST", "/agents/slow/try", body)
		tried <- answered{a, err}
	}
	for range most {
		go try()
	}
	for range most {
		select {
		case <-asked:
		case a := <-tried:
			t.Fatalf("%s, %v", a.body, a.err)
		}
	}
	go try()
	var refused answered
	select {
	case <-asked:
		t.Fatal("the model is asked once more")
	case refused = <-tried:
	}
	refused.problem(429, "rate_limited")
	if wait := refused.header.Get("Retry-After"); wait == "" || wait == "0" {
		t.Errorf("to be tried again after %q", wait)
	}
	release()
	for range most {
		if a := <-tried; a.err != nil {
			t.Error(a.err)
		} else if a.want(200); a.text("outcome") != "completed" {
			t.Errorf("%s", a.body)
		}
	}
	s.call("POST", "/agents/slow/try", body).want(200)
}

type answered struct {
	answer
	err error
}
