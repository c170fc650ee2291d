package notify

import (
	"encoding/json"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
)

// Message is a notification to one recipient. It is composed for them: it contains only what they may see, masked as
// it is masked for them everywhere else.
type Message struct {
	// Key is the idempotency key: the same for every attempt and every revision of the message, and for no other.
	Key   string
	Event Event
	At    time.Time // of the event
	// Thread is the same for all messages about one approval, or else about one run.
	Thread string

	Run      string
	Workflow string
	Approval string // empty: it is about the run
	Version  int    // of the approval

	Title string // one line: the question, or what happened
	// About is the name of the approval, the same in all messages of a thread; empty: Title is all there is.
	About string
	Text  string // a sentence or two
	// Due is by when it is to be decided, a sentence of its own: beside a Text in a script that is written from right to
	// left, its words and numbers would be shown in another order. Empty: there is no deadline.
	Due   string
	Facts []Fact // such as Workflow, Risk and Deadline
	// Details are what is decided on, whole: the proposal and everything shown with it. They are empty if that does not
	// fit into the channel.
	Details []Detail
	// Open is the address of the page. Opening it decides nothing.
	Open string
	// Links lead to other pages. They are left out where there is no room, and opening them changes nothing.
	Links []Link
	// Acts are the decisions that the recipient may take right here. There are none unless Details are complete, the
	// approval is pending, and the recipient may decide it.
	Acts []Act
	// Settled reports that there is nothing left to decide: Text says who decided what.
	Settled bool
	// Summary reports that it stands for several messages.
	Summary bool
	// Data is the payload for programs.
	Data json.RawMessage
}

// Fact is a labelled value.
type Fact struct{ Label, Value string }

// Link is the address of a page, with what to do there.
type Link struct{ Label, URL string }

// Detail is a part of what is decided on.
type Detail struct {
	Label string // such as Amount; empty: none
	Text  string // plain text, possibly of several lines
}

// Act is a decision that a message offers.
type Act struct {
	Act    gate.Act
	Label  string
	Option string // for choose
	// Comment reports that a comment is required.
	Comment bool
	Danger  bool // it should not look like the obvious choice
}
