package plan

import "github.com/assent-run/assent/internal/core/value"

// Digest is the content hash of everything a run is bound to: the workflow's version with its agents as they
// were. Equal definitions have equal digests. It is empty for a definition that is not valid JSON, which
// Compile rejects.
func Digest(def *Definition) string {
	raw, err := value.Marshal(def)
	if err != nil {
		return ""
	}
	return value.Digest(raw)
}
