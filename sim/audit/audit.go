package audit

import "fmt"

type Case struct {
	Definitions map[string][]byte
	Policy      []byte
	People      []Person
	Runs        []Run
	Acks        []Ack
	Starts      []Start
	Quiet       bool
}
type Person struct {
	Name        string
	Roles       []string
	Agent       bool
	StandsInFor string
}
type Run struct {
	ID    string
	Lines [][]byte
}
type Ack struct {
	Run, ID     string
	First, Last int64
	Again       bool
	Report      *Report
}
type Report struct {
	Kind, Step         string
	Index, Rev, N, Try int
}
type Start struct {
	Run                string
	Seq                int64
	Kind, Work, Step   string
	Index, Rev, N, Try int
	Content            []byte
	Child              string
}
type Violation struct {
	Invariant, Run string
	Seq            int64
	Text           string
}

func (v *Violation) String() string { return fmt.Sprintf("%s: %s at %d: %s", v.Invariant, v.Run, v.Seq, v.Text) }
func Check(c Case) *Violation     { return nil }
