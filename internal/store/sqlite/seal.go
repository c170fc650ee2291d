package sqlite

import (
	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/storekit"
)

var _ seal.Keeper = (*Store)(nil)

// sqlErase: replaced or deleted data does not stay in the file.
const sqlErase = `PRAGMA secure_delete = ON`

func (s *Store) keyTable() storekit.KeyTable {
	db := database{s}
	return aggregate.KeyTable{Query: db.Query, Lock: db.WriteAlone}
}
