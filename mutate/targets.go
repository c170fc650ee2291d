package main

import "strings"

// targets are the packages where a bug that no test notices would cost most:
// code that decides, authorises, proves and stores.
var targets = []string{
	"internal/core/gate", "internal/core/policy", "internal/core/risk", "internal/core/value",
	"internal/core/quantity", "internal/core/phrase", "internal/core/expr", "internal/core/schema",
	"internal/core/plan", "internal/core/run", "internal/core/loop",
	"internal/core/cron", "internal/core/machine", "internal/core/sums", "internal/core/asking",
	"internal/core/decide", "internal/core/forking", "internal/schedule",
	"internal/access", "internal/auth", "internal/seal", "internal/audit",
	"internal/engine", "internal/engine/local",
	"internal/store/storekit", "internal/store/commit", "internal/store/aggregate", "internal/store/sqlite",
	"internal/store/postgres",
}

// alsoTestedBy lists the packages whose tests are run for a mutant that the
// package's own tests did not notice.
func alsoTestedBy(dir string) []string {
	switch {
	case dir == "internal/core/decide":
		return []string{"sim"}
	case strings.HasPrefix(dir, "internal/core/"):
		return []string{"internal/core/decide"}
	case dir == "internal/access":
		return []string{"internal/app"}
	case dir == "internal/engine/local":
		return []string{"sim"}
	case dir == "internal/engine":
		return []string{"internal/engine/local"}
	case dir == "internal/store/storekit", dir == "internal/store/commit", dir == "internal/store/aggregate",
		dir == "internal/seal":
		return []string{"internal/store/sqlite"}
	}
	return nil
}
