#include "textflag.h"

// Six rows times sixteen columns.
//
//	V8..V31   sums: row r has columns 4j..4j+3 in V(8+4r+j)
//	V0..V2    inputs: two rows a register, four int16 each; at the end scales
//	V4..V7    weights
//	R1, R3..R7  inputs of rows 0..5; R8 weights; R0 steps left
//	R9 the current row's outputs, R10 bytes from row to row
//	R11 row scales, R12 column scales, R13 biases
//
// The assembler lacks some instructions; they are written as words, registers by their numbers.

// SXTL: int8 to int16, of the lower and the upper eight bytes of n.
#define SXTL(n, d) WORD $(0x0F08A400 | (n)<<5 | (d))
#define SXTL2(n, d) WORD $(0x4F08A400 | (n)<<5 | (d))

// SMLAL: d (four int32) += n (the lower or the upper four int16) times the int16 at index i of m.
#define INDEX(i) (((i)>>1&1)<<21 | ((i)&1)<<20 | ((i)>>2)<<11)
#define SMLAL(m, i, n, d) WORD $(0x0F402000 | INDEX(i) | (m)<<16 | (n)<<5 | (d))
#define SMLAL2(m, i, n, d) WORD $(0x4F402000 | INDEX(i) | (m)<<16 | (n)<<5 | (d))

// SCVTF: four int32 to float32, in place. FMUL: d = n * m, four float32.
#define SCVTF(d) WORD $(0x4E21D800 | (d)<<5 | (d))
#define FMUL(m, n, d) WORD $(0x6E20DC00 | (m)<<16 | (n)<<5 | (d))

#define ARGS(n) \
	MOVD n+0(FP), R0     \
	MOVD a+8(FP), R1     \
	MOVD lda+16(FP), R2  \
	MOVD b+24(FP), R8    \
	MOVD c+32(FP), R9    \
	MOVD ldc+40(FP), R10 \
	ADD  R2, R1, R3      \
	ADD  R2, R3, R4      \
	ADD  R2, R4, R5      \
	ADD  R2, R5, R6      \
	ADD  R2, R6, R7

#define SCALES \
	MOVD rowScale+48(FP), R11 \
	MOVD colScale+56(FP), R12 \
	MOVD bias+64(FP), R13

#define ZERO(v) VEOR v.B16, v.B16, v.B16

#define ZERO24 \
	ZERO(V8); ZERO(V9); ZERO(V10); ZERO(V11); ZERO(V12); ZERO(V13)   \
	ZERO(V14); ZERO(V15); ZERO(V16); ZERO(V17); ZERO(V18); ZERO(V19) \
	ZERO(V20); ZERO(V21); ZERO(V22); ZERO(V23); ZERO(V24); ZERO(V25) \
	ZERO(V26); ZERO(V27); ZERO(V28); ZERO(V29); ZERO(V30); ZERO(V31)

// Four inputs of each row.
#define INPUTS \
	VLD1.P 8(R1), V0.D[0] \
	VLD1.P 8(R3), V0.D[1] \
	VLD1.P 8(R4), V1.D[0] \
	VLD1.P 8(R5), V1.D[1] \
	VLD1.P 8(R6), V2.D[0] \
	VLD1.P 8(R7), V2.D[1]

// One row, one input (index i of m): sixteen columns, eight in each of lo and hi.
#define ROW(m, i, lo, hi, d) \
	SMLAL(m, i, lo, d)      \
	SMLAL2(m, i, lo, (d)+1) \
	SMLAL(m, i, hi, (d)+2)  \
	SMLAL2(m, i, hi, (d)+3)

// Six rows, the input at place i of 0..3.
#define ROWS(i, lo, hi) \
	ROW(0, i, lo, hi, 8)      \
	ROW(0, (i)+4, lo, hi, 12) \
	ROW(1, i, lo, hi, 16)     \
	ROW(1, (i)+4, lo, hi, 20) \
	ROW(2, i, lo, hi, 24)     \
	ROW(2, (i)+4, lo, hi, 28)

// Two inputs with 8-bit weights: the load takes the pairs apart, V4 for the first, V5 for the second.
#define STEP8(i) \
	VLD2.P 32(R8), [V4.B16, V5.B16] \
	SXTL(4, 6)                      \
	SXTL2(4, 7)                     \
	ROWS(i, 6, 7)                   \
	SXTL(5, 6)                      \
	SXTL2(5, 7)                     \
	ROWS((i)+1, 6, 7)

// Two inputs with 16-bit weights: V4 and V6 for the first, V5 and V7 for the second.
#define STEP16(i) \
	VLD2.P 32(R8), [V4.H8, V5.H8] \
	VLD2.P 32(R8), [V6.H8, V7.H8] \
	ROWS(i, 4, 6)                 \
	ROWS((i)+1, 5, 7)

// One sum to four outputs: sum * (column scale * row scale) + bias. V0 is the row scale, V4..V7 the
// column scales; R14 walks the biases, R15 the outputs. n is the number of register v.
#define SCALE(n, v, col) \
	SCVTF(n)                        \
	FMUL(0, col, 1)                 \
	VLD1.P 16(R14), [V2.S4]         \
	VFMLA  V1.S4, v.S4, V2.S4       \
	VST1.P [V2.S4], 16(R15)

#define OUT(n, p0, p1, p2, p3) \
	VLD1R.P 4(R11), [V0.S4] \
	MOVD    R13, R14        \
	MOVD    R9, R15         \
	SCALE(n, p0, 4)         \
	SCALE((n)+1, p1, 5)     \
	SCALE((n)+2, p2, 6)     \
	SCALE((n)+3, p3, 7)     \
	ADD     R10, R9, R9

#define OUTS \
	VLD1 (R12), [V4.S4, V5.S4, V6.S4, V7.S4] \
	OUT(8, V8, V9, V10, V11)                 \
	OUT(12, V12, V13, V14, V15)              \
	OUT(16, V16, V17, V18, V19)              \
	OUT(20, V20, V21, V22, V23)              \
	OUT(24, V24, V25, V26, V27)              \
	OUT(28, V28, V29, V30, V31)

// func gemm8NEON(pairs int, a *int16, lda int, b *byte, c *float32, ldc int, rowScale, colScale, bias *float32)
// Two pairs of inputs a round, so pairs is even.
TEXT ·gemm8NEON(SB), NOSPLIT, $0-72
	ARGS(pairs)
	SCALES
	ZERO24

loop8:
	INPUTS
	STEP8(0)
	STEP8(2)
	SUBS $2, R0
	BNE  loop8
	OUTS
	RET

// func gemm16NEON(pairs int, a *int16, lda int, b *byte, c *float32, ldc int, rowScale, colScale, bias *float32)
TEXT ·gemm16NEON(SB), NOSPLIT, $0-72
	ARGS(pairs)
	SCALES
	ZERO24

loop16:
	INPUTS
	STEP16(0)
	STEP16(2)
	SUBS $2, R0
	BNE  loop16
	OUTS
	RET

// One row, one float32 input: sixteen columns.
#define FROW(r, p0, p1, p2, p3) \
	VLD1R.P 4(r), [V0.S4]     \
	VFMLA   V4.S4, V0.S4, p0.S4 \
	VFMLA   V5.S4, V0.S4, p1.S4 \
	VFMLA   V6.S4, V0.S4, p2.S4 \
	VFMLA   V7.S4, V0.S4, p3.S4

#define FOUT(p0, p1, p2, p3) \
	VST1 [p0.S4, p1.S4, p2.S4, p3.S4], (R9) \
	ADD  R10, R9, R9

// func floatNEON(k int, a *float32, lda int, b, c *float32, ldc int)
// Float32 throughout: the two products of attention. An input meets 64 bytes.
TEXT ·floatNEON(SB), NOSPLIT, $0-48
	ARGS(k)
	ZERO24

loopf:
	VLD1.P 64(R8), [V4.S4, V5.S4, V6.S4, V7.S4]
	FROW(R1, V8, V9, V10, V11)
	FROW(R3, V12, V13, V14, V15)
	FROW(R4, V16, V17, V18, V19)
	FROW(R5, V20, V21, V22, V23)
	FROW(R6, V24, V25, V26, V27)
	FROW(R7, V28, V29, V30, V31)
	SUBS $1, R0
	BNE  loopf
	FOUT(V8, V9, V10, V11)
	FOUT(V12, V13, V14, V15)
	FOUT(V16, V17, V18, V19)
	FOUT(V20, V21, V22, V23)
	FOUT(V24, V25, V26, V27)
	FOUT(V28, V29, V30, V31)
	RET
