package phrase

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/value"
)

// Names of fields that say how much, of what and for whom, the first that is
// there counting.
var (
	amountNames = []string{"amount", "total", "sum", "price", "value", "cost"}
	personNames = []string{"customer_name", "customer", "recipient", "to", "payee", "name", "email",
		"customer_id", "user", "account"}
	// recipientNames say by themselves that something goes to the person.
	recipientNames = []string{"recipient", "to", "payee"}
)

// Telling puts the two or three fields into words that tell an action from
// others of its kind.
func Telling(data json.RawMessage) string {
	currency := CurrencyOf(data)
	first := func(names []string) (name, text string) {
		for _, name := range names {
			v, _ := value.Get(data, name)
			inner, _ := value.Get(v, "name")
			for _, one := range []json.RawMessage{v, inner} {
				if k := value.KindOf(one); k == value.String || k == value.Number {
					return name, Typed(name, one, currency)
				}
			}
		}
		return "", ""
	}
	_, amount := first(amountNames)
	role, person := first(personNames)
	if amount != "" {
		amount = strings.TrimSpace(amount + " " + currency)
	}
	switch {
	case person != "" && (amount != "" || slices.Contains(recipientNames, role)):
		return strings.TrimSpace(amount + " to " + person)
	case amount != "":
		return amount
	}
	if words := Guess(data, 3); words != "" {
		return "· " + words
	}
	return ""
}
