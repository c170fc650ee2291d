package builtin

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// Limits of a run's files.
const (
	readMax      = 48 << 10  // bytes returned by one read: what a model sees in full
	fileMax      = 16 << 20  // bytes of one file
	workspaceMax = 256 << 20 // bytes of all files of a run
	filesMax     = 10_000    // files of a run
	listMax      = 500       // entries that one list returns
	pathMax      = 1000
	depthMax     = 30
)

// files are the tools on a run's own directory. Every path goes through an os.Root: the system itself refuses
// to leave it, whatever links do in the meantime.
type files struct {
	workspace string
	brought   func(agent string) map[string]string
	laying    sync.Mutex // the workspace belongs to one process
}

func (f *files) tools() []*Tool {
	return []*Tool{
		{
			ReadOnly: true,
			Tool: definition.Tool{
				Name: "read_file", Risk: risk.Safe, Describe: "Read the file {{.path}}", Sample: json.RawMessage(`{"text":""}`),
				Description: fmt.Sprintf("Read a file of this run's workspace. At most %s are returned; next is where "+
					"to continue, as start.", phrase.Bytes(readMax)),
				Args: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","minLength":1,"maxLength":1000,"description":"relative, such as notes/plan.md"},
					"start":{"type":"integer","minimum":0,"description":"first byte, 0 unless given"}},"required":["path"],"additionalProperties":false}`),
			},
			Run: f.read,
		},
		{
			Tool: definition.Tool{
				Name: "write_file", Operation: "write_file", Describe: "Write the file {{.path}}",
				Sample: json.RawMessage(`{"ok":true}`),
				Description: "Write a whole file of this run's workspace, replacing its content. Directories are created " +
					"as needed. Files are for work in progress: people get results by create_deliverable.",
				Args: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","minLength":1,"maxLength":1000,"description":"relative, such as notes/plan.md"},
					"content":{"type":"string"},"content_base64":{"type":"string"}},"required":["path"],"additionalProperties":false}`),
			},
			Run: f.write,
		},
		{
			ReadOnly: true,
			Tool: definition.Tool{
				Name: "list_files", Risk: risk.Safe, Describe: "List the files{{if .path}} in {{.path}}{{end}}",
				Sample:      json.RawMessage(`{"files":[]}`),
				Description: fmt.Sprintf("List the files of this run's workspace, or of a directory in it, %d at most.", listMax),
				Args: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","maxLength":1000,"description":"directory; the whole workspace unless given"},
					"recursive":{"type":"boolean"}},"additionalProperties":false}`),
			},
			Run: f.list,
		},
	}
}

// open opens the directory of a run. Its name does not come from a model, but it is validated anyway.
func (f *files) open(id string) (*os.Root, error) {
	if f.workspace == "" {
		return nil, errors.New("no workspace is available")
	}
	if id == "" || len(id) > 200 || strings.ContainsFunc(id, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	}) {
		return nil, fmt.Errorf("%q is not the name of a run", id)
	}
	if err := os.MkdirAll(f.workspace, 0o700); err != nil {
		return nil, fmt.Errorf("make the workspace: %w", err)
	}
	all, err := os.OpenRoot(f.workspace)
	if err != nil {
		return nil, fmt.Errorf("open the workspace: %w", err)
	}
	defer all.Close()
	if err := all.Mkdir(id, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("make the workspace: %w", err)
	}
	root, err := all.OpenRoot(id)
	if err != nil {
		return nil, fmt.Errorf("open the workspace: %w", err)
	}
	return root, nil
}

// lay adds an agent's files where they are missing. Files are never deleted, so an existing one was added
// before or is newer.
func (f *files) lay(root *os.Root, agent string) error {
	if f.brought == nil || agent == "" {
		return nil
	}
	f.laying.Lock()
	defer f.laying.Unlock()
	for name, text := range f.brought(agent) {
		name, err := local(name)
		if err != nil {
			return fmt.Errorf("the files of agent %s: %w", agent, err)
		}
		if _, err := root.Lstat(name); err == nil {
			continue
		}
		if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
			return fmt.Errorf("the files of agent %s: %w", agent, err)
		}
		temp := path.Join(path.Dir(name), partial+"laid")
		if err := root.WriteFile(temp, []byte(text), 0o600); err != nil {
			return fmt.Errorf("the files of agent %s: %w", agent, err)
		}
		if err := root.Rename(temp, name); err != nil {
			return fmt.Errorf("the files of agent %s: %w", agent, err)
		}
	}
	return nil
}

// local turns a model's path into one below the root. Rejecting early gives a better message than the
// system's; the root is what keeps it inside.
func local(p string) (string, error) {
	switch {
	case len(p) > pathMax:
		return "", fmt.Errorf("the path has more than %d bytes", pathMax)
	case strings.ContainsAny(p, "\x00\\"):
		return "", fmt.Errorf("%q: a path has no NUL and no backslash", p)
	case path.IsAbs(p):
		return "", fmt.Errorf("%q: paths are relative to the workspace", p)
	}
	p = path.Clean(p)
	switch {
	case p == ".." || strings.HasPrefix(p, "../"):
		return "", fmt.Errorf("%q leads out of the workspace", p)
	case strings.Count(p, "/") >= depthMax:
		return "", fmt.Errorf("%q is more than %d directories deep", p, depthMax)
	}
	return p, nil
}

// with opens the workspace for one call. A problem with a path is the tool's own error; a workspace that
// cannot be opened is a failure.
func (f *files) with(w port.ToolWork, given string,
	do func(root *os.Root, name string) (run.CallResult, error)) (run.CallResult, error) {
	name, err := local(given)
	if err != nil {
		return no("%v", err), nil
	}
	root, err := f.open(w.Run)
	if err != nil {
		return run.CallResult{}, &port.Failed{Failure: run.Failure{Code: "workspace", Message: err.Error()}}
	}
	defer root.Close()
	if err := f.lay(root, w.Agent); err != nil {
		return run.CallResult{}, &port.Failed{Failure: run.Failure{Code: "workspace", Message: err.Error()}}
	}
	r, err := do(root, name)
	var at *fs.PathError
	if errors.As(err, &at) {
		return no("%s: %v", name, at.Err), nil // without the path on this machine
	}
	return r, err
}

func (f *files) read(_ context.Context, w port.ToolWork, _ func(port.Progress)) (run.CallResult, error) {
	var args struct {
		Path  string `json:"path"`
		Start number `json:"start"`
	}
	if err := json.Unmarshal(w.Args, &args); err != nil {
		return no("%v", err), nil
	}
	return f.with(w, args.Path, func(root *os.Root, name string) (run.CallResult, error) {
		file, err := root.OpenFile(name, os.O_RDONLY|nonblocking, 0)
		if err != nil {
			return run.CallResult{}, err
		}
		defer file.Close()
		info, err := file.Stat()
		switch {
		case err != nil:
			return run.CallResult{}, err
		case info.IsDir():
			return no("%s is a directory: use list_files", name), nil
		case !info.Mode().IsRegular():
			return no("%s is not a file", name), nil
		}
		size, start := info.Size(), int64(args.Start)
		if start > size {
			return no("%s has only %d bytes", name, size), nil
		}
		body, err := io.ReadAll(io.NewSectionReader(file, start, readMax))
		if err != nil {
			return run.CallResult{}, err
		}
		body, text := whole(body, start+int64(len(body)) < size)
		out := struct {
			Path string  `json:"path"`
			Size int64   `json:"size"`
			Text *string `json:"text,omitempty"`
			Data []byte  `json:"content_base64,omitempty"`
			Next int64   `json:"next,omitempty"`
		}{Path: name, Size: size}
		if text {
			s := string(body)
			out.Text = &s
		} else {
			out.Data = body
		}
		if end := start + int64(len(body)); end < size {
			out.Next = end
		}
		return yes(out)
	})
}

// whole truncates text at a character boundary, and reports whether it is text at all.
func whole(b []byte, more bool) ([]byte, bool) {
	if utf8.Valid(b) {
		return b, true
	}
	for cut := 1; more && cut < utf8.UTFMax && cut < len(b); cut++ {
		if utf8.Valid(b[:len(b)-cut]) {
			return b[:len(b)-cut], true
		}
	}
	return b, false
}

// partial is the prefix of temporary files.
const partial = ".assent-partial-"

func (f *files) write(_ context.Context, w port.ToolWork, _ func(port.Progress)) (run.CallResult, error) {
	var args struct {
		Path    string  `json:"path"`
		Content *string `json:"content"`
		Base64  *string `json:"content_base64"`
	}
	if err := json.Unmarshal(w.Args, &args); err != nil {
		return no("%v", err), nil
	}
	if (args.Content == nil) == (args.Base64 == nil) {
		return no("give either content or content_base64"), nil
	}
	var body []byte
	if args.Content != nil {
		body = []byte(*args.Content)
	} else {
		var err error
		if body, err = base64.StdEncoding.DecodeString(*args.Base64); err != nil {
			return no("content_base64 is not base64"), nil
		}
	}
	if len(body) > fileMax {
		return no("the content has %s; a file has at most %s", phrase.Bytes(len(body)), phrase.Bytes(fileMax)), nil
	}
	return f.with(w, args.Path, func(root *os.Root, name string) (run.CallResult, error) {
		if why := room(root, int64(len(body))); why != "" {
			return no("%s", why), nil
		}
		if info, err := root.Stat(name); err == nil && !info.Mode().IsRegular() {
			return no("%s is not a file", name), nil
		}
		if dir := path.Dir(name); dir != "." {
			if err := root.MkdirAll(dir, 0o700); err != nil {
				return run.CallResult{}, err
			}
		}
		// Atomically, so that a crash leaves the old file or the new one. The same call uses the same
		// temporary name, so leftovers are found again.
		temp := path.Join(path.Dir(name), partial+value.Digest([]byte(w.Key), []byte(name))[len("sha256:"):][:16])
		if err := root.WriteFile(temp, body, 0o600); err != nil {
			return run.CallResult{}, err
		}
		if err := root.Rename(temp, name); err != nil {
			_ = root.Remove(temp)
			var at *os.LinkError
			if errors.As(err, &at) {
				return no("%s: %v", name, at.Err), nil
			}
			return run.CallResult{}, err
		}
		return yes(struct {
			OK   bool   `json:"ok"`
			Path string `json:"path"`
			Size int    `json:"size"`
		}{true, name, len(body)})
	})
}

// room returns why a workspace cannot take another file.
func room(root *os.Root, more int64) string {
	count, size := 0, more
	_ = fs.WalkDir(root.FS(), ".", func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // deleted in the meantime, or not readable
		}
		if count++; count > filesMax {
			return fs.SkipAll
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	switch {
	case count > filesMax:
		return fmt.Sprintf("the workspace is full: it has %s files", phrase.Grouped(strconv.Itoa(filesMax)))
	case size > workspaceMax:
		return fmt.Sprintf("the workspace is full: all files together may have %s", phrase.Bytes(workspaceMax))
	}
	return ""
}

type entry struct {
	Path string `json:"path"`
	Type string `json:"type"`
	Size int64  `json:"size,omitempty"`
}

func (f *files) list(_ context.Context, w port.ToolWork, _ func(port.Progress)) (run.CallResult, error) {
	var args struct {
		Path      string `json:"path"`
		Recursive bool   `json:"recursive"`
	}
	if err := json.Unmarshal(w.Args, &args); err != nil {
		return no("%v", err), nil
	}
	return f.with(w, args.Path, func(root *os.Root, name string) (run.CallResult, error) {
		out := struct {
			Files []entry `json:"files"`
			More  bool    `json:"more,omitempty"`
		}{Files: []entry{}}
		info, err := root.Stat(name)
		if err != nil {
			return run.CallResult{}, err
		}
		if !info.IsDir() {
			return no("%s is not a directory", name), nil
		}
		err = fs.WalkDir(root.FS(), name, func(p string, e fs.DirEntry, err error) error {
			switch {
			case err != nil || p == name:
				return err
			case strings.HasPrefix(e.Name(), partial):
				return nil
			case len(out.Files) == listMax:
				out.More = true
				return fs.SkipAll
			}
			out.Files = append(out.Files, entryOf(p, e))
			if e.IsDir() && !args.Recursive {
				return fs.SkipDir
			}
			return nil
		})
		if err != nil {
			return run.CallResult{}, err
		}
		slices.SortFunc(out.Files, func(a, b entry) int { return strings.Compare(a.Path, b.Path) })
		return yes(out)
	})
}

func entryOf(p string, e fs.DirEntry) entry {
	out := entry{Path: p, Type: "file"}
	switch {
	case e.IsDir():
		out.Type = "directory"
	case e.Type()&fs.ModeSymlink != 0:
		out.Type = "link"
	case !e.Type().IsRegular():
		out.Type = "other"
	default:
		if info, err := e.Info(); err == nil {
			out.Size = info.Size()
		}
	}
	return out
}
