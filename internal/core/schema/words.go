package schema

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// formatExamples shows what a format looks like to people who do not know its name; Sample takes its values
// from here.
var formatExamples = map[string]string{
	"date":                  "2026-01-31",
	"time":                  "12:00:00Z",
	"date-time":             "2026-01-31T12:00:00Z",
	"duration":              "P1D",
	"email":                 "ann@example.com",
	"idn-email":             "ann@example.com",
	"hostname":              "example.com",
	"idn-hostname":          "example.com",
	"ipv4":                  "192.0.2.1",
	"ipv6":                  "2001:db8::1",
	"uri":                   "https://example.com/",
	"iri":                   "https://example.com/",
	"uri-reference":         "/path",
	"iri-reference":         "/path",
	"uri-template":          "/items/{id}",
	"uuid":                  "123e4567-e89b-12d3-a456-426614174000",
	"json-pointer":          "/path",
	"relative-json-pointer": "0/path",
	"regex":                 "^a+$",
	"semver":                "1.0.0",
	"period":                "2026-01-31T12:00:00Z/P1D",
}

// sentence explains what one keyword expected and what it got.
func (e *explainer) sentence(path []string, k jsonschema.ErrorKind) string {
	got := e.got(path)
	switch k := k.(type) {
	case *kind.Type:
		return fmt.Sprintf("expected %s, got %s", typeNames(k.Want), got)
	case *kind.Const:
		return fmt.Sprintf("expected %s, got %s", show(k.Want), got)
	case *kind.Enum:
		return fmt.Sprintf("expected %s, got %s", oneOf(k.Want), got)
	case *kind.Format:
		if k.Want == "regex" {
			return fmt.Sprintf("the pattern %s cannot be used: %v", got, k.Err)
		}
		return fmt.Sprintf("expected %s, got %s", formatName(k.Want), got)
	case *kind.Pattern:
		return fmt.Sprintf("expected text that matches %s, got %s", short(k.Want), got)
	case *kind.Minimum:
		return fmt.Sprintf("expected at least %s, got %s", number(k.Want), got)
	case *kind.Maximum:
		return fmt.Sprintf("expected at most %s, got %s", number(k.Want), got)
	case *kind.ExclusiveMinimum:
		return fmt.Sprintf("expected more than %s, got %s", number(k.Want), got)
	case *kind.ExclusiveMaximum:
		return fmt.Sprintf("expected less than %s, got %s", number(k.Want), got)
	case *kind.MultipleOf:
		return fmt.Sprintf("expected a multiple of %s, got %s", number(k.Want), got)
	case *kind.MinLength:
		return fmt.Sprintf("expected at least %s, got %d", count(k.Want, "character"), k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("expected at most %s, got %d", count(k.Want, "character"), k.Got)
	case *kind.MinItems:
		return fmt.Sprintf("expected at least %s, got %d", count(k.Want, "item"), k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("expected at most %s, got %d", count(k.Want, "item"), k.Got)
	case *kind.MinProperties:
		return fmt.Sprintf("expected at least %s, got %d", count(k.Want, "property"), k.Got)
	case *kind.MaxProperties:
		return fmt.Sprintf("expected at most %s, got %d", count(k.Want, "property"), k.Got)
	case *kind.UniqueItems:
		return fmt.Sprintf("expected items that all differ, got the same at %d and %d", k.Duplicates[0], k.Duplicates[1])
	case *kind.AdditionalItems:
		return fmt.Sprintf("expected no further items, got %d too many", k.Count)
	case *kind.Contains:
		return "expected an item of a certain form, got none"
	case *kind.MinContains:
		return fmt.Sprintf("expected at least %s of a certain form, got %d", count(k.Want, "item"), len(k.Got))
	case *kind.MaxContains:
		return fmt.Sprintf("expected at most %s of a certain form, got %d", count(k.Want, "item"), len(k.Got))
	case *kind.Dependency:
		return needs(k.Prop, k.Missing)
	case *kind.DependentRequired:
		return needs(k.Prop, k.Missing)
	case *kind.Not:
		return fmt.Sprintf("%s is of a form that is not allowed here", got)
	case *kind.FalseSchema:
		return fmt.Sprintf("expected nothing here, got %s", got)
	case *kind.RefCycle:
		return "the schema refers to itself endlessly"
	}
	return "does not satisfy " + short(strings.Join(k.KeywordPath(), "/"))
}

func needs(prop string, missing []string) string {
	var names []string
	for _, m := range missing[:min(len(missing), 10)] {
		names = append(names, quoted(m))
	}
	return fmt.Sprintf("with the property %s also %s must be there", quoted(prop), strings.Join(names, " and "))
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// number formats a limit exactly if it is short.
func number(r *big.Rat) string {
	if text := decimal(r); len(text) <= shownMax {
		return text
	}
	f, _ := r.Float64()
	return fmt.Sprintf("about %g", f)
}

func oneOf(wanted []any) string {
	if len(wanted) == 1 {
		return show(wanted[0])
	}
	var said []string
	for i, w := range wanted {
		if i == 10 && len(wanted) > 11 {
			said = append(said, fmt.Sprintf("… (%d in all)", len(wanted)))
			break
		}
		said = append(said, show(w))
	}
	return "one of " + strings.Join(said, ", ")
}

func typeNames(types []string) string {
	if slices.Contains(types, "number") {
		types = slices.DeleteFunc(slices.Clone(types), func(t string) bool { return t == "integer" })
	}
	var said []string
	for _, t := range types {
		switch t {
		case "null":
			said = append(said, "null")
		case "boolean":
			said = append(said, "true or false")
		case "array", "integer", "object":
			said = append(said, "an "+t)
		default:
			said = append(said, "a "+t)
		}
	}
	return strings.Join(said, " or ")
}

func formatName(format string) string {
	if example, ok := formatExamples[format]; ok {
		return fmt.Sprintf("the format %s (such as %s)", format, example)
	}
	return "the format " + short(format)
}
