// Package miniotest is the behaviour of a real MinIO, as it was recorded, where its server cannot be built: the recorded
// operations (Recorded), its notification targets with and without a queue on disk and how they fail (Target), and what
// its server answers about rules and to those who listen (Server).
//
// The product must go by this and not by what the other stores do. Known differences from a real MinIO: a Target sends
// when it is told to (Tick) instead of every three seconds, and nothing here checks signatures.
package miniotest
