package run

import "testing"

// TestActorKeys: one identity has one key, whatever the display name.
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
	// A provider's additional claims do not turn a person of this server into another one.
	if got := (Actor{Kind: Person, Name: "ann@example.com", Issuer: id,
		Subject: "sub-1"}).Key(); got != "ann@example.com" {
		t.Error(got)
	}
	if got := ActorOf(""); got.Kind != System || got.Key() != "" {
		t.Errorf("%+v", got)
	}
}
