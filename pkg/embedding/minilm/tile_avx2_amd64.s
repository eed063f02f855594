#include "textflag.h"
#include "tile_amd64.h"

// Six rows times sixteen columns. All sixteen registers have a part:
//
//	Y0..Y11   sums: row r has columns 0..7 in Y(2r), 8..15 in Y(2r+1)
//	Y12, Y13  weights of columns 0..7 and 8..15
//	Y14       one input (or pair of inputs) of one row in all lanes; Y15 a product

#define ZERO12 \
	VXORPS Y0, Y0, Y0; VXORPS Y1, Y1, Y1; VXORPS Y2, Y2, Y2; VXORPS Y3, Y3, Y3    \
	VXORPS Y4, Y4, Y4; VXORPS Y5, Y5, Y5; VXORPS Y6, Y6, Y6; VXORPS Y7, Y7, Y7    \
	VXORPS Y8, Y8, Y8; VXORPS Y9, Y9, Y9; VXORPS Y10, Y10, Y10; VXORPS Y11, Y11, Y11

// ROWS does ROW for six rows' inputs at offset a.
#define ROWS(ROW, a) \
	ROW(a(DI), Y0, Y1)         \
	ROW(a(DI)(R8*1), Y2, Y3)   \
	ROW(a(DI)(R8*2), Y4, Y5)   \
	ROW(a(R9), Y6, Y7)         \
	ROW(a(R9)(R8*1), Y8, Y9)   \
	ROW(a(R9)(R8*2), Y10, Y11)

// One row, one pair of int16 inputs: products summed by two into int32.
#define IROW(addr, lo, hi) \
	VPBROADCASTD addr, Y14        \
	VPMADDWD     Y12, Y14, Y15    \
	VPADDD       Y15, lo, lo      \
	VPMADDWD     Y13, Y14, Y14    \
	VPADDD       Y14, hi, hi

#define STEP8(b, a) \
	VPMOVSXBW b(SI), Y12      \
	VPMOVSXBW (16+b)(SI), Y13 \
	ROWS(IROW, a)

#define STEP16(b, a) \
	VMOVDQU b(SI), Y12      \
	VMOVDQU (32+b)(SI), Y13 \
	ROWS(IROW, a)

// out = sum * (column scale * row scale) + bias; Y12 and Y13 hold the column scales.
#define IOUT(off, lo, hi) \
	VBROADCASTSS off(R10), Y14     \
	VCVTDQ2PS    lo, lo            \
	VCVTDQ2PS    hi, hi            \
	VMULPS       Y12, Y14, Y15     \
	VFMADD213PS  (R12), Y15, lo    \
	VMULPS       Y13, Y14, Y15     \
	VFMADD213PS  32(R12), Y15, hi  \
	VMOVUPS      lo, (DX)          \
	VMOVUPS      hi, 32(DX)        \
	ADDQ         R13, DX

#define IOUTS \
	VMOVUPS (R11), Y12    \
	VMOVUPS 32(R11), Y13  \
	IOUT(0, Y0, Y1)       \
	IOUT(4, Y2, Y3)       \
	IOUT(8, Y4, Y5)       \
	IOUT(12, Y6, Y7)      \
	IOUT(16, Y8, Y9)      \
	IOUT(20, Y10, Y11)    \
	VZEROUPPER

// func gemm8AVX2(pairs int, a *int16, lda int, b *byte, c *float32, ldc int, rowScale, colScale, bias *float32)
// Weights of 8 bits: a pair of inputs meets 32 bytes. Two pairs a round, so pairs is even.
TEXT ·gemm8AVX2(SB), NOSPLIT, $0-72
	ARGS(pairs)
	SCALES
	ZERO12

loop8:
	STEP8(0, 0)
	STEP8(32, 4)
	ADDQ $64, SI
	ADDQ $8, DI
	ADDQ $8, R9
	SUBQ $2, CX
	JNZ  loop8
	IOUTS
	RET

// func gemm16AVX2(pairs int, a *int16, lda int, b *byte, c *float32, ldc int, rowScale, colScale, bias *float32)
// Weights of 16 bits: a pair of inputs meets 64 bytes.
TEXT ·gemm16AVX2(SB), NOSPLIT, $0-72
	ARGS(pairs)
	SCALES
	ZERO12

loop16:
	STEP16(0, 0)
	STEP16(64, 4)
	ADDQ $128, SI
	ADDQ $8, DI
	ADDQ $8, R9
	SUBQ $2, CX
	JNZ  loop16
	IOUTS
	RET

#define FROW(addr, lo, hi) \
	VBROADCASTSS addr, Y14     \
	VFMADD231PS  Y12, Y14, lo  \
	VFMADD231PS  Y13, Y14, hi

#define FOUT(lo, hi) \
	VMOVUPS lo, (DX)    \
	VMOVUPS hi, 32(DX)  \
	ADDQ    R13, DX

// func floatAVX2(k int, a *float32, lda int, b, c *float32, ldc int)
// Float32 throughout: the two products of attention. An input meets 64 bytes.
TEXT ·floatAVX2(SB), NOSPLIT, $0-48
	ARGS(k)
	ZERO12

loopf:
	VMOVUPS (SI), Y12
	VMOVUPS 32(SI), Y13
	ROWS(FROW, 0)
	ADDQ $64, SI
	ADDQ $4, DI
	ADDQ $4, R9
	DECQ CX
	JNZ  loopf
	FOUT(Y0, Y1)
	FOUT(Y2, Y3)
	FOUT(Y4, Y5)
	FOUT(Y6, Y7)
	FOUT(Y8, Y9)
	FOUT(Y10, Y11)
	VZEROUPPER
	RET
