package run

import "strings"

// Actor is who did something. Who that is follows from kind, issuer and subject;
// see Key.
type Actor struct {
	Kind ActorKind `json:"kind" holds:"id"`
	// Name of a person is theirs permanently: whatever an identity provider calls
	// them later, it is never given to another person.
	Name string `json:"name,omitempty" holds:"id"`
	// Issuer vouches for the actor: an identity provider, or none for this server.
	Issuer string `json:"issuer,omitempty" holds:"id"`
	// Subject is who the actor is to the issuer; none: the name is.
	Subject string `json:"subject,omitempty" holds:"id"`
}

// Key is the text that stands for the actor wherever it is compared or kept:
// owners, requesters, assignees and voters. Equal keys are one identity.
//
//	ann                             a person
//	service:nightly                 a service with a token of this server
//	service:https://id.example#job  a client of an identity provider
//
// Names of people never begin like that, so a program that is called like a
// person has nothing in common with them.
func (a Actor) Key() string {
	switch a.Kind {
	case Service, Agent:
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

// ActorOf is the actor that a key stands for: the system if it is empty. Of
// people it knows the name alone.
func ActorOf(key string) Actor {
	if key == "" {
		return Actor{Kind: System}
	}
	for _, kind := range []ActorKind{Service, Agent} {
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
