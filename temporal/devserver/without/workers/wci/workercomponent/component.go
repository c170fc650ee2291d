// Package workercomponent is the part of Temporal's server that would start workers.
package workercomponent

import "go.uber.org/fx"

// Module provides nothing.
var Module = fx.Options()
