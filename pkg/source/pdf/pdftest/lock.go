package pdftest

import (
	"bytes"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"fmt"
)

// lock encrypts with RC4 and a key of 40 bits: PDF 1.7 (ISO 32000-1), 7.6.3, revision 2.
type lock struct {
	id, key, owner, user []byte
}

const permissions = 0xfffffffc // everything but what revision 2 reserves

var padding = []byte("\x28\xbf\x4e\x5e\x4e\x75\x8a\x41\x64\x00\x4e\x56\xff\xfa\x01\x08\x2e\x2e\x00\xb6\xd0\x68\x3e\x80\x2f\x0c\xa9\xfe\x64\x53\x69\x7a")

func newLock(user string) *lock {
	l := &lock{id: []byte("0123456789abcdef")}
	pad := func(p string) []byte { return append([]byte(p), padding...)[:32] }
	sum := md5.Sum(pad("owner"))
	l.owner = crypt(sum[:5], pad(user)) // algorithm 3
	h := md5.New()                      // algorithm 2
	h.Write(pad(user))
	h.Write(l.owner)
	_ = binary.Write(h, binary.LittleEndian, uint32(permissions))
	h.Write(l.id)
	l.key = h.Sum(nil)[:5]
	l.user = crypt(l.key, padding) // algorithm 4
	return l
}

func crypt(key, data []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		panic(err) // the key's length is ours
	}
	out := make([]byte, len(data))
	c.XORKeyStream(out, data)
	return out
}

func (l *lock) dictionary() string {
	p := uint32(permissions)
	return fmt.Sprintf("<< /Filter /Standard /V 1 /R 2 /O <%x> /U <%x> /P %d >>", l.owner, l.user, int32(p))
}

// object encrypts the stream of an object; strings of ours stand only in outlines, whose titles are encrypted as well.
func (l *lock) object(n int, o []byte) []byte {
	sum := md5.Sum(append(append([]byte{}, l.key...), byte(n), byte(n>>8), byte(n>>16), 0, 0)) // algorithm 1
	key := sum[:10]
	head, rest, ok := bytes.Cut(o, []byte("\nstream\n"))
	if !ok {
		return o
	}
	data := bytes.TrimSuffix(rest, []byte("\nendstream"))
	return bytes.Join([][]byte{head, []byte("\nstream\n"), crypt(key, data), []byte("\nendstream")}, nil)
}
