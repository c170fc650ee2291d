package phrase

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/assent-run/assent/internal/core/value"
)

// Values in words have the type that their field's name and their own form show:
// an amount reads 2,400.00 EUR, a date 8 Jan 2026, and a person by name.

// Names of fields, the more telling first. The last word of a longer name counts
// as well: claim_amount and invoiceTotal are amounts.
var (
	amountWords = []string{"amount", "total", "sum", "price", "cost", "fee", "budget", "value"}
	partyWords  = []string{"customer", "recipient", "to", "payee", "vendor", "supplier", "employee", "user", "account",
		"person", "email", "name"}
	idWords = []string{"id", "number", "no", "ref", "reference", "key", "ticket", "order", "invoice", "claim", "case"}
)

// fewMost is how many elements of a list are named.
const fewMost = 3

// currencyName is the field beside an amount that says what it is counted in.
const (
	currencyName = "currency"
	currencyMax  = 16 // bytes
)

// minorUnits are the decimals of currencies that do not have two.
var minorUnits = map[string]int{
	"JPY": 0, "KRW": 0, "VND": 0, "CLP": 0, "ISK": 0, "PYG": 0, "UGX": 0, "XAF": 0, "XOF": 0, "XPF": 0,
	"BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3,
}

// isNamed reports whether a field's name is one of some words, or ends in one.
func isNamed(name string, words []string) bool {
	name = lastWord(name)
	return slices.Contains(words, name)
}

// lastWord is the last word of a name in lower case: total of invoiceTotal and of
// invoice_total.
func lastWord(name string) string {
	start := strings.LastIndexAny(name, "_-. ") + 1
	for i, r := range name {
		if i > start && unicode.IsUpper(r) && !unicode.IsUpper(rune(name[i-1])) {
			start = i
		}
	}
	return strings.ToLower(name[start:])
}

// Typed is the value of a field in words. Currency is that of the fields beside it,
// "" if there is none.
func Typed(name string, v json.RawMessage, currency string) string {
	switch kind := value.KindOf(v); {
	case kind == value.KindObject:
		if inner := nameOf(v); inner != nil {
			return Text(inner)
		}
	case kind == value.KindArray:
		if text := few(v); text != "" {
			return text
		}
	case isNamed(name, amountWords) && (kind == value.Number || kind == value.String):
		text := Text(v)
		if currency != "" {
			text = decimals(text, currency)
		}
		return Grouped(text)
	case kind == value.String:
		if text, _ := value.Text(v); Date(text) != "" {
			return Date(text)
		}
	}
	return Text(v)
}

// nameOf is what an object calls itself, nil if it has no name.
func nameOf(object json.RawMessage) json.RawMessage {
	if v, ok := value.Get(object, "name"); ok && value.KindOf(v) == value.String {
		return v
	}
	return nil
}

// few names the elements of a short list of texts, "" for any other list.
func few(list json.RawMessage) string {
	all := value.Elements(list)
	if len(all) == 0 || len(all) > fewMost {
		return ""
	}
	texts := make([]string, len(all))
	for i, v := range all {
		if value.KindOf(v) != value.String {
			return ""
		}
		texts[i] = Text(v)
	}
	return ClipWords(strings.Join(texts, ", "), ValueMax)
}

// CurrencyOf is the currency that an object names, "" if it names none.
func CurrencyOf(object json.RawMessage) string {
	v, _ := value.Get(object, currencyName)
	return currencyIn(v)
}

// currencyIn is the name of a currency, "" if a value is too long to be one.
func currencyIn(v json.RawMessage) string {
	if text, _ := value.Text(v); value.KindOf(v) == value.String && len(text) <= currencyMax {
		return strings.TrimSpace(text)
	}
	return ""
}

// minor is how many decimals amounts of a currency have, 0 if that is not known.
func minor(currency string) int {
	if n, ok := minorUnits[currency]; ok {
		return n
	}
	if len(currency) == 3 && strings.Trim(currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		return 2
	}
	return 0
}

// decimals writes a plain decimal with at least as many decimals as its currency has.
func decimals(number, currency string) string {
	least := minor(currency)
	whole, part, _ := strings.Cut(number, ".")
	if least == 0 || whole == "" || strings.Trim(strings.TrimPrefix(whole, "-")+part, "0123456789") != "" {
		return number
	}
	return whole + "." + part + strings.Repeat("0", max(least-len(part), 0))
}

// Date writes a date as people do, 8 Jan 2026, and a time with its zone. It is ""
// for anything else.
func Date(text string) string {
	if len(text) < len(time.DateOnly) || text[4] != '-' {
		return ""
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day.Format("2 Jan 2006")
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.UTC().Format("2 Jan 2006 15:04 UTC")
	}
	return ""
}

// Forms are the ways in which a text or a number may be written in words, for those
// who look for it there.
func Forms(text string) []string {
	line := Text(value.Quote(text))
	out := []string{line, Plain(line)}
	if all := []rune(oneLine(text)); len(all) > ValueMax {
		// Titles of earlier releases: cut anywhere, or with the punctuation after the last word.
		out = append(out, cutAt(all, ValueMax-1), cutAt(all, wordEnd(all, ValueMax)))
	}
	for _, currency := range []string{"EUR", "JPY", "KWD"} { // of two, no and three decimals
		out = append(out, Grouped(decimals(text, currency)))
	}
	if date := Date(text); date != "" {
		out = append(out, date)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
