package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/definition/tree"
)

// fileValue is a file's value of one setting.
type fileValue struct {
	words []string
	line  int
}

// parseFile parses a configuration file and reports every problem with its position.
func parseFile(path string, data []byte) (map[string]fileValue, error) {
	src := tree.NewSource(path, data)
	format := tree.YAML
	if definition.FormatOf(path) == definition.JSON {
		format = tree.JSON
	}
	docs, problems := src.Read(format)
	var errs []error
	at := func(p tree.Pos, message string) {
		errs = append(errs, fmt.Errorf("%s:%d:%d: %s", path, p.Line, p.Column, message))
	}
	for _, p := range problems {
		at(p.Pos, p.Message)
	}
	if len(errs) > 0 || len(docs) == 0 {
		return nil, errors.Join(errs...)
	}
	root := docs[0].Root
	if len(docs) > 1 || root.Kind != tree.Map {
		at(root.Pos, "a settings file must be a mapping of names to values")
		return nil, errors.Join(errs...)
	}
	out := map[string]fileValue{}
	for _, m := range root.Members {
		if !slices.Contains(Names(), m.Key) {
			at(m.Pos, unknownKey(m.Key))
			continue
		}
		words, err := wordsOf(m.Value)
		if err != nil {
			at(m.Value.Pos, m.Key+": "+err.Error())
			continue
		}
		out[m.Key] = fileValue{words, m.Pos.Line}
	}
	return out, errors.Join(errs...)
}

// wordsOf formats a value as in flags.
func wordsOf(n *tree.Node) ([]string, error) {
	switch n.Kind {
	case tree.List:
		var out []string
		for _, item := range n.Items {
			words, err := wordsOf(item)
			if err != nil || len(words) != 1 {
				return nil, errors.New("expected a list of strings")
			}
			out = append(out, words...)
		}
		return out, nil
	case tree.Map:
		var out []string
		for _, m := range n.Members {
			words, err := wordsOf(m.Value)
			if err != nil || len(words) != 1 {
				return nil, errors.New("expected a mapping of names to single values")
			}
			out = append(out, m.Key+"="+words[0])
		}
		return out, nil
	case tree.Null:
		return nil, errors.New("the value is missing")
	}
	return []string{n.Text}, nil
}

// unknownKey suggests the nearest setting.
func unknownKey(key string) string {
	message := fmt.Sprintf("unknown setting %q", key)
	if near := Nearest(key, Names()); near != "" {
		return message + fmt.Sprintf("; did you mean %q?", near)
	}
	return message + "; known settings: " + strings.Join(Names(), ", ")
}

// Nearest is the word that a typo was probably meant to be, or "".
func Nearest(word string, words []string) string {
	best, distance := "", len(word)/3+2
	for _, w := range words {
		if d := edits(strings.ToLower(word), w); d < distance {
			best, distance = w, d
		}
	}
	return best
}

// edits counts the characters to change, add or drop.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
