// Package realtest tests the whole system on real servers: NATS, an S3 store, Weaviate and Ollama, each a process of its own,
// with a process a role of the program, as other people run it. What ports promise is tested at their vendors; here is
// what only the whole shows: the same answers as the embedded default, servers that go and come back, processes of two
// builds side by side.
package realtest
