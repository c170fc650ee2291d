package llm

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Tokens are estimated: the providers' own tokenizers are many, large and change. The estimate only has to
// detect when a window is nearly full, so it errs on the high side. In quarters of a token:
//
//	1   a letter or a space: words come in pieces of about four
//	2   a digit, a symbol, a newline
//	3   anything in a run of more than 16 letters, digits and +/=_: a key, a
//	    hash, base64
//	4   any other character, and 12 beyond the basic plane: emoji and the like
//
// and 8 tokens around each message, call and tool.

const (
	quarter = 4
	around  = 8  // tokens of the envelope of a message, call or tool
	runMax  = 16 // letters that may be a word
)

// tokens estimates the tokens of a text.
func tokens(s string) int {
	n, _ := measure(s, -1)
	return (n + quarter - 1) / quarter
}

// measure counts quarters of tokens, up to an optional budget, and returns the number of bytes.
func measure(s string, budget int) (quarters, bytes int) {
	streak := 0
	for i, r := range s {
		cost := 0
		switch {
		case letter(r), digit(r), streak > 0 && strings.ContainsRune("+/=_", r):
			streak++
			if cost = 1; !letter(r) {
				cost = 2
			}
			if streak > runMax {
				cost = 3
			}
		case r == ' ':
			streak, cost = 0, 1
		case r < utf8.RuneSelf:
			streak, cost = 0, 2
		case r < 0x10000:
			streak, cost = 0, 4
		default:
			streak, cost = 0, 12
		}
		if budget >= 0 && quarters+cost > budget {
			return quarters, i
		}
		quarters += cost
	}
	return quarters, len(s)
}

func letter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
func digit(r rune) bool  { return r >= '0' && r <= '9' }

const leftOut = "\n[… left out for length …]\n"

// withoutMiddle removes the middle of a text with more than n tokens. The beginning says what a text is, the end
// how it came out.
func withoutMiddle(s string, n int) string {
	if tokens(s) <= n {
		return s
	}
	room := max(0, n-tokens(leftOut)-2) * quarter
	_, head := measure(s, room*2/3)
	tail := len(s)
	for rest := room / 3; tail > head; {
		r, size := utf8.DecodeLastRuneInString(s[:tail])
		cost := 3 // of a run, wherever it began
		if r >= utf8.RuneSelf {
			cost = 12
		}
		if rest -= cost; rest < 0 {
			break
		}
		tail -= size
	}
	return s[:head] + leftOut + s[tail:]
}

// line is the beginning of a text, on one line.
func line(s string, n int) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s[:min(len(s), 8*n)], "")), " ")
	for i := range s {
		if n--; n < 0 {
			return s[:i] + "…"
		}
	}
	return s
}

// windows are the window sizes of well-known models, the longest matching prefix first. If a model has
// several, the smallest.
var windows = []struct {
	prefix string
	tokens int
}{
	{"gpt-3.5-turbo", 16_385},
	{"gpt-4-turbo", 128_000},
	{"gpt-4-1106", 128_000},
	{"gpt-4-0125", 128_000},
	{"gpt-4-32k", 32_768},
	{"gpt-4.1", 1_000_000},
	{"gpt-4.5", 128_000},
	{"gpt-4o", 128_000},
	{"gpt-4", 8_192},
	{"gpt-5", 256_000},
	{"o1-mini", 128_000},
	{"o1-preview", 128_000},
	{"o1", 200_000},
	{"o3", 200_000},
	{"o4", 200_000},
	{"claude-2.0", 100_000},
	{"claude-instant", 100_000},
	{"claude-", 200_000},
	{"gemini-", 1_000_000},
	{"mistral-large", 128_000},
	{"command-r", 128_000},
	{"deepseek-", 64_000},
}

// windowDefault is for unknown models: many are self-hosted, with less than they could use.
const windowDefault = 32_768

var vendor = regexp.MustCompile(`^.*/`)

func windowOf(model string) int {
	model = strings.ToLower(vendor.ReplaceAllString(model, "")) // openrouter's openai/gpt-4o
	for _, w := range windows {
		if strings.HasPrefix(model, w.prefix) {
			return w.tokens
		}
	}
	return windowDefault
}

// window is the model's window in tokens.
func (m *Model) window() int {
	if m.o.Window != nil {
		if n := m.o.Window(m.d.Model); n > 0 {
			return n
		}
	}
	return windowOf(m.d.Model)
}

// limit is the maximum size of a request in tokens: 85 % of the window, less if the document reserves more
// for the answer.
func (m *Model) limit() int {
	window := m.window()
	limit := max(min(window*85/100, window-m.d.MaxTokens), window/4)
	if learned := int(m.learned.Load()); learned > 0 {
		limit = min(limit, learned)
	}
	return limit
}
