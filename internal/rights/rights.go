// Package rights holds the use cases about what people may do: explaining it, and stand-ins, who decide for others.
//
//	why, err := rights.ExplainAccess(ctx, who, about, "apr_…")
//	set, err := rights.SetStandIn(ctx, who, "ann", directory.Change{To: "bob", Until: friday})
//
// Each authorises the caller with package guard. The rules are in package access, the people in package directory.
package rights

import (
	"github.com/assent-run/assent/internal/directory"
	"github.com/assent-run/assent/internal/guard"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/sight"
)

// Rights is what people may do, for themselves and for others. Any number of goroutines may use it.
type Rights struct {
	guard    *guard.Guard
	sight    *sight.Sight
	registry *registry.Registry
	people   *directory.People
}

// New creates the use cases.
func New(g *guard.Guard, s *sight.Sight, r *registry.Registry, people *directory.People) *Rights {
	return &Rights{guard: g, sight: s, registry: r, people: people}
}
