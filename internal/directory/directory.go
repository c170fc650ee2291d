// Package directory finds people by what they are called. Names are theirs for
// good; labels, and how somebody writes the name of an account, are not.
//
//	name, err := directory.Name(ctx, store, "Ann.Smith@example.com") // ann@example.com
package directory

import (
	"context"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
)

// Name is the name of the person whom a word means: their name, that of their
// account in upper or lower case, or what an identity provider calls them now. A
// word that means nobody who is known is returned as it is; one that means
// several is fault.Conflict.
func Name(ctx context.Context, store port.Identities, word string) (string, error) {
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
			return "", fault.New(fault.Conflict, "several people are called "+word,
				"say which: assent auth subject list shows their names")
		default:
			name = s.Name
		}
	}
	return name, nil
}
