// Package directory knows people: which name a word stands for, who has an account, to
// whom an approval can be delegated, and who stands in for whom.
//
// A name belongs to one person permanently. Labels, and the spelling of an account's name,
// may change, so every name that a caller sends is looked up first:
//
//	name, err := directory.Name(ctx, store, "Ann.Smith@example.com") // ann@example.com
//
// People answers the other questions, and keeps stand-ins:
//
//	people := directory.New(store, time.Now)
//	ann, err := people.Person(ctx, "Ann")
//	shown, err := people.SetStandIn(ctx, ann, directory.Change{To: "bob", Until: friday}, by)
//
// Permissions are not checked here: package app does that before it calls.
package directory

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/port"
)

// Names is the part of a store that finds people by name.
type Names interface {
	Account(ctx context.Context, name string) (port.Account, error)
	Subjects(ctx context.Context) ([]port.Subject, error)
	SubjectNamed(ctx context.Context, name string) (port.Subject, error)
}

const nameMax = 128 // bytes

// GoodName reports whether a name of a person or a role can be used in lists, logs and
// commands. A prefix role: stands for the holders of a role; schedules, triggers and
// programs have prefixes of their own; commas separate names.
func GoodName(s string) bool {
	return s != "" && len(s) <= nameMax && utf8.ValidString(s) && s == strings.TrimSpace(s) &&
		!strings.HasPrefix(s, "role:") && !gate.Automatic(s) &&
		strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == ',' }) < 0
}

// Name resolves a word to the name of a person: their name, that of their account in upper or lower case, or the
// current label at an identity provider. An unknown word is returned unchanged; one that matches several people is
// fault.Conflict.
func Name(ctx context.Context, store Names, word string) (string, error) {
	named, err := store.SubjectNamed(ctx, word)
	if err == nil {
		return named.Name, nil
	}
	if !fault.Is(err, fault.NotFound) {
		return "", err
	}
	account, err := store.Account(ctx, strings.ToLower(strings.TrimSpace(word)))
	if err == nil {
		return account.Name, nil
	}
	if !fault.Is(err, fault.NotFound) {
		return "", err
	}
	all, err := store.Subjects(ctx)
	if err != nil {
		return "", err
	}
	name := word
	for _, s := range all {
		switch {
		case s.Label != word:
		case name != word:
			return "", fault.New(fault.Conflict, "several people have the name "+word,
				"use the name that assent auth subject list shows")
		default:
			name = s.Name
		}
	}
	return name, nil
}
