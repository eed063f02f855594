#include "textflag.h"
#include "tile_amd64.h"

// Six rows times 64 columns (integers) or 32 (float32); a panel of 16 columns fills one register.
//
//	Z0..Z23   sums: row r, panel p in Z(4r+p); float32 uses Z(2r+p), Z0..Z11
//	Z24..Z27  weights of panels 0..3; at the end their column scales
//	Z28       one input (or pair of inputs) of one row in all lanes; Z29 a product of scales
//	SI, BX    weights of panel 0 and panel 3 (SI + 3*AX); AX bytes from panel to panel

#define ZERO(a, b, c, d) \
	VPXORD a, a, a; VPXORD b, b, b; VPXORD c, c, c; VPXORD d, d, d

#define ZERO12 \
	ZERO(Z0, Z1, Z2, Z3)   \
	ZERO(Z4, Z5, Z6, Z7)   \
	ZERO(Z8, Z9, Z10, Z11)

#define ZERO24 \
	ZERO12                   \
	ZERO(Z12, Z13, Z14, Z15) \
	ZERO(Z16, Z17, Z18, Z19) \
	ZERO(Z20, Z21, Z22, Z23)

// One row, one pair of int16 inputs: VPDPWSSD adds both products to the int32 sum.
#define IROW(addr, p0, p1, p2, p3) \
	VPBROADCASTD addr, Z28    \
	VPDPWSSD     Z24, Z28, p0 \
	VPDPWSSD     Z25, Z28, p1 \
	VPDPWSSD     Z26, Z28, p2 \
	VPDPWSSD     Z27, Z28, p3

#define IROWS(a) \
	IROW(a(DI), Z0, Z1, Z2, Z3)            \
	IROW(a(DI)(R8*1), Z4, Z5, Z6, Z7)      \
	IROW(a(DI)(R8*2), Z8, Z9, Z10, Z11)    \
	IROW(a(R9), Z12, Z13, Z14, Z15)        \
	IROW(a(R9)(R8*1), Z16, Z17, Z18, Z19)  \
	IROW(a(R9)(R8*2), Z20, Z21, Z22, Z23)

#define STEP8(b, a) \
	VPMOVSXBW b(SI), Z24       \
	VPMOVSXBW b(SI)(AX*1), Z25 \
	VPMOVSXBW b(SI)(AX*2), Z26 \
	VPMOVSXBW b(BX), Z27       \
	IROWS(a)

#define STEP16(b, a) \
	VMOVDQU32 b(SI), Z24       \
	VMOVDQU32 b(SI)(AX*1), Z25 \
	VMOVDQU32 b(SI)(AX*2), Z26 \
	VMOVDQU32 b(BX), Z27       \
	IROWS(a)

// One sum to one output: sum * (column scale * row scale) + bias.
#define ISCALE(off, col, sum) \
	VCVTDQ2PS   sum, sum           \
	VMULPS      col, Z28, Z29      \
	VFMADD213PS off(R12), Z29, sum \
	VMOVUPS     sum, off(DX)

#define IOUT(off, p0, p1, p2, p3) \
	VBROADCASTSS off(R10), Z28 \
	ISCALE(0, Z24, p0)         \
	ISCALE(64, Z25, p1)        \
	ISCALE(128, Z26, p2)       \
	ISCALE(192, Z27, p3)       \
	ADDQ         R13, DX

#define IOUTS \
	VMOVUPS (R11), Z24              \
	VMOVUPS 64(R11), Z25            \
	VMOVUPS 128(R11), Z26           \
	VMOVUPS 192(R11), Z27           \
	IOUT(0, Z0, Z1, Z2, Z3)         \
	IOUT(4, Z4, Z5, Z6, Z7)         \
	IOUT(8, Z8, Z9, Z10, Z11)       \
	IOUT(12, Z12, Z13, Z14, Z15)    \
	IOUT(16, Z16, Z17, Z18, Z19)    \
	IOUT(20, Z20, Z21, Z22, Z23)    \
	VZEROUPPER

// func gemm8AVX512(pairs int, a *int16, lda int, b *byte, c *float32, ldc int, rowScale, colScale, bias *float32)
// Weights of 8 bits: a pair of inputs meets 32 bytes of each panel. Two pairs a round: pairs is even.
TEXT ·gemm8AVX512(SB), NOSPLIT, $0-72
	ARGS(pairs)
	SCALES
	MOVQ CX, AX
	SHLQ $5, AX
	LEAQ (AX)(AX*2), BX
	ADDQ SI, BX
	ZERO24

loop8:
	STEP8(0, 0)
	STEP8(32, 4)
	ADDQ $64, SI
	ADDQ $64, BX
	ADDQ $8, DI
	ADDQ $8, R9
	SUBQ $2, CX
	JNZ  loop8
	IOUTS
	RET

// func gemm16AVX512(pairs int, a *int16, lda int, b *byte, c *float32, ldc int, rowScale, colScale, bias *float32)
// Weights of 16 bits: a pair of inputs meets 64 bytes of each panel.
TEXT ·gemm16AVX512(SB), NOSPLIT, $0-72
	ARGS(pairs)
	SCALES
	MOVQ CX, AX
	SHLQ $6, AX
	LEAQ (AX)(AX*2), BX
	ADDQ SI, BX
	ZERO24

loop16:
	STEP16(0, 0)
	STEP16(64, 4)
	ADDQ $128, SI
	ADDQ $128, BX
	ADDQ $8, DI
	ADDQ $8, R9
	SUBQ $2, CX
	JNZ  loop16
	IOUTS
	RET

#define FROW(addr, p0, p1) \
	VBROADCASTSS addr, Z28     \
	VFMADD231PS  Z24, Z28, p0  \
	VFMADD231PS  Z25, Z28, p1

#define FOUT(p0, p1) \
	VMOVUPS p0, (DX)    \
	VMOVUPS p1, 64(DX)  \
	ADDQ    R13, DX

// func floatAVX512(k int, a *float32, lda int, b, c *float32, ldc int)
// Float32 throughout: the two products of attention. An input meets 64 bytes of both panels.
TEXT ·floatAVX512(SB), NOSPLIT, $0-48
	ARGS(k)
	MOVQ CX, AX
	SHLQ $6, AX
	ZERO12

loopf:
	VMOVUPS (SI), Z24
	VMOVUPS (SI)(AX*1), Z25
	FROW((DI), Z0, Z1)
	FROW((DI)(R8*1), Z2, Z3)
	FROW((DI)(R8*2), Z4, Z5)
	FROW((R9), Z6, Z7)
	FROW((R9)(R8*1), Z8, Z9)
	FROW((R9)(R8*2), Z10, Z11)
	ADDQ $64, SI
	ADDQ $4, DI
	ADDQ $4, R9
	DECQ CX
	JNZ  loopf
	FOUT(Z0, Z1)
	FOUT(Z2, Z3)
	FOUT(Z4, Z5)
	FOUT(Z6, Z7)
	FOUT(Z8, Z9)
	FOUT(Z10, Z11)
	VZEROUPPER
	RET
