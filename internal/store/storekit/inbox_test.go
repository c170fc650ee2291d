package storekit

import (
	"errors"
	"slices"
	"testing"

	"github.com/assent-run/assent/internal/port"
)

func TestReadersAreKeptApart(t *testing.T) {
	a := Facet{Workflow: "ab", Agent: "c"}
	b := Facet{Workflow: "a", Agent: "bc"}
	if a.Reader() == b.Reader() {
		t.Error("two facets have one reader")
	}
	for who, want := range map[string]bool{Anyone: true, Everything: true, a.Reader(): true, "ann": false,
		"**x": false, "role:*": false, a.Reader()[2:]: false} {
		if reserved(who) != want {
			t.Errorf("%s: reserved is %t", who, !want)
		}
	}
	f := FiledAs(&port.ApprovalRow{Workflow: "ab", Agent: "c", Asked: []string{"bob", "ann"}})
	if got, err := f.Readers(); err != nil || !slices.Equal(got, []string{Everything, "ann", "bob"}) {
		t.Errorf("filed under %v, %v", got, err)
	}
	f = FiledAs(&port.ApprovalRow{Asked: []string{port.Anyone, "eve"}})
	if got, err := f.Readers(); err != nil || !slices.Equal(got, []string{Anyone, Everything, "eve"}) {
		t.Errorf("open to anybody and passed on, filed under %v, %v", got, err)
	}
	f.Asked = ""
	if got, err := f.Readers(); err != nil || !slices.Equal(got, []string{Anyone, Everything}) {
		t.Errorf("open to anybody, filed under %v, %v", got, err)
	}
}

func TestFiltersNarrow(t *testing.T) {
	facets := []string{"f1", "f2"}
	many := make([]string, FacetsMax+1)
	for _, c := range []struct {
		name    string
		asked   []string
		facets  []string
		size    int
		who     []string
		among   bool
		nothing bool
	}{
		{"no facet matches", nil, nil, 0, []string{Everything}, false, true},
		{"few facets", nil, facets, 1 << 30, facets, false, false},
		{"too many facets", nil, many, 0, []string{Everything}, false, false},
		{"somebody's, of few", []string{"ann"}, facets, FewMax, facets, true, false},
		{"of a name that nobody can have", []string{"\x00"}, facets, FewMax, facets, true, false},
		{"somebody's, of many", []string{"ann"}, facets, FewMax + 1, []string{Anyone, "ann"}, false, false},
	} {
		p, err := PlanInbox(&port.ApprovalQuery{Status: []string{"pending"}, Workflow: "w", Asked: c.asked})
		if err != nil {
			t.Fatal(err)
		}
		err = p.Narrow(c.facets, func([]string, int) (int, error) { return c.size, nil })
		if err != nil || !slices.Equal(p.Who, c.who) || (p.Among != nil) != c.among || p.Empty != c.nothing {
			t.Errorf("%s: %+v, %v", c.name, p, err)
		}
		if filtering := p.Facet != (Facet{}); filtering == slices.Equal(p.Who, facets) {
			t.Errorf("%s: still filtering is %t", c.name, filtering)
		}
	}
	for n, narrowed := range map[int]bool{FacetsMax / 2: true, FacetsMax/2 + 1: false} {
		p, err := PlanInbox(&port.ApprovalQuery{Status: []string{"pending", "approved"}, Workflow: "w"})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Narrow(many[:n], nil); err != nil || (p.Facet == Facet{}) != narrowed {
			t.Errorf("%d facets in two statuses: %+v, %v", n, p.Facet, err)
		}
	}
	broken := errors.New("broken")
	p, _ := PlanInbox(&port.ApprovalQuery{Workflow: "w", Asked: []string{"ann"}})
	if err := p.Narrow(facets, func([]string, int) (int, error) { return 0, broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
}
