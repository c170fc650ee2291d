package audit

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// event is one line of a log. Data is parsed on demand.
type event struct {
	Run   string    `json:"run"`
	Seq   int64     `json:"seq"`
	At    time.Time `json:"at"`
	Type  string    `json:"type"`
	Actor struct {
		Kind string `json:"kind"`
		Name string `json:"name"`
	} `json:"actor"`
	Cause string          `json:"cause"`
	Data  json.RawMessage `json:"data"`
}

// word is a text, or any other type that other facts have in its place.
type word string

func (w *word) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	*w = word(text)
	return nil
}

func (w word) number() int {
	n, err := strconv.Atoi(string(w))
	if err != nil {
		return 0
	}
	return n
}

// fact has the fields of all facts that the auditor reads; which of them are used depends on the event's
// type.
type fact struct {
	// run.*
	Workflow string          `json:"workflow"`
	Input    json.RawMessage `json:"input"`
	Owner    string          `json:"owner"`
	TestMode bool            `json:"test_mode"`
	Held     bool            `json:"held"`
	Parent   *struct {
		Run string `json:"run"`
		Key string `json:"key"`
	} `json:"parent"`
	Output json.RawMessage `json:"output"`
	From   json.RawMessage `json:"from"` // a run, an agent or an actor
	AtSeq  int64           `json:"at_seq"`
	Edits  struct {
		Input   json.RawMessage            `json:"input"`
		Context json.RawMessage            `json:"context"`
		Outputs map[string]json.RawMessage `json:"outputs"`
	} `json:"edits"`
	// steps, turns, calls
	Step     string          `json:"step"`
	Index    *int            `json:"index"`
	Rev      int             `json:"rev"`
	Try      int             `json:"try"`
	Child    string          `json:"child"`
	Count    int             `json:"count"`
	Keeps    bool            `json:"keeps"`
	Why      string          `json:"why"`
	Redo     []string        `json:"redo"`
	Behalf   string          `json:"on_behalf_of"`
	Agent    string          `json:"agent"`
	No       int             `json:"no"`
	Round    int             `json:"round"`
	Result   *result         `json:"result"`
	Denied   bool            `json:"denied"`
	DryRun   bool            `json:"dry_run"`
	Args     json.RawMessage `json:"args"`
	Turn     json.RawMessage `json:"turn"` // a number, or what the model said
	Call     *call           `json:"call"`
	Spec     *toolSpec       `json:"spec"`
	To       word            `json:"to"`
	Limit    string          `json:"limit"`
	Status   string          `json:"status"`
	Steps    json.RawMessage `json:"steps"`
	Agents   json.RawMessage `json:"agents"`
	Layer    int             `json:"layer"`
	More     json.RawMessage `json:"more"`
	N        int             `json:"n"`
	Found    int             `json:"found"`
	Proposed *proposal       `json:"proposed"`
	Accepted bool            `json:"accepted"`
	Because  json.RawMessage `json:"because"`
	Deadline time.Time       `json:"deadline"`
	Usage    usage           `json:"usage"`
	Error    struct {
		Usage usage `json:"usage"`
	} `json:"error"`
	Advice struct {
		Action string `json:"action"`
		Usage  usage  `json:"usage"`
	} `json:"advice"`
	// approvals
	ID       string   `json:"id"`
	Spot     spot     `json:"spot"`
	Want     string   `json:"want"`
	Content  string   `json:"content"`
	Request  *request `json:"request"`
	Decision *struct {
		By         string          `json:"by"`
		OnBehalfOf string          `json:"on_behalf_of"`
		Role       string          `json:"role"`
		Act        string          `json:"act"`
		Option     string          `json:"option"`
		Changes    json.RawMessage `json:"changes"`
		Data       json.RawMessage `json:"data"`
		Comment    string          `json:"comment"`
		To         string          `json:"to"`
		Version    int             `json:"version"`
		Proposed   json.RawMessage `json:"proposed"`
	} `json:"decision"`
	Outcome *outcome `json:"outcome"`
	Then    string   `json:"then"`
}

// usage is what work cost.
type usage struct {
	CostUSD string `json:"cost_usd"`
}

type result struct {
	Output     json.RawMessage `json:"output"`
	Confidence *float64        `json:"confidence"`
	Error      string          `json:"error"`
	DryRun     bool            `json:"dry_run"`
	Usage      usage           `json:"usage"`
	Messages   []struct {
		To string `json:"to"`
	} `json:"messages"`
}

type call struct {
	ID   string          `json:"id"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
	Spec toolSpec        `json:"spec"`
}

// toolSpec is a host's knowledge of a tool when it was requested.
type toolSpec struct {
	Class          string           `json:"class"`
	Operation      string           `json:"operation"`
	Unknown        bool             `json:"unknown"`
	Effects        string           `json:"effects"`
	Implementation []implementation `json:"implementation"`
}

// implementation is a document that something is done with.
type implementation struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Version int    `json:"version"`
}

// words formats implementations as hosts record them.
func words(list []implementation) (out []string) {
	for _, im := range list {
		out = append(out, fmt.Sprintf("%s %s %d", im.Kind, im.Name, im.Version))
	}
	return out
}

type request struct {
	ID       string          `json:"id"`
	Kind     string          `json:"kind"`
	Gate     string          `json:"gate"`
	Call     string          `json:"call"`
	Proposed json.RawMessage `json:"proposed"`
	Rule     *struct {
		Name   string `json:"name"`
		Policy string `json:"policy"`
	} `json:"rule"`
	Subject *struct {
		Key string `json:"key"`
	} `json:"subject"`
	Action struct {
		Implementation []implementation `json:"implementation"`
	} `json:"action"`
}

type outcome struct {
	Status   string          `json:"status"`
	Act      string          `json:"act"`
	By       string          `json:"by"`
	Option   string          `json:"option"`
	Data     json.RawMessage `json:"data"`
	Proposed json.RawMessage `json:"proposed"`
	Cancel   bool            `json:"cancel"`
}

func (o *outcome) positive() bool {
	switch o.Act {
	case "approve", "modify", "choose", "submit":
		return o.Status != "cancelled"
	}
	return false
}

// spot is the position of an approval.
type spot struct {
	At    string `json:"at"`
	Step  string `json:"step"`
	Index *int   `json:"index"`
	Call  int    `json:"call"`
	Layer int    `json:"layer"`
	// Replan is the number of the search whose steps are proposed.
	Replan int `json:"replan"`
}

// place identifies a spot.
func (s spot) place() string {
	if s.At == "replan" {
		return placeOf(s.At, "", -1, s.Replan)
	}
	return placeOf(s.At, s.Step, indexOf(s.Index), s.Call)
}

func placeOf(at, step string, index, call int) string {
	return fmt.Sprintf("%s %s %d %d", at, step, index, call)
}

func indexOf(p *int) int {
	if p == nil {
		return -1
	}
	return *p
}
