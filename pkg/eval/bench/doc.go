// Package bench measures finding without servers: it takes documents through the same steps as the
// chain (outline, chunker, words, index) into one index in memory and asks question files of it.
//
// It is what a change of analyzer, chunker or formula is judged by: seconds, not minutes, and the same
// figures each time. `eval` against a running system measures the same through the whole chain.
package bench
