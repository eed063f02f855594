package embedded

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/fingerpost/fingerpost/pkg/doc"
)

// Tenants and the operator live in accounts of their own, without JetStream, with nothing but imports of
// their service subjects from the main account, which exports them to these accounts only. So nobody hears
// another's replies, and a request cannot have its reply published into the streams: the server gives
// it a reply subject of its own. What users may publish is a template in their account (a scoped signing
// key), made anew at each start: a copy of a creds file always has today's rights.
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
	m, err := k.mint()
	if err != nil {
		return nil, err
	}
	system := jwt.NewAccountClaims(m.system)
	system.Name = "SYS"
	if err := m.store(system); err != nil {
		return nil, err
	}
	if err := m.addAsker("operator", k.Admin, "$SRV.>", "fingerpost.admin.>"); err != nil {
		return nil, err
	}
	for _, t := range tenants {
		if err := m.addAsker("tenant-"+string(t), k.Tenants[t], "fingerpost."+string(t)+".>"); err != nil {
			return nil, err
		}
	}
	return &m.accounts, m.store(m.claims)
}

// mint signs accounts while it collects what the main one exports.
type mint struct {
	accounts
	root, mainPair nkeys.KeyPair
	claims         *jwt.AccountClaims // of the main account
}

func (k *keys) mint() (*mint, error) {
	root, rootPublic, err1 := pair(k.Root)
	_, system, err2 := pair(k.System)
	mainPair, main, err3 := pair(k.Main)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	m := &mint{root: root, mainPair: mainPair, claims: jwt.NewAccountClaims(main)}
	m.main, m.system, m.resolver = main, system, &server.MemAccResolver{}
	m.claims.Name = "fingerpost"
	m.claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: jwt.NoLimit, DiskStorage: jwt.NoLimit, Streams: jwt.NoLimit,
		Consumer: jwt.NoLimit, MaxAckPending: jwt.NoLimit}
	op := jwt.NewOperatorClaims(rootPublic)
	op.Name, op.SystemAccount = "fingerpost", system
	token, err := op.Encode(root)
	if err != nil {
		return nil, err
	}
	m.operator, err = jwt.DecodeOperatorClaims(token) // signed, as the server wants it
	return m, err
}

func (m *mint) store(c *jwt.AccountClaims) error {
	token, err := c.Encode(m.root)
	if err != nil {
		return err
	}
	return m.resolver.Store(c.Subject, token)
}

// addAsker makes an account whose users may ask on the subjects, and nothing else. A request may get several
// replies, as $SRV.PING does from several workers.
func (m *mint) addAsker(name string, keys *seeds, subjects ...string) error {
	_, public, err := pair(keys.Account)
	if err != nil {
		return err
	}
	c := jwt.NewAccountClaims(public)
	c.Name = name
	for i, s := range subjects {
		label, subject := name+"-"+strconv.Itoa(i), jwt.Subject(s)
		m.claims.Exports.Add(&jwt.Export{Name: label, Subject: subject, Type: jwt.Service, TokenReq: true, ResponseType: jwt.ResponseTypeStream})
		grant := jwt.NewActivationClaims(public)
		grant.Name, grant.ImportSubject, grant.ImportType = label, subject, jwt.Service
		token, err := grant.Encode(m.mainPair)
		if err != nil {
			return err
		}
		c.Imports.Add(&jwt.Import{Name: label, Subject: subject, Account: m.main, Token: token, Type: jwt.Service})
	}
	if err := addScope(c, keys.Users, name, subjects...); err != nil {
		return err
	}
	return m.store(c)
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
		writeUser(filepath.Join(dir, operatorCreds), "operator", k.Admin.Account, k.Admin.Users))
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
