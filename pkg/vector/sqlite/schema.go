package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
)

// What the file's header says. Schema grows with every change of the tables below.
const (
	application = 0x46504958 // "FPIX"
	schema      = 1
)

const baseSchema = `
CREATE TABLE builds (build INTEGER PRIMARY KEY);
CREATE TABLE tenants (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
PRAGMA application_id = %d;
PRAGMA user_version = %d;`

// tableOf is the table of a kind, behind the build's name.
var tableOf = map[doc.Kind]string{doc.KindNode: "node", doc.KindWindow: "window", doc.KindRow: "row", doc.KindChunk: "chunk"}

const tableSchema = `
CREATE TABLE IF NOT EXISTS %[1]s (tenant INTEGER NOT NULL, id BLOB NOT NULL, terms BLOB, crumb BLOB, vector BLOB);
CREATE UNIQUE INDEX IF NOT EXISTS %[1]s_id ON %[1]s (tenant, id);`

func table(b vector.Build, k doc.Kind) string { return fmt.Sprintf("b%d_%s", b, tableOf[k]) }

// statements is what is asked of one table.
type statements struct {
	put, purge, count, page *sql.Stmt
}

// dsn is the address of the file with its pragmas, whatever characters the path has.
func dsn(path string, pragmas ...string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	abs = filepath.ToSlash(abs)
	if !strings.HasPrefix(abs, "/") {
		abs = "/" + abs // C:/...
	}
	return (&url.URL{Scheme: "file", Path: abs, RawQuery: url.Values{"_pragma": pragmas}.Encode()}).String(), nil
}

func connect(path string, conns int, pragmas ...string) (*sql.DB, error) {
	name, err := dsn(path, pragmas...)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db, nil
}

var errInUse = errors.New("another process has it open: stop that one first")

func (x *Index) open(ctx context.Context) (err error) {
	if x.lock, err = connect(x.path+".lock", 1, "journal_mode(MEMORY)"); err != nil {
		return err
	}
	if _, err := x.lock.ExecContext(ctx, "BEGIN EXCLUSIVE"); err != nil {
		if codeOf(err) == codeBusy {
			return errInUse
		}
		return err
	}
	// The words of the documents lie in the file: it is for its owner only, and SQLite gives its log the same
	// mode. No connection has it open now, whose locks closing it would lose; an error is for SQLite to explain.
	if f, err := os.OpenFile(x.path, os.O_CREATE|os.O_RDWR, 0o600); err == nil {
		f.Close()
	}
	// journal_mode comes last: a file of another program or of a newer version is left as it is.
	if x.write, err = connect(x.path, 1, "busy_timeout(10000)", "synchronous(NORMAL)", "secure_delete(ON)", "wal_autocheckpoint(0)"); err != nil {
		return err
	}
	if err := x.prepareFile(ctx); err != nil {
		return err
	}
	if x.read, err = connect(x.path, 8, "busy_timeout(10000)", "synchronous(NORMAL)", "wal_autocheckpoint(0)"); err != nil {
		return err
	}
	return x.readNames(ctx)
}

// prepareFile makes the tables of a new file and checks the version of an old one.
func (x *Index) prepareFile(ctx context.Context) error {
	var app, version, tables int
	for what, to := range map[string]*int{"PRAGMA application_id": &app, "PRAGMA user_version": &version, "SELECT count(*) FROM sqlite_master": &tables} {
		if err := x.write.QueryRowContext(ctx, what).Scan(to); err != nil {
			return err
		}
	}
	fresh := app == 0 && version == 0 && tables == 0
	switch {
	case !fresh && app != application:
		return fmt.Errorf("%w: it is a database of another program", errDamage)
	case version > schema:
		return fmt.Errorf("%w: its schema is %d, this program knows %d; start the newer version, or move the file away and the index is made again from the bucket",
			vector.ErrNewer, version, schema)
	}
	var mode string
	if err := x.write.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
		return err
	}
	if !fresh {
		return nil
	}
	tx, err := x.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, fmt.Sprintf(baseSchema, application, schema)); err != nil {
		return err
	}
	return tx.Commit()
}

// readNames reads which builds and tenants there are.
func (x *Index) readNames(ctx context.Context) error {
	builds, err := x.column(ctx, "SELECT build, '' FROM builds")
	if err != nil {
		return err
	}
	for _, b := range builds {
		if x.builds[vector.Build(b.number)], err = x.prepare(ctx, vector.Build(b.number)); err != nil {
			return err
		}
	}
	tenants, err := x.column(ctx, "SELECT number, name FROM tenants")
	for _, t := range tenants {
		x.tenants[doc.Tenant(t.name)] = t.number
	}
	return err
}

type named struct {
	number int64
	name   string
}

func (x *Index) column(ctx context.Context, query string) (out []named, err error) {
	rows, err := x.read.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var n named
		if err := rows.Scan(&n.number, &n.name); err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, rows.Err()
}

// prepare prepares the statements of a build.
func (x *Index) prepare(ctx context.Context, b vector.Build) (map[doc.Kind]*statements, error) {
	out := map[doc.Kind]*statements{}
	for _, k := range doc.Kinds {
		s := &statements{}
		for _, p := range []struct {
			to    **sql.Stmt
			db    *sql.DB
			query string
		}{
			{&s.put, x.write, `INSERT INTO %s (tenant, id, terms, crumb, vector) VALUES (?, ?, ?, ?, ?)
				ON CONFLICT (tenant, id) DO UPDATE SET terms = excluded.terms, crumb = excluded.crumb, vector = excluded.vector`},
			{&s.purge, x.write, `DELETE FROM %s WHERE tenant = ? AND id BETWEEN ? AND ?`},
			{&s.count, x.read, `SELECT count(*) FROM %s WHERE tenant = ? AND id BETWEEN ? AND ?`},
			{&s.page, x.read, `SELECT id FROM %s WHERE tenant = ? AND id > ? ORDER BY id LIMIT ?`},
		} {
			var err error
			if *p.to, err = p.db.PrepareContext(ctx, fmt.Sprintf(p.query, table(b, k))); err != nil {
				return nil, err
			}
		}
		out[k] = s
	}
	return out, nil
}

// build is the statements of a build, whose tables are made when they are missing. x.mu is held.
func (x *Index) build(ctx context.Context, b vector.Build) (map[doc.Kind]*statements, error) {
	if st := x.builds[b]; st != nil { // only written under x.mu
		return st, nil
	}
	query := fmt.Sprintf("INSERT OR IGNORE INTO builds VALUES (%d);", b)
	for _, k := range doc.Kinds {
		query += fmt.Sprintf(tableSchema, table(b, k))
	}
	if err := x.change(ctx, query); err != nil {
		return nil, err
	}
	st, err := x.prepare(ctx, b)
	if err != nil {
		return nil, err
	}
	x.schema.Lock()
	defer x.schema.Unlock()
	x.builds[b] = st
	return st, nil
}

// change runs statements in one transaction.
func (x *Index) change(ctx context.Context, query string, args ...any) error {
	tx, err := x.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, query, args...); err != nil {
		return err
	}
	return tx.Commit()
}

// tenant is the number of a tenant, given to it now if it has none. x.mu is held.
func (x *Index) tenant(ctx context.Context, t doc.Tenant) (int64, error) {
	if n := x.tenants[t]; n != 0 {
		return n, nil
	}
	if err := x.change(ctx, "INSERT OR IGNORE INTO tenants (name) VALUES (?)", string(t)); err != nil {
		return 0, err
	}
	var n int64
	if err := x.write.QueryRowContext(ctx, "SELECT number FROM tenants WHERE name = ?", string(t)).Scan(&n); err != nil {
		return 0, err
	}
	x.schema.Lock()
	defer x.schema.Unlock()
	x.tenants[t] = n
	return n, nil
}

// known is the number of a tenant, or 0.
func (x *Index) known(t doc.Tenant) int64 {
	x.schema.RLock()
	defer x.schema.RUnlock()
	return x.tenants[t]
}

// DropBuild implements vector.Index.
func (x *Index) DropBuild(ctx context.Context, b vector.Build) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.schema.Lock()
	defer x.schema.Unlock()
	if x.builds[b] == nil {
		return ctx.Err()
	}
	query := fmt.Sprintf("DELETE FROM builds WHERE build = %d;", b)
	for _, k := range doc.Kinds {
		query += fmt.Sprintf("DROP TABLE IF EXISTS %s;", table(b, k))
	}
	if err := x.change(ctx, query); err != nil {
		return x.explain("drop build", err)
	}
	for _, s := range x.builds[b] {
		for _, st := range []*sql.Stmt{s.put, s.purge, s.count, s.page} {
			st.Close()
		}
	}
	delete(x.builds, b)
	return x.mem.DropBuild(context.WithoutCancel(ctx), b)
}
