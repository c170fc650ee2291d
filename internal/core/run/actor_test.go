package run

import (
	"testing"

	"github.com/assent-run/assent/internal/core/plan"
)

// TestActorKeys: one identity, one key, whatever somebody chose to be called.
func TestActorKeys(t *testing.T) {
	const id = "https://id.example.com"
	keys := map[string]Actor{
		"ann":                                 {Kind: Person, Name: "ann"},
		"ann#2":                               {Kind: Person, Name: "ann#2"},
		"service:ann":                         {Kind: Service, Name: "ann"},
		"agent:ann":                           {Kind: Agent, Name: "ann"},
		"service:#a#b":                        {Kind: Service, Name: "a#b"},
		"service:#https://id.example.com#ann": {Kind: Service, Name: id + "#ann"},
		"service:https://id.example.com#ann":  {Kind: Service, Name: "ann", Issuer: id, Subject: "ann"},
		"service:https://id.example.com#a#b":  {Kind: Service, Name: "a#b", Issuer: id, Subject: "a#b"},
		"service:https://id2.example.com#ann": {Kind: Service, Name: "ann",
			Issuer: "https://id2.example.com", Subject: "ann"},
		"agent:#https://id.example.com#ann#no": {Kind: Agent, Name: id + "#ann#no"},
	}
	for key, a := range keys {
		if got := a.Key(); got != key {
			t.Errorf("%+v has the key %q, not %q", a, got, key)
		}
		if got := ActorOf(key); got != a {
			t.Errorf("%q stands for %+v, not %+v", key, got, a)
		}
	}
	// What a provider says besides does not make a person of this server another one.
	if got := (Actor{Kind: Person, Name: "ann@example.com", Issuer: id,
		Subject: "sub-1"}).Key(); got != "ann@example.com" {
		t.Error(got)
	}
	if got := ActorOf(""); got.Kind != System || got.Key() != "" {
		t.Errorf("%+v", got)
	}
}

// TestOwnersOfOldLogs: a log from before keys says that "nightly" owns the run
// that the service of that name started. No person does.
func TestOwnersOfOldLogs(t *testing.T) {
	nightly := Actor{Kind: Service, Name: "nightly"}
	for _, c := range []struct {
		owner string
		by    Actor
		want  string
	}{
		{"nightly", nightly, "service:nightly"},
		{"service:nightly", nightly, "service:nightly"},
		{"ann", nightly, "ann"},
		{"ann", Actor{Kind: Person, Name: "ann"}, "ann"},
		{"ann", system, "ann"},
		{"", system, ""},
	} {
		s := New("run_1", &plan.Plan{})
		s.Apply(Event{Run: "run_1", Seq: 1, Actor: c.by, Fact: &RunStarted{Owner: c.owner}})
		if s.Started.Owner != c.want {
			t.Errorf("%q by %+v: %q", c.owner, c.by, s.Started.Owner)
		}
	}
}
