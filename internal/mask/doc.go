// Package mask masks values that not everyone may see. It is pure: it knows which places in documents are sensitive and
// which values they contain, and nothing about the reader.
//
//	rules, err := mask.Parse("iban", "customer.email", "input.customer.phone")
//	values := mask.NewValues()
//	rules.Collect(mask.Input, input, values)      // the values at sensitive places
//	m := mask.New(rules, values)
//	shown := m.Doc(mask.Input, input, nil)         // {"iban":"•••","note":"send it to •••"}
//
// A sensitive value is masked by one rule: every string, number and boolean in it becomes the string •••; objects keep
// their keys, lists their length, and null stays null. The shape remains, the content does not.
//
// Values from sensitive places are masked wherever else they appear: in other fields, in names of fields, and inside
// texts, if they have at least four characters. Shorter ones would mask half of every sentence.
package mask
