package assembly_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
	"github.com/assent-run/assent/internal/view"
)

// Both kinds of agent say how sure they are in the same way.
var speakers = map[string]string{
	"scripted": "kind: scripted\nanswers: [{ output: { found: 1 }, reasoning: Two sources., %s }]",
	"llm":      "kind: llm\nprovider: scripted\nturns: [{ answer: { found: 1 }, reasoning: Two sources., %s }]",
}

const (
	asks     = "people are asked"
	suggests = "it goes on, and a review is suggested"
	goesOn   = "it goes on"
)

// TestConfidence: what becomes of a result, at the borders of the three bands,
// with the default and with a threshold of the deployment, the workflow and the agent.
func TestConfidence(t *testing.T) {
	of := func(f float64) *float64 { return &f }
	const silent = "usage: {}"
	for name, c := range map[string]struct {
		deployment      *float64
		workflow, agent string
		says            string
		want            string
	}{
		"nothing is said":                 {nil, "", "", silent, goesOn},
		"0":                               {nil, "", "", "confidence: 0", asks},
		"just under 0.7":                  {nil, "", "", "confidence: 0.6999999", asks},
		"0.7":                             {nil, "", "", "confidence: 0.7", suggests},
		"0.89":                            {nil, "", "", "confidence: 0.89", suggests},
		"just under 0.9":                  {nil, "", "", "confidence: 0.8999999", suggests},
		"0.9":                             {nil, "", "", "confidence: 0.9", goesOn},
		"1":                               {nil, "", "", "confidence: 1", goesOn},
		"deployment asks for more":        {of(0.8), "", "", "confidence: 0.79", asks},
		"deployment has enough":           {of(0.8), "", "", "confidence: 0.8", suggests},
		"deployment asks for less":        {of(0.5), "", "", "confidence: 0.5", suggests},
		"deployment asks for nothing":     {of(0), "", "", "confidence: 0", suggests},
		"deployment, and nothing is said": {of(1), "", "", silent, goesOn},
		"the workflow before it":          {of(0.8), "confidence_threshold: 0.6", "", "confidence: 0.6", suggests},
		"the agent before both": {of(0.1), "confidence_threshold: 0.2", "confidence_threshold: 0.95",
			"confidence: 0.94", asks},
	} {
		for kind, speaker := range speakers {
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				s, err := assembly.Open(t.Context(), assembly.Config{Data: sqlitetest.Dir(t), ConfidenceThreshold: c.deployment})
				if err != nil {
					t.Fatal(err)
				}
				s.Start()
				defer func() {
					if err := s.Close(context.Background()); err != nil {
						t.Error(err)
					}
				}()
				document := fmt.Sprintf("workflow: look\n%s\nsteps: [{ id: look, agent: looker }]\n---\nagent: looker\n%s\n",
					c.workflow, c.agent) + fmt.Sprintf(speaker, c.says)
				if got := become(t, s, document); got != c.want {
					t.Errorf("%s, want: %s", got, c.want)
				}
			})
		}
	}
}

// become runs a workflow and returns the fate of its only result.
func become(t *testing.T, s *assembly.Server, document string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	set, problems := definition.Parse("look.yaml", []byte(document))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	loaded, err := s.App.Documents.LoadSet(ctx, "test", set)
	if err != nil || len(loaded.Problems) > 0 {
		t.Fatal(err, loaded.Problems)
	}
	begun, err := s.App.Begin(ctx, app.LocalAdmin, app.NewRun{Workflow: "look"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	v := rests(ctx, t, s, begun.ID)
	if v.Status == run.Waiting {
		asked, err := s.App.Lists(app.LocalAdmin).Approvals(ctx, port.ApprovalQuery{Run: v.ID, Limit: 10})
		if err != nil || len(asked.Items) != 1 {
			t.Fatal(err, asked.Items)
		}
		a := asked.Items[0]
		if a.Reason != gate.ReasonLowConfidence || a.Confidence == nil || a.Reasoning != "Two sources." {
			t.Fatalf("%+v", a)
		}
		return asks
	}
	events, err := s.App.Events(ctx, app.LocalAdmin, v.ID, 0, 100, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events.Items {
		if e.Type == "review.suggested" {
			return suggests
		}
	}
	return goesOn
}

// rests follows a run until it has ended or waits for people.
func rests(ctx context.Context, t *testing.T, s *assembly.Server, id string) view.Run {
	t.Helper()
	changed := s.Store.Watch(ctx)
	for {
		v, err := s.App.Run(ctx, app.LocalAdmin, id, true)
		if err != nil {
			t.Fatal(err)
		}
		if v.Status == run.Waiting || v.Status == run.Completed {
			return v
		}
		if v.Status.Ended() {
			t.Fatalf("the run is %s: %+v", v.Status, v.Error)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("the run is %s after a long time", v.Status)
		}
	}
}
