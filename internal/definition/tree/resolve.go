package tree

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"sync"
)

// Numbers of YAML's core schema, and those that JSON writes the same way.
var (
	jsonNumber  = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
	coreInteger = regexp.MustCompile(`^[-+]?[0-9]+$`)
	coreOther   = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(0o[0-7]{1,40}|0x[0-9a-fA-F]{1,40})$`)
	})
	coreFloat = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	endless   = regexp.MustCompile(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
)

// resolve interprets a plain scalar: as a JSON literal unless it is a string, or with an error.
func resolve(s string) (k Kind, literal, why string) {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return Null, "", ""
	case "true", "True", "TRUE":
		return Bool, "true", ""
	case "false", "False", "FALSE":
		return Bool, "false", ""
	}
	if c := s[0]; c != '-' && c != '+' && c != '.' && (c < '0' || c > '9') {
		return Text, s, ""
	}
	switch {
	case jsonNumber.MatchString(s):
		return Number, s, ""
	case s == "+0":
		return Number, "0", ""
	case endless.MatchString(s):
		return 0, "", fmt.Sprintf("%s is not valid in JSON: put it in quotes if it is a text", s)
	case coreInteger.MatchString(s) && strings.TrimLeft(s, "+-0") != strings.TrimLeft(s, "+-"):
		return 0, "", fmt.Sprintf("%s starts with a zero, and parsers disagree about its value: put it in quotes if it is "+
			"a text, or remove the zero", shorten(s))
	case coreInteger.MatchString(s):
		return Number, strings.TrimPrefix(s, "+"), ""
	case coreOther().MatchString(s):
		if n, ok := new(big.Int).SetString(strings.Replace(s, "0o", "0", 1), 0); ok {
			return Number, n.String(), ""
		}
	case coreFloat.MatchString(s):
		return Number, jsonFloat(s), ""
	}
	return Text, s, ""
}

// jsonFloat writes .5, 5. and +1.0e3 as JSON, with unchanged digits.
func jsonFloat(s string) string {
	s, negative := strings.CutPrefix(strings.TrimPrefix(s, "+"), "-")
	exponent := ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		s, exponent = s[:i], s[i:]
	}
	whole, fraction, point := strings.Cut(s, ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction == "" {
		fraction = "0"
	}
	if point {
		whole += "." + fraction
	}
	if negative {
		whole = "-" + whole
	}
	return whole + exponent
}
