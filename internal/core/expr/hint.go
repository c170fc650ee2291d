package expr

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Idioms of other languages, and their equivalents here.
var wordHints = map[string]string{
	"is": "write ==", "eq": "write ==", "equals": "write ==", "ne": "write !=", "gt": "write >", "gte": "write >=",
	"ge": "write >=", "lt": "write <", "lte": "write <=", "le": "write <=", "includes": "write contains",
	"has":  "write contains",
	"like": "write contains or matches", "starts_with": "write startsWith", "startswith": "write startsWith",
	"beginswith": "write startsWith",
	"ends_with":  "write endsWith", "endswith": "write endsWith", "between": "write x >= 1 && x <= 5",
	"xor":  "write != between conditions",
	"then": "write a condition only", "else": "write a condition only",
}

var callHints = map[string]string{
	"length": "len", "size": "len", "tolower": "lower", "lowercase": "lower", "to_lower": "lower",
	"toupper": "upper", "uppercase": "upper", "to_upper": "upper", "minimum": "min", "maximum": "max",
}

var elementCalls = "all any none one filter map find findindex findlast findlastindex count sum groupby countby " +
	"sortby reduce some every exists forall"

var clockCalls = "now date today duration timezone random rand uuid"

// wordHint suggests a replacement for a word found in place of an operator.
func wordHint(word string) string {
	if h, ok := wordHints[strings.ToLower(word)]; ok {
		return h
	}
	known := []string{"and", "or", "not", "in", "contains", "startsWith", "endsWith", "matches"}
	if w := nearest(word, known); w != "" && w != word {
		return "did you mean " + w + "?"
	}
	return ""
}

func callHint(name string) string {
	low := strings.ToLower(name)
	switch {
	case contains(elementCalls, low):
		return fmt.Sprintf("%s looks at every element and is not supported; write list contains value or value in list", name)
	case contains(clockCalls, low):
		return fmt.Sprintf("%s is not supported: a condition gives the same answer for the same data at any time", name)
	}
	if h, ok := callHints[low]; ok {
		return fmt.Sprintf("%s is not a function; did you mean %s?", name, h)
	}
	if h := wordHint(name); h != "" {
		return fmt.Sprintf("%s is not a function; %s between two values", name, h)
	}
	if h := nearest(name, slices.Sorted(maps.Keys(calls))); h != "" {
		return fmt.Sprintf("%s is not a function; did you mean %s?", name, h)
	}
	return fmt.Sprintf("%s is not a function; only %s can be called", name, callNames)
}

// methodHint is for x.contains("y"), as in other languages.
func methodHint(name string) string {
	switch low := strings.ToLower(name); {
	case low == "length" || low == "size" || low == "count":
		return "write .length without brackets"
	case contains("contains includes has", low):
		return `write x contains "y" instead of x.` + name + `("y")`
	case low == "startswith" || low == "endswith" || low == "matches":
		w := nearest(name, []string{"startsWith", "endsWith", "matches"})
		return fmt.Sprintf(`write x %s "y" instead of x.%s("y")`, w, name)
	case contains("tolowercase tolower lower", low):
		return "write lower(x)"
	case contains("touppercase toupper upper", low):
		return "write upper(x)"
	}
	return fmt.Sprintf("fields cannot be called; only the functions %s can", callNames)
}

func contains(words, w string) bool { return slices.Contains(strings.Fields(words), w) }

// nearest returns the known word that differs only in case or by one or two
// letters, or "".
func nearest(word string, known []string) string {
	best, at := "", 3
	for _, k := range known {
		d := distance(strings.ToLower(word), strings.ToLower(k))
		if d < at && d*3 <= len(k) {
			best, at = k, d
		}
	}
	return best
}

// distance is the Levenshtein distance.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
