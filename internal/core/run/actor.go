package run

import "strings"

// Actor identifies who did something, by kind, issuer and subject; see Key.
type Actor struct {
	// What sort of actor.
	Kind ActorKind `json:"kind" holds:"id"`
	// The name. The name of a person is never reused for another person.
	Name string `json:"name,omitempty" holds:"id"`
	// The identity provider that vouches for the actor; none if this server does.
	Issuer string `json:"issuer,omitempty" holds:"id"`
	// The identity at the issuer. Kind, issuer and subject identify the actor, whatever its name.
	Subject string `json:"subject,omitempty" holds:"id"`
}

// Key identifies the actor wherever actors are compared or stored: owners, requesters, assignees and voters.
// Equal keys are one identity.
//
//	ann                             a person
//	service:nightly                 a service with a token of this server
//	service:https://id.example#job  a client of an identity provider
//	schedule:weekly-report          a schedule, which starts runs
//	trigger:new-order               a trigger, which starts runs
//
// Names of people never start with these prefixes, so a program can share a person's name without being
// mistaken for them.
func (a Actor) Key() string {
	switch a.Kind {
	case Service, Agent, Schedule, Trigger:
	default:
		return a.Name
	}
	subject := a.Subject
	if subject == "" {
		subject = a.Name
	}
	if subject == "" {
		return ""
	}
	if a.Issuer != "" || strings.Contains(subject, "#") { // issuers have none
		subject = a.Issuer + "#" + subject
	}
	return string(a.Kind) + ":" + subject
}

// ActorOf returns the actor for a key: the system if it is empty. For people only the name is known.
func ActorOf(key string) Actor {
	if key == "" {
		return Actor{Kind: System}
	}
	for _, kind := range []ActorKind{Service, Agent, Schedule, Trigger} {
		subject, ok := strings.CutPrefix(key, string(kind)+":")
		if !ok {
			continue
		}
		issuer, rest, foreign := strings.Cut(subject, "#")
		switch {
		case !foreign:
			return Actor{Kind: kind, Name: subject}
		case issuer == "":
			return Actor{Kind: kind, Name: rest}
		}
		return Actor{Kind: kind, Name: rest, Issuer: issuer, Subject: rest}
	}
	return Actor{Kind: Person, Name: key}
}
