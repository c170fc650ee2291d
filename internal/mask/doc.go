// Package mask hides values that not everybody may see. It is pure: it knows
// which places in documents are sensitive and which texts those places hold, and
// nothing about who asks.
//
//	rules, err := mask.Parse("iban", "customer.email", "input.customer.phone")
//	values := mask.NewValues()
//	rules.Collect(mask.Input, input, values)      // what the sensitive places of a run hold
//	m := mask.New(rules, values)
//	shown := m.Doc(mask.Input, input, nil)         // {"iban":"•••","note":"send it to •••"}
//
// One rule says what becomes of a sensitive value: every text, number, true and
// false in it becomes the text •••; objects keep their keys, lists their length,
// and null stays null. So the shape is still there and the content is not.
//
// What sensitive places hold is hidden wherever else it appears, too: in other
// fields, in the names of fields, and inside texts, if it has at least four
// characters. Shorter ones would hide half of every sentence.
package mask
