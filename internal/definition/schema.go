package definition

import (
	"embed"
	"encoding/json"
	"slices"

	"github.com/assent-run/assent/internal/core/value"
)

//go:embed schema/*.json
var schemas embed.FS

// Schema is the JSON Schema (draft 2020-12) of one kind of document, with a description of every key, for editors
// that complete, explain and check. "" is the schema of any document, for files with several kinds. It is nil for an
// unknown kind.
//
// Editors see one document at a time; Check finds problems between documents.
func Schema(kind string) json.RawMessage {
	if kind == "" {
		return anySchema()
	}
	raw, err := schemas.ReadFile("schema/" + kind + ".json")
	if err != nil || !slices.Contains(Kinds, Kind(kind)) {
		return nil
	}
	compact, err := value.Compact(raw)
	if err != nil {
		return nil
	}
	return compact
}

// anySchema distinguishes documents as kindOf does.
func anySchema() json.RawMessage {
	type object = map[string]any
	var choice any = object{"$ref": "policy.json"} // as in specification 000
	var all []value.Member
	for _, k := range slices.Backward(heads) {
		choice = object{"if": object{"required": []Kind{k}}, "then": object{"$ref": string(k) + ".json"}, "else": choice}
		all = append(all, value.Member{Key: string(k), Value: Schema(string(k))})
	}
	body, err := value.Marshal(choice)
	if err != nil {
		return nil
	}
	return value.Object(
		value.Member{Key: "$schema", Value: value.Quote("https://json-schema.org/draft/2020-12/schema")},
		value.Member{Key: "$id", Value: value.Quote("https://assent.run/schema/document.json")},
		value.Member{Key: "title", Value: value.Quote("Assent document")},
		value.Member{Key: "type", Value: value.Quote("object")},
		value.Member{Key: "allOf", Value: value.Array(body)},
		value.Member{Key: "$defs", Value: value.Object(all...)},
	)
}
