package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/seal"
)

// Operations on the keys.
const (
	KeysList    = "list"
	KeysRotate  = "rotate"  // use the first one in the settings
	KeysRewrite = "rewrite" // re-encrypt a part of all values
	KeysEncrypt = "encrypt" // encrypt a part of those that are not
)

// manageKeys executes `assent keys`.
func (a *admin) manageKeys(ctx context.Context, ask Admin) (out AdminAnswer, err error) {
	keeper, ok := a.store.(seal.Keeper)
	if !ok {
		return out, errors.New("this store does not support encryption")
	}
	switch ask.Keys {
	case KeysList:
	case KeysRotate:
		out.Rewrapped, err = a.rotate(ctx, keeper, ask.By)
	case KeysRewrite, KeysEncrypt:
		done, failed := keeper.Rewrite(ctx, ask.Keys == KeysRewrite)
		if out.Rewriting, err = &done, failed; err == nil && done.Done {
			err = a.record(ctx, ask.By, "encryption.rewritten", "encryption/values",
				map[string]any{"values": done.Rewritten, "all": ask.Keys == KeysRewrite})
		}
	default:
		err = fmt.Errorf("unknown operation on keys: %q", ask.Keys)
	}
	if err == nil {
		out.Keys, err = keeper.EncryptionKeys(ctx)
	}
	return out, err
}

func (a *admin) rotate(ctx context.Context, keeper seal.Keeper, by string) (int, error) {
	if a.keys == nil {
		return 0, errors.New("the settings cannot be reloaded: restart the server")
	}
	keys, err := a.keys()
	if err != nil {
		return 0, err
	}
	if len(keys) == 0 {
		return 0, errors.New("encryption_keys is empty; create a key with assent keys new")
	}
	n, err := keeper.RotateKeys(ctx, keys)
	if err != nil {
		return 0, err
	}
	return n, a.record(ctx, by, "encryption.rotated", "encryption/"+keys[0].ID(), map[string]any{"data_keys": n})
}

// record records operations on the keys in the audit log.
func (a *admin) record(ctx context.Context, by, action, target string, detail map[string]any) error {
	_, err := a.store.AppendAudit(ctx, port.AuditDraft{
		At: time.Now(), Actor: run.Actor{Kind: run.Person, Name: by}, Action: action, Target: target, Detail: detail,
	})
	return err
}
