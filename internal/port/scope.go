package port

// Scope says which rows of a list its reader may know of. A row is shown, and
// counted, when any of these holds:
//
//   - All is set;
//   - its workflow matches one of Workflows;
//   - Name is set and owns the row's run;
//   - it is an approval that asks Name, somebody in For, or one of Roles;
//   - it is a run with such an approval, or a deliverable or failure of one.
//
// A nil *Scope leaves nothing out. The zero Scope shows nothing at all: an
// approval that asks nobody in particular is for everybody who may see its
// workflow, not for everybody.
type Scope struct {
	All bool
	// Workflows are names; one that ends in * stands for every name that
	// begins with what is before it. Nothing else in it has a meaning of its
	// own, and upper and lower case differ.
	Workflows []string
	Name      string
	For       []string // names of those Name stands in for; what they own is not shown
	Roles     []string // as they are called, without role:
}

// Everything says that there is nothing to leave out.
func (s *Scope) Everything() bool { return s == nil || s.All }

// Asks are the words under which an approval's Asked names this reader.
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
