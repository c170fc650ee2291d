package definition

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/definition/tree"
)

// LoadPath loads a folder, or one file, of this machine. Nothing outside the folder is read, wherever links lead.
func LoadPath(name string) (*Set, []Problem) {
	info, err := os.Stat(name)
	if err != nil {
		return NewSet(), []Problem{unreadable(name, err)}
	}
	dir, root := name, "."
	if !info.IsDir() {
		dir, root = filepath.Dir(name), filepath.Base(name)
	}
	r, err := os.OpenRoot(dir)
	if err != nil {
		return NewSet(), []Problem{unreadable(name, err)}
	}
	defer r.Close()
	f := newFolder(r.FS())
	f.prefix = filepath.ToSlash(dir)
	return f.load(root)
}

// Load reads every *.yaml, *.yml and *.json below root, in the order of their names, or root itself if it is a
// file. Names that begin with a dot are skipped. Links are followed as long as they stay inside fsys.
//
// JSON that declares itself a schema, or that a document here refers to, is not a document. Other unrelated JSON
// is a warning.
func Load(fsys fs.FS, root string) (*Set, []Problem) { return newFolder(fsys).load(root) }

// folder reads files and knows which of them are schemas.
type folder struct {
	fsys   fs.FS
	prefix string // shown before file names
	left   int    // bytes that may still be read
	used   map[string]bool
	docs   map[string]*tree.Node // schemas by file
}

func newFolder(fsys fs.FS) *folder {
	return &folder{fsys: fsys, left: FolderMax, used: map[string]bool{}, docs: map[string]*tree.Node{}}
}

// shown is a file's name as displayed.
func (f *folder) shown(name string) string {
	if f.prefix == "" || f.prefix == "." {
		return name
	}
	return path.Join(f.prefix, name)
}

func unreadable(name string, err error) Problem {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return Problem{File: name, Problem: fault.Problem{Message: fmt.Sprintf("cannot be read: %v", err)}}
}

func (f *folder) load(root string) (*Set, []Problem) {
	b := newBatch(f)
	names, problems := f.names(path.Clean(root))
	b.problems = problems
	for _, name := range names {
		data, err := f.readFile(name)
		if err != nil {
			b.problems = append(b.problems, unreadable(f.shown(name), err))
			if errors.Is(err, errFolderMax) {
				break
			}
			continue
		}
		b.file(name, FormatOf(name), data)
	}
	return b.finish()
}

// names lists the files to load, sorted.
func (f *folder) names(root string) (names []string, problems []Problem) {
	info, err := fs.Stat(f.fsys, root)
	if err != nil {
		return nil, []Problem{unreadable(f.shown(root), err)}
	}
	if !info.IsDir() {
		return []string{root}, nil
	}
	entries := 0
	err = fs.WalkDir(f.fsys, root, func(name string, d fs.DirEntry, err error) error {
		if entries++; entries > EntriesMax {
			return errEntriesMax
		}
		switch {
		case err != nil:
			problems = append(problems, unreadable(f.shown(name), err))
			return nil
		case name != root && strings.HasPrefix(d.Name(), ".") && d.IsDir():
			return fs.SkipDir
		case strings.HasPrefix(d.Name(), ".") || d.IsDir() || !isOurs(name):
			return nil
		}
		if names = append(names, name); len(names) > FilesMax {
			return errFilesMax
		}
		return nil
	})
	if err != nil {
		problems = append(problems, unreadable(f.shown(root), err))
		names = names[:min(len(names), FilesMax)]
	}
	slices.Sort(names)
	return names, problems
}

// isOurs reports whether a file may contain documents. Sample inputs (input.json, input-large.json) are stored
// next to documents and contain none.
func isOurs(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".yaml", ".yml":
		return true
	case ".json":
		return !strings.HasPrefix(path.Base(name), "input")
	}
	return false
}

var (
	errFilesMax   = fmt.Errorf("there are more than %d files", FilesMax)
	errEntriesMax = fmt.Errorf("it has too many entries: at most %d files and folders are read", EntriesMax)
	errFolderMax  = fmt.Errorf("the files have more than %s together", phrase.Bytes(FolderMax))
	errOutside    = errors.New("it points outside the folder")
	errLinks      = errors.New("its links cannot be resolved")
	errNoFile     = errors.New("it is not a regular file")
)

// readFile reads a regular file, within the limits.
func (f *folder) readFile(name string) ([]byte, error) {
	real, err := f.resolve(name)
	if err != nil {
		return nil, err
	}
	// Before it is opened: a named pipe would block until there is a writer.
	info, err := fs.Stat(f.fsys, real)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errNoFile
	case info.Size() > int64(f.left):
		return nil, errFolderMax
	case info.Size() > tree.SizeMax:
		return nil, fmt.Errorf("it has %s; the maximum is %s", phrase.Bytes(info.Size()), phrase.Bytes(tree.SizeMax))
	}
	data, err := f.readAll(real)
	f.left -= len(data)
	return data, err
}

// readAll does not trust the size of a file: some grow while they are read, and system files report a size of 0.
func (f *folder) readAll(name string) (data []byte, err error) {
	file, err := f.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	data, err = io.ReadAll(io.LimitReader(file, tree.SizeMax+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > tree.SizeMax:
		return nil, fmt.Errorf("it has more than %s, the maximum", phrase.Bytes(tree.SizeMax))
	case len(data) > f.left:
		return nil, errFolderMax
	}
	return data, nil
}

// resolve follows links itself, so that none leads out of fsys, whatever fsys would allow.
func (f *folder) resolve(name string) (string, error) {
	done, rest := ".", name
	for hops := 0; rest != ""; {
		if !fs.ValidPath(rest) {
			return "", errOutside
		}
		var first string
		first, rest, _ = strings.Cut(rest, "/")
		at := path.Join(done, first)
		info, err := fs.Lstat(f.fsys, at)
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			done = at
			continue
		}
		if hops++; hops > 40 {
			return "", errLinks
		}
		target, err := fs.ReadLink(f.fsys, at)
		if err != nil {
			return "", err
		}
		target = filepath.ToSlash(target)
		if path.IsAbs(target) || filepath.IsAbs(target) {
			return "", errOutside
		}
		if rest = path.Join(done, target, rest); rest == ".." || strings.HasPrefix(rest, "../") {
			return "", errOutside
		}
		done = "."
	}
	return done, nil
}
