package port

// Scope limits a list to the rows that its reader may know of. A row is shown, and counted, when any of these is true:
//   - All is set;
//   - its workflow matches one of Workflows;
//   - Name is set and owns the row's run;
//   - it is an approval that asks Name, a person in For, or one of Roles;
//   - it is a run with such an approval, or a deliverable or failure of one.
//
// A nil *Scope leaves nothing out. The zero Scope shows nothing at all: an approval without a particular assignee is
// for everyone who may see its workflow, not for everyone.
type Scope struct {
	All bool
	// Workflows are names; one that ends in * matches every name with that prefix. Nothing else in it has a special
	// meaning, and upper and lower case differ.
	Workflows []string
	Name      string
	For       []string // names of the people that Name stands in for; runs that they own are not shown
	Roles     []string // names without role:
}

// Everything reports whether nothing is left out.
func (s *Scope) Everything() bool { return s == nil || s.All }

// Asks are the entries of an approval's Asked that mean this reader.
func (s *Scope) Asks() []string {
	if s == nil {
		return nil
	}
	asks := make([]string, 0, 1+len(s.For)+len(s.Roles))
	if s.Name != "" {
		asks = append(asks, s.Name)
	}
	asks = append(asks, s.For...)
	for _, role := range s.Roles {
		asks = append(asks, "role:"+role)
	}
	return asks
}
