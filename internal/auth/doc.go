// Package auth finds out who somebody is: by a password, by a token, or by what
// an identity provider says. What they may do then is not its business.
//
//	a, err := auth.New(store, auth.Config{Password: true})
//	in, err := a.SignIn(ctx, "ann", password, "192.0.2.7")
//	who, err := a.Cookie(ctx, in.Secret)       // ann, until she signs out
//	who, err = a.Bearer(ctx, "ast_…")          // a program with a token
//
// Nothing that lets somebody in is kept: of passwords there are argon2id hashes,
// of tokens and sessions digests of secrets with 256 random bits. Without a way to
// sign in (the zero Config) only tokens are known: that is local mode.
package auth
