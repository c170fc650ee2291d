package documents

import (
	"context"

	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/registry"
)

// Load publishes the documents of files and folders that changed since they were last
// loaded. The operator of the server calls it, so no permission is needed.
func (d *Documents) Load(ctx context.Context, by string, paths ...string) (registry.Loaded, error) {
	return d.registry.Load(ctx, by, false, paths...)
}

// LoadForced is Load for documents that make others in force invalid.
func (d *Documents) LoadForced(ctx context.Context, by string, paths ...string) (registry.Loaded, error) {
	return d.registry.Load(ctx, by, true, paths...)
}

// LoadSet is Load for documents that are not in files.
func (d *Documents) LoadSet(ctx context.Context, by string, set *definition.Set) (registry.Loaded, error) {
	return d.registry.LoadSet(ctx, by, set)
}

// Watch loads files whenever one of them changes, until ctx ends.
func (d *Documents) Watch(ctx context.Context, by string, told func(registry.Loaded, error), paths ...string) {
	d.registry.Watch(ctx, by, told, paths...)
}

// Gone lists the documents in force whose files were deleted since they were loaded.
func (d *Documents) Gone(ctx context.Context, paths ...string) ([]definition.Problem, error) {
	return d.registry.Gone(ctx, paths...)
}
