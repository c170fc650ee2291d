package mask

import (
	"regexp"
	"strings"
	"sync"
)

// Credential replaces a credential in a text.
const Credential = "***"

// Credentials masks credentials in a text that an agent or a tool sent about a failure: keys with a known prefix,
// bearer tokens and other Authorization headers, cookies, JSON web tokens, passwords in addresses, private keys, and
// values after names such as password= or "api_key":. Nothing else changes. It takes time proportional to the text and
// is idempotent.
func Credentials(text string) string {
	for range passesMax {
		next := text
		for _, c := range credentials() {
			next = c.hide(next)
		}
		if next == text {
			break
		}
		text = next
	}
	return text
}

// passesMax limits how often a text is scanned: masking one value may reveal the end of another.
const passesMax = 5

// credential is a form in which credentials are written. The group value is masked, if suspect agrees; the rest of the
// match is kept.
type credential struct {
	is      *regexp.Regexp
	value   int
	suspect func(groups []string) bool // nil: always
}

func (c credential) hide(text string) string {
	var out strings.Builder
	at := 0
	for _, m := range c.is.FindAllStringSubmatchIndex(text, -1) {
		from, to := m[2*c.value], m[2*c.value+1]
		if from < 0 || from == to {
			continue
		}
		if c.suspect != nil {
			groups := make([]string, len(m)/2)
			for i := range groups {
				if m[2*i] >= 0 {
					groups[i] = text[m[2*i]:m[2*i+1]]
				}
			}
			if !c.suspect(groups) {
				continue
			}
		}
		out.WriteString(text[at:from])
		out.WriteString(Credential)
		at = to
	}
	if at == 0 {
		return text
	}
	out.WriteString(text[at:])
	return out.String()
}

const (
	// secretNames are names whose value is always a secret; tokenNames also have other meanings ("unexpected token: }").
	secretNames = `pass(?:word|wd|phrase|code)|pwd|secret|(?:secret[_-]?)?(?:api|access|secret|private|account|signing|encryption)[_-]?key|client[_-]?secret|credentials?`
	tokenNames  = `token|authorization|auth|apikey|session[_-]?id|sid`

	// between a name and its value: a quote, possibly escaped, and = or :
	assigned = `\\*["']?\s{0,3}(=>?|:)\s{0,3}`
	// a value: quoted, quoted inside a quoted text, or up to a delimiter
	given = `(?:\\+"([^"\\]*)|"((?:[^"\\]|\\.)*)|'((?:[^'\\]|\\.)*)|([^\s,;&"'\\(){}\[\]<>]+))`
)

// credentials are compiled when a text is first masked: most commands of the program mask nothing.
var credentials = sync.OnceValue(func() []credential {
	secret, token := named(secretNames), named(tokenNames)
	return []credential{
		{is: regexp.MustCompile(`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----((?s:.*?))(?:-----END |$)`), value: 1},
		{is: regexp.MustCompile(`\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'<>]*:([^\s/?"'<>]+)@`), value: 1},
		{is: regexp.MustCompile(`\b[\w.-]+:([^\s/:@"'<>]+)@(?:tcp|unix)\(`), value: 1},
		{is: regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?`)},
		{is: regexp.MustCompile(`\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{12,}`), suspect: withDigit},
		{is: regexp.MustCompile(`\b(?:gh[opsur]_[A-Za-z0-9]{16,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[a-z]-[A-Za-z0-9-]{8,}|xapp-[A-Za-z0-9-]{16,}|(?:AKIA|ASIA)[0-9A-Z]{12,}|AIza[\w-]{30,}|ya29\.[\w-]{16,}` +
			`|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{20,}|SG\.[\w-]{16,}\.[\w-]{16,}|whsec_[A-Za-z0-9+/=]{16,}|ast_[A-Za-z0-9_-]{16,}|dop_v1_[a-f0-9]{32,}|shp(?:at|ss|ca)_[a-f0-9]{24,}|pypi-[\w-]{32,})`)},
		{is: regexp.MustCompile(`(?i)\b(?:bearer|basic|negotiate)\s{1,3}([A-Za-z0-9._~+/-]{6,}=*)`), value: 1,
			suspect: func(g []string) bool { return likely(g[1]) }},
		{is: regexp.MustCompile(`(?i)\b(?:proxy-)?authorization` + assigned +
			`\\*["']?(?:(?:bearer|basic|token|digest|negotiate|apikey)\s{1,3})?([^\s,;"'\\{}\[\]<>]+)`), value: 2,
			suspect: func(g []string) bool { return likely(g[2]) }},
		{is: regexp.MustCompile(`(?i)\b(?:set-)?cookie\\*["']?\s{0,3}:\s{0,3}\\*["']?([^\s=;"'\\]{1,100}=[^\r\n"'\\]+)`),
			value: 1},
		secret(0), secret(1), secret(2), secret(3), token(0), token(1), token(2), token(3),
	}
})

// named is a value after one of some names, written in one of the ways of given.
func named(names string) func(way int) credential {
	is := regexp.MustCompile(`(?i)(?:\b|_)(?:` + names + `)` + assigned + given)
	return func(way int) credential {
		return credential{is: is, value: 2 + way, suspect: func(g []string) bool {
			v, quoted := g[2+way], way < 3
			switch {
			case harmless[strings.ToLower(v)]:
				return false
			case names == tokenNames:
				return len(v) >= 8 && likely(v)
			case g[1] == ":" && !quoted:
				// "password: must have eight characters" is a sentence.
				return likely(v) || !strings.Contains(g[0], " ")
			}
			return true
		}}
	}
}

// harmless are words after a name that are not secrets.
var harmless = map[string]bool{
	Credential: true, "null": true, "nil": true, "none": true, "true": true, "false": true, "undefined": true,
	"required": true, "missing": true,
	"invalid": true, "expired": true, "string": true, "hidden": true, "redacted": true, "•••": true, "*": true,
	"not": true, "is": true,
}

func withDigit(g []string) bool { return strings.ContainsAny(g[0], "0123456789") }

// likely reports whether a text looks generated: it has a digit among letters, or capitals inside.
func likely(s string) bool {
	if strings.HasSuffix(s, "=") {
		return true
	}
	digits, letters, capitals, small := 0, 0, 0, 0
	for i, r := range s {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r >= 'a' && r <= 'z':
			small, letters = small+1, letters+1
		case r >= 'A' && r <= 'Z':
			letters++
			if i > 0 {
				capitals++
			}
		}
	}
	return digits > 0 && letters > 0 || digits >= 6 || capitals > 0 && small > 0
}
