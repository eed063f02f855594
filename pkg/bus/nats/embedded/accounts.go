package embedded

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// A tenant's account has no JetStream and nothing but an import of its own service subjects from the main
// account, which exports them to this account only. The rights of operator and tenants are templates in the
// accounts (scoped signing keys), made anew at each start: a copy of a creds file always has today's rights.
const (
	internalCreds = ".internal.creds" // no tenant has a '.' in its name
	operatorCreds = "operator.creds"
	internalInbox = "_FP_INBOX"
	inboxes       = "_INBOX.>"
)

// Reserved are the names that no tenant may have: fingerpost.admin.> is the operator's, operator.creds as well.
var Reserved = []string{"admin", "operator"}

// accounts are the signed claims that the server is started with.
type accounts struct {
	operator     *jwt.OperatorClaims
	main, system string // public keys
	resolver     *server.MemAccResolver
}

// accounts signs all accounts. Tenants that are not named any more are not known to the server, so their
// creds are refused; their keys stay for the day they come back.
func (k *keys) accounts(tenants []doc.Tenant) (*accounts, error) {
	op, opPublic, err := pair(k.Operator)
	if err != nil {
		return nil, err
	}
	a := &accounts{operator: jwt.NewOperatorClaims(opPublic), resolver: &server.MemAccResolver{}}
	a.operator.Name = "fingerpost"
	if err := a.addSystem(k, op); err != nil {
		return nil, err
	}
	main, err := a.addMain(k)
	if err != nil {
		return nil, err
	}
	for _, t := range tenants {
		if err := a.addTenant(k, op, main, t); err != nil {
			return nil, err
		}
	}
	token, err := a.operator.Encode(op) // after this the claims hold what a parsed token would
	if err != nil {
		return nil, err
	}
	if a.operator, err = jwt.DecodeOperatorClaims(token); err != nil {
		return nil, err
	}
	return a, a.store(main, op)
}

func (a *accounts) store(c *jwt.AccountClaims, op nkeys.KeyPair) error {
	token, err := c.Encode(op)
	if err != nil {
		return err
	}
	return a.resolver.Store(c.Subject, token)
}

func (a *accounts) addSystem(k *keys, op nkeys.KeyPair) error {
	_, public, err := pair(k.System)
	if err != nil {
		return err
	}
	a.system, a.operator.SystemAccount = public, public
	c := jwt.NewAccountClaims(public)
	c.Name = "SYS"
	return a.store(c, op)
}

func (a *accounts) addMain(k *keys) (*jwt.AccountClaims, error) {
	_, public, err := pair(k.Main)
	if err != nil {
		return nil, err
	}
	a.main = public
	c := jwt.NewAccountClaims(public)
	c.Name = "fingerpost"
	c.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: jwt.NoLimit, DiskStorage: jwt.NoLimit, Streams: jwt.NoLimit,
		Consumer: jwt.NoLimit, MaxAckPending: jwt.NoLimit}
	return c, addScope(c, k.Admin, "operator", "$SRV.>", "fingerpost.admin.>")
}

func (a *accounts) addTenant(k *keys, op nkeys.KeyPair, main *jwt.AccountClaims, t doc.Tenant) error {
	mainPair, _, err := pair(k.Main)
	if err != nil {
		return err
	}
	_, public, err := pair(k.Tenants[t].Account)
	if err != nil {
		return err
	}
	subject := jwt.Subject("fingerpost." + string(t) + ".>")
	name := "tenant-" + string(t)
	main.Exports.Add(&jwt.Export{Name: name, Subject: subject, Type: jwt.Service, TokenReq: true})
	grant := jwt.NewActivationClaims(public)
	grant.Name, grant.ImportSubject, grant.ImportType = name, subject, jwt.Service
	token, err := grant.Encode(mainPair)
	if err != nil {
		return err
	}
	c := jwt.NewAccountClaims(public)
	c.Name = name
	c.Imports.Add(&jwt.Import{Name: name, Subject: subject, Account: a.main, Token: token, Type: jwt.Service})
	if err := addScope(c, k.Tenants[t].Users, "tenant", string(subject)); err != nil {
		return err
	}
	return a.store(c, op)
}

// addScope lets the signing key make users of the account who publish only what is listed.
func addScope(c *jwt.AccountClaims, seed, role string, publish ...string) error {
	_, public, err := pair(seed)
	if err != nil {
		return err
	}
	scope := jwt.NewUserScope()
	scope.Key, scope.Role = public, role
	scope.Template.Pub.Allow.Add(publish...)
	scope.Template.Sub.Allow.Add(inboxes)
	c.SigningKeys.AddScopedSigner(scope)
	return nil
}

// writeCreds makes the files that are missing or that the keys do not fit any more.
func (k *keys) writeCreds(dir string, tenants []doc.Tenant) error {
	err := errors.Join(writeUser(filepath.Join(dir, internalCreds), "internal", k.Main, k.Main),
		writeUser(filepath.Join(dir, operatorCreds), "operator", k.Main, k.Admin))
	for _, t := range tenants {
		err = errors.Join(err, writeUser(filepath.Join(dir, string(t)+".creds"), string(t), k.Tenants[t].Account, k.Tenants[t].Users))
	}
	return err
}

// writeUser writes a user of the account, signed by the account itself (everything is allowed) or by one of
// its scoped keys. A file that already does this is left alone.
func writeUser(path, name, account, signer string) error {
	_, accountPublic, err := pair(account)
	if err != nil {
		return err
	}
	sign, signPublic, err := pair(signer)
	if err != nil || validCreds(path, accountPublic, signPublic) {
		return err
	}
	user, err := nkeys.CreateUser()
	if err != nil {
		return err
	}
	public, err := user.PublicKey()
	if err != nil {
		return err
	}
	c := jwt.NewUserClaims(public)
	c.Name = name
	if signPublic != accountPublic {
		c.IssuerAccount = accountPublic
		c.SetScoped(true)
	}
	token, err := c.Encode(sign)
	if err != nil {
		return err
	}
	seed, err := user.Seed()
	if err != nil {
		return err
	}
	file, err := jwt.FormatUserConfig(token, seed)
	if err != nil {
		return err
	}
	return writeSecret(path, file)
}

func validCreds(path, account, signer string) bool {
	data, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	token, err := jwt.ParseDecoratedJWT(data)
	if err != nil {
		return false
	}
	if _, err := jwt.ParseDecoratedUserNKey(data); err != nil {
		return false
	}
	c, err := jwt.DecodeUserClaims(token)
	return err == nil && c.Issuer == signer && (c.IssuerAccount == account || signer == account) &&
		(c.Expires == 0 || time.Unix(c.Expires, 0).After(time.Now()))
}
