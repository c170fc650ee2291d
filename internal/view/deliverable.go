package view

import (
	"time"

	"github.com/assent-run/assent/internal/media"
	"github.com/assent-run/assent/internal/port"
)

// Deliverable is a result for people.
type Deliverable struct {
	ID       string `json:"id" holds:"id"`
	Run      string `json:"run" holds:"id"`
	Workflow string `json:"workflow" holds:"id"`
	Step     string `json:"step" holds:"id"`
	Agent    string `json:"agent" holds:"id"`
	Name     string `json:"name" holds:"text"`
	// What sort of thing it is: document, code, data, media or other.
	Type string `json:"type" holds:"id"`
	// How it stands: draft, final or archived.
	Status string `json:"status" holds:"id"`
	// The type of its bytes. It is detected if the bytes contradict the type reported by the agent.
	MIME        string `json:"mime_type" holds:"id"`
	Description string `json:"description" holds:"text"`
	// Where its bytes are: inline up to 1 MiB, in a file beyond, or external.
	Storage string `json:"storage" holds:"id"`
	// Where it lies outside; null if its bytes are here.
	URL *string `json:"url" holds:"text"`
	// How many bytes it has here.
	Size int64 `json:"size"`
	// How it can be shown: as text, as an image, or not at all (none).
	Preview string `json:"preview" holds:"id"`
	Version int    `json:"version"`
	// Whether it is the newest version of its name in the run.
	Newest    bool      `json:"newest"`
	CreatedAt time.Time `json:"created_at"`
	// When it was made or marked.
	UpdatedAt time.Time `json:"updated_at"`
	Masking
}

// Where the bytes of deliverables are.
const (
	storedInline   = "inline"
	storedFile     = "file"
	storedExternal = "external"
)

// inlineMax is the size from which content is stored as a separate file.
const inlineMax = 1 << 20

func DeliverableOf(r port.DeliverableRow) (Deliverable, error) {
	v := Deliverable{
		ID: r.ID, Run: r.Run, Workflow: r.Workflow, Step: r.Step, Agent: r.Agent, Name: r.Name, Type: r.Type,
		Status: r.Status, MIME: r.MIME,
		Description: r.Description, Storage: storedInline, URL: TextOrNil(r.URL), Size: r.Size,
		Preview: string(media.Shows(r.MIME)),
		Version: r.Version, Newest: r.Newest, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
	switch {
	case r.Blob == "":
		v.Storage, v.Preview = storedExternal, string(media.AsNone)
	case r.Size > inlineMax:
		v.Storage = storedFile
	}
	return v, nil
}

// FileName is the file name of a downloaded deliverable. Its name was chosen by an agent; this one is a plain file
// name and nothing else.
func FileName(v Deliverable) string { return media.File(v.Name) }
