package definition

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/phrase"
)

// DidYouMean ends a message with the nearest known word, if one is near.
func DidYouMean(word string, known []string) string {
	if best := nearest(word, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

// nearest is the known word with the fewest typos, at most one in three letters, or "".
func nearest(word string, known []string) string {
	if len(word) < 2 || len(word) > 64 {
		return ""
	}
	letters := []rune(strings.ToLower(word))
	best, most := "", max(1, len(letters)/3)
	for _, k := range known {
		if d := distance(letters, []rune(strings.ToLower(k)), most); d <= most {
			best, most = k, d-1
		}
	}
	return best
}

// distance counts insertions, deletions, replacements and swaps of neighbours; it stops at a maximum.
func distance(a, b []rune, most int) int {
	if most < 0 || len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := last[j-1]
			if a[i-1] != b[j-1] {
				cost++
			}
			row[j] = min(cost, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

func texts[T ~string](words []T) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return out
}

// clip shortens user input for a message.
func clip(s string) string {
	return phrase.Clip(s, 60)
}

// unknownWord reports a word that is not one of those allowed.
func unknownWord[T ~string](word T, words []T) string {
	if slices.Contains(words, word) {
		return ""
	}
	return fmt.Sprintf("%q is not one of %s%s", clip(string(word)), phrase.Or(words),
		DidYouMean(string(word), texts(words)))
}
