package gateway

import (
	"net"
	"net/http"
	"strings"
)

// guarded refuses requests by a name that is not this machine's, where only this machine is meant to ask: a page of the web
// may have its own name point to 127.0.0.1 and read our answers in the visitor's browser (DNS rebinding). A listener on
// another address is meant to be asked by names that we do not know.
func guarded(l net.Addr, h http.Handler) http.Handler {
	host, _, err := net.SplitHostPort(l.String())
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !local(r.Host) {
			http.Error(w, "this address answers to localhost and 127.0.0.1 only", http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// local reports whether a Host header names the loopback interface.
func local(header string) bool {
	host := header
	if h, _, err := net.SplitHostPort(header); err == nil {
		host = h
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}
