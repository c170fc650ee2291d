package e2e

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// conversation is the script of a model, turn by turn, with faults and the reactions of people and tools. The
// format of files in testdata/conversation:
//
//	ends completed
//	agent limits: { iterations: 80 }
//	turn 1: I look two of them up.
//	  call crm_lookup {"id":1}           its id is t1c1
//	  call refund {"id":2,"amount":30}
//	  trouble 429 3                      three requests get this status first
//	  tool c1 503 1                      the first call of the tool gets that
//	  modify c2 {"amount":20} because at most 20
//	turn 2: Done.
//	  hears at most 20                   the request has these words
//
// Faults come in the order they are written, each as often as its number:
//
//	trouble 429 3 [after 1]        a status; with the header Retry-After
//	trouble cut 120 2              the stream breaks after so many bytes
//	trouble overloaded 1           the stream ends in an event of an error
//	trouble refusal 1              the model refuses
//	trouble slow 200               milliseconds between two pieces
//
// Arguments are everything to the end of the line, JSON or not.
type conversation struct {
	status string   // how the run ends
	why    string   // the code of its failure, or the limit
	agent  []string // more lines of the agent's document
	turns  []turn
}

type turn struct {
	says     string
	calls    []wanted
	troubles []trouble // one per request
	slow     int       // milliseconds between two pieces
	hears    []string
	message  string // a message sent while the model works
	resume   bool   // after the failure of this turn the run is resumed
}

// wanted is a call that the model makes, and its outcome.
type wanted struct {
	id, tool, args string
	act            string // of a person: approve, reject, modify, answer; empty: no approval
	changes        string
	comment        string
	fails          []int // statuses that the tool answers with first
}

type trouble struct {
	kind   string // status, cut, overloaded, refusal
	number int
	after  string
}

func readConversation(name string) (*conversation, error) {
	raw, err := os.ReadFile("testdata/conversation/" + name)
	if err != nil {
		return nil, err
	}
	return parseConversation(string(raw))
}

func parseConversation(text string) (*conversation, error) {
	c := &conversation{status: "completed"}
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		if err := c.take(word, strings.TrimSpace(rest)); err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	return c, nil
}

func (c *conversation) take(word, rest string) error {
	switch word {
	case "ends":
		c.status, c.why, _ = strings.Cut(rest, " ")
		return nil
	case "agent":
		c.agent = append(c.agent, rest)
		return nil
	case "turn":
		number, says, _ := strings.Cut(rest, ":")
		c.turns = append(c.turns, turn{says: strings.TrimSpace(says)})
		if number != strconv.Itoa(len(c.turns)) {
			return fmt.Errorf("turn %s is the %d.", number, len(c.turns))
		}
		return nil
	}
	if len(c.turns) == 0 {
		return fmt.Errorf("%s stands before the first turn", word)
	}
	t := &c.turns[len(c.turns)-1]
	switch word {
	case "call":
		tool, args, _ := strings.Cut(rest, " ")
		t.calls = append(t.calls, wanted{id: fmt.Sprintf("t%dc%d", len(c.turns), len(t.calls)+1), tool: tool,
			args: strings.TrimSpace(args)})
	case "hears":
		t.hears = append(t.hears, rest)
	case "message":
		t.message = rest
	case "resume":
		t.resume = true
	case "trouble":
		return t.trouble(strings.Fields(rest))
	default:
		return t.about(word, rest)
	}
	return nil
}

func (t *turn) trouble(words []string) error {
	var numbers []int
	after := ""
	for i, w := range words {
		if w == "after" && i+1 < len(words) {
			after = words[i+1]
			break
		}
		if n, err := strconv.Atoi(w); err == nil {
			numbers = append(numbers, n)
		}
	}
	if len(numbers) == 0 {
		return fmt.Errorf("trouble needs a number: %v", words)
	}
	one := trouble{kind: words[0], after: after}
	times := numbers[len(numbers)-1]
	switch {
	case words[0] == "slow":
		t.slow = numbers[0]
		return nil
	case words[0] == "cut" && len(numbers) == 2, words[0] != "cut" && len(numbers) == 2:
		one.number = numbers[0]
	case words[0] != "overloaded" && words[0] != "refusal":
		return fmt.Errorf("%v is no trouble", words)
	}
	if _, err := strconv.Atoi(words[0]); err == nil {
		one.kind = "status"
	}
	for range times {
		t.troubles = append(t.troubles, one)
	}
	return nil
}

// about parses what happens to one call of the turn.
func (t *turn) about(word, rest string) error {
	which, rest, _ := strings.Cut(rest, " ")
	n, err := strconv.Atoi(strings.TrimPrefix(which, "c"))
	if err != nil || n < 1 || n > len(t.calls) {
		return fmt.Errorf("%s: there is no call %s", word, which)
	}
	call := &t.calls[n-1]
	switch word {
	case "tool":
		var status, times int
		if _, err := fmt.Sscanf(rest, "%d %d", &status, &times); err != nil {
			return err
		}
		for range times {
			call.fails = append(call.fails, status)
		}
		return nil
	case "modify":
		call.changes, call.comment, _ = strings.Cut(rest, " because ")
	case "approve", "reject", "answer":
		call.comment = rest
	default:
		return fmt.Errorf("%s means nothing here", word)
	}
	call.act = word
	return nil
}

// find returns the call of that id.
func (c *conversation) find(id string) *wanted {
	for i := range c.turns {
		for k := range c.turns[i].calls {
			if w := &c.turns[i].calls[k]; w.id == id {
				return w
			}
		}
	}
	return nil
}
