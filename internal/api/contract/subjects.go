package contract

import (
	"time"

	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/view"
)

// subjectOperations manage the owners of names from an identity provider.
func subjectOperations() []Operation {
	all := Base + "/subjects"
	return []Operation{
		{
			Method: "GET", Path: all, ID: "listSubjects", Tag: "Access", Summary: "List names from the identity provider",
			Description: "For administrators. A name belongs to one person permanently; label is their current name at the " +
				"provider. Documents, delegations and stand-ins refer to people by name.",
			Console: true, Gives: view.List[BoundNameView]{},
		},
		{
			Method: "DELETE", Path: all + "/{name}", ID: "releaseSubject", Tag: "Access",
			Summary: "Release a name of the identity provider",
			Description: "For administrators. Sessions under the name end, and tokens of kind person that act under it are " +
				"revoked. Other people with that name can then sign in, under names of their own: everything " +
				"under the name stays with its owner. " +
				"With hand_over, the next person who signs in under the name gets it with everything under it: runs, " +
				"assignments, votes. Use it when the provider now knows the same person under another subject; it also " +
				"works for names of removed accounts.",
			Params: []request.Param{{Name: "hand_over", Kind: request.Flag, Fallback: false,
				Doc: "Hand everything under the name to the next person who signs in with it."}},
			Console: true, Changes: true, Gives: BoundNameView{},
		},
	}
}

// BoundNameView is the owner of a name.
type BoundNameView struct {
	Name    string    `json:"name"`
	Label   string    `json:"label"`    // The person's current name at the provider.
	Issuer  string    `json:"issuer"`   // The identity provider.
	Subject string    `json:"subject"`  // The person's permanent id at the provider.
	BoundAt time.Time `json:"bound_at"` // When the person first signed in with this name.
}
