#include "textflag.h"

// Kernels that work on one row of float32, eight numbers a register (AVX2).
//
//	DI  the row, SI the other row or the destination, CX its bytes (or numbers left), AX the place

// Constants repeated over the eight lanes.
#define LANES(name, v) \
	DATA name<>+0(SB)/4, $v; DATA name<>+4(SB)/4, $v; DATA name<>+8(SB)/4, $v; DATA name<>+12(SB)/4, $v; \
	DATA name<>+16(SB)/4, $v; DATA name<>+20(SB)/4, $v; DATA name<>+24(SB)/4, $v; DATA name<>+28(SB)/4, $v; \
	GLOBL name<>(SB), RODATA|NOPTR, $32

LANES(absMask, 0x7fffffff)
LANES(one, 1.0)
LANES(slack, 1e-12)

// e^x: 2^f by a polynomial of degree 6.
LANES(expMin, -87.0)
LANES(log2e, 1.44269504)
LANES(exp1, 0.69314718)
LANES(exp2, 0.24022651)
LANES(exp3, 0.05550411)
LANES(exp4, 0.00961813)
LANES(exp5, 0.00133336)
LANES(exp6, 0.00015404)

// erfc(z) = (t a1 + .. + t^5 a5) exp(-z^2), t = 1/(1+pz): Abramowitz and Stegun 7.1.26, halved, z = x/sqrt 2.
LANES(erfP, 0.231641888)
LANES(erf1, 0.127414796)
LANES(erf2, -0.142248368)
LANES(erf3, 0.7107068705)
LANES(erf4, -0.7265760135)
LANES(erf5, 0.5307027145)
LANES(minusHalf, -0.5)

// EXP makes x = e^x for x <= 0: 2^n goes straight into the exponent bits; f and p are scratch.
#define EXP(x, f, p) \
	VMAXPS      expMin<>(SB), x, x \
	VMULPS      log2e<>(SB), x, x  \
	VROUNDPS    $0, x, f           \
	VCVTPS2DQ   f, p               \
	VSUBPS      f, x, f            \
	VPSLLD      $23, p, x          \
	VMOVUPS     exp6<>(SB), p      \
	VFMADD213PS exp5<>(SB), f, p   \
	VFMADD213PS exp4<>(SB), f, p   \
	VFMADD213PS exp3<>(SB), f, p   \
	VFMADD213PS exp2<>(SB), f, p   \
	VFMADD213PS exp1<>(SB), f, p   \
	VFMADD213PS one<>(SB), f, p    \
	VPADDD      p, x, x

// HFOLD leaves op over the eight lanes of x in all lanes of x; t is scratch.
#define HFOLD(op, x, t) \
	VPERM2F128 $1, x, x, t  \
	op         t, x, x      \
	VPERMILPS  $0x4e, x, t  \
	op         t, x, x      \
	VPERMILPS  $0xb1, x, t  \
	op         t, x, x

// func softmaxRow(x *float32, n int)
// Y0 the largest, later 1/sum; Y4 the sum.
TEXT ·softmaxRow(SB), NOSPLIT, $0-16
	MOVQ    x+0(FP), DI
	MOVQ    n+8(FP), CX
	SHLQ    $2, CX
	VMOVUPS (DI), Y0
	XORQ    AX, AX

largest:
	VMAXPS (DI)(AX*1), Y0, Y0
	ADDQ   $32, AX
	CMPQ   AX, CX
	JLT    largest
	HFOLD(VMAXPS, Y0, Y1)
	VXORPS Y4, Y4, Y4
	XORQ   AX, AX

exponentials:
	VMOVUPS (DI)(AX*1), Y1
	VSUBPS  Y0, Y1, Y1
	EXP(Y1, Y2, Y3)
	VADDPS  Y1, Y4, Y4
	VMOVUPS Y1, (DI)(AX*1)
	ADDQ    $32, AX
	CMPQ    AX, CX
	JLT     exponentials
	HFOLD(VADDPS, Y4, Y1)
	VMOVUPS one<>(SB), Y0
	VDIVPS  Y4, Y0, Y0
	XORQ    AX, AX

shares:
	VMULPS  (DI)(AX*1), Y0, Y1
	VMOVUPS Y1, (DI)(AX*1)
	ADDQ    $32, AX
	CMPQ    AX, CX
	JLT     shares
	VZEROUPPER
	RET

// func geluRow(x *float32, n int)
// gelu(x) = max(x, 0) - |x| * erfc(|x|/sqrt 2) / 2: no branch on the sign.
// Y0 x, Y1 |x| and then exp(-x^2/2), Y3 t, Y4 |x| times the polynomial, Y7 zero.
TEXT ·geluRow(SB), NOSPLIT, $0-16
	MOVQ   x+0(FP), DI
	MOVQ   n+8(FP), CX
	VXORPS Y7, Y7, Y7

each:
	VMOVUPS      (DI), Y0
	VANDPS       absMask<>(SB), Y0, Y1
	VMOVUPS      one<>(SB), Y2
	VMULPS       erfP<>(SB), Y1, Y3
	VADDPS       Y2, Y3, Y3
	VDIVPS       Y3, Y2, Y3
	VMOVUPS      erf5<>(SB), Y4
	VFMADD213PS  erf4<>(SB), Y3, Y4
	VFMADD213PS  erf3<>(SB), Y3, Y4
	VFMADD213PS  erf2<>(SB), Y3, Y4
	VFMADD213PS  erf1<>(SB), Y3, Y4
	VMULPS       Y3, Y4, Y4
	VMULPS       Y1, Y4, Y4
	VMULPS       Y1, Y1, Y1
	VMULPS       minusHalf<>(SB), Y1, Y1
	EXP(Y1, Y2, Y3)
	VMAXPS       Y7, Y0, Y0
	VFNMADD231PS Y4, Y1, Y0
	VMOVUPS      Y0, (DI)
	ADDQ         $32, DI
	SUBQ         $8, CX
	JNZ          each
	VZEROUPPER
	RET

// func quantiseRow(dst *int16, src *float32, n int, limit float32) float32
// Y0 the largest |src|, Y2 limit/Y0, Y3 the mask of the sign.
TEXT ·quantiseRow(SB), NOSPLIT, $0-36
	MOVQ    dst+0(FP), SI
	MOVQ    src+8(FP), DI
	MOVQ    n+16(FP), CX
	VMOVUPS absMask<>(SB), Y3
	VXORPS  Y0, Y0, Y0
	VXORPS  Y1, Y1, Y1
	SHLQ    $2, CX
	XORQ    AX, AX

widest:
	VANDPS (DI)(AX*1), Y3, Y4
	VANDPS 32(DI)(AX*1), Y3, Y5
	VMAXPS Y4, Y0, Y0
	VMAXPS Y5, Y1, Y1
	ADDQ   $64, AX
	CMPQ   AX, CX
	JLT    widest
	VMAXPS Y1, Y0, Y0
	HFOLD(VMAXPS, Y0, Y1)
	VBROADCASTSS limit+24(FP), Y1
	VDIVPS Y1, Y0, Y2
	VMOVSS X2, ret+32(FP)
	VDIVPS Y0, Y1, Y2
	VXORPS Y1, Y1, Y1
	VCMPPS $4, Y1, Y0, Y1 // an all-zero row must not become NaN
	VANDPS Y1, Y2, Y2
	XORQ   AX, AX

rounded:
	VMULPS    (DI)(AX*1), Y2, Y4
	VMULPS    32(DI)(AX*1), Y2, Y5
	VCVTPS2DQ Y4, Y4
	VCVTPS2DQ Y5, Y5
	VPACKSSDW Y5, Y4, Y4
	VPERMQ    $0xd8, Y4, Y4 // the pack works within halves
	VMOVDQU   Y4, (SI)
	ADDQ      $32, SI
	ADDQ      $64, AX
	CMPQ      AX, CX
	JLT       rounded
	VZEROUPPER
	RET

// Four registers of the row at AX: x += y, summed in Y0..Y3.
#define ADDSUM(off, sum) \
	VMOVUPS off(DI)(AX*1), Y4     \
	VADDPS  off(SI)(AX*1), Y4, Y4 \
	VMOVUPS Y4, off(DI)(AX*1)     \
	VADDPS  Y4, sum, sum

#define SQUARE(off, sum) \
	VMOVUPS     off(DI)(AX*1), Y4 \
	VSUBPS      Y5, Y4, Y4        \
	VFMADD231PS Y4, Y4, sum

// FOLD4 leaves the mean of 32 lanes' sums in all lanes of Y0; Y14 is the number of numbers.
#define FOLD4 \
	VADDPS Y1, Y0, Y0      \
	VADDPS Y3, Y2, Y2      \
	VADDPS Y2, Y0, Y0      \
	HFOLD(VADDPS, Y0, Y1)  \
	VDIVPS Y14, Y0, Y0

#define ZERO4 \
	VXORPS Y0, Y0, Y0; VXORPS Y1, Y1, Y1; VXORPS Y2, Y2, Y2; VXORPS Y3, Y3, Y3

// func normaliseRow(x, y, weight, bias *float32, n int)
// Y0..Y3 sums, Y5 the mean, Y6 1/sqrt(variance + slack), Y14 n; R8 weights, R9 biases.
TEXT ·normaliseRow(SB), NOSPLIT, $0-40
	MOVQ         x+0(FP), DI
	MOVQ         y+8(FP), SI
	MOVQ         weight+16(FP), R8
	MOVQ         bias+24(FP), R9
	MOVQ         n+32(FP), CX
	VXORPS       Y14, Y14, Y14
	VCVTSI2SSQ   CX, X14, X14
	VBROADCASTSS X14, Y14
	SHLQ         $2, CX
	ZERO4
	XORQ         AX, AX
	TESTQ        SI, SI
	JZ           alone

both:
	ADDSUM(0, Y0)
	ADDSUM(32, Y1)
	ADDSUM(64, Y2)
	ADDSUM(96, Y3)
	ADDQ $128, AX
	CMPQ AX, CX
	JLT  both
	JMP  mean

alone:
	VADDPS (DI)(AX*1), Y0, Y0
	VADDPS 32(DI)(AX*1), Y1, Y1
	VADDPS 64(DI)(AX*1), Y2, Y2
	VADDPS 96(DI)(AX*1), Y3, Y3
	ADDQ   $128, AX
	CMPQ   AX, CX
	JLT    alone

mean:
	FOLD4
	VMOVAPS Y0, Y5
	ZERO4
	XORQ    AX, AX

variance:
	SQUARE(0, Y0)
	SQUARE(32, Y1)
	SQUARE(64, Y2)
	SQUARE(96, Y3)
	ADDQ    $128, AX
	CMPQ    AX, CX
	JLT     variance
	FOLD4
	VADDPS  slack<>(SB), Y0, Y0
	VSQRTPS Y0, Y0
	VMOVUPS one<>(SB), Y6
	VDIVPS  Y0, Y6, Y6
	XORQ    AX, AX

scaled:
	VMOVUPS     (DI)(AX*1), Y4
	VSUBPS      Y5, Y4, Y4
	VMULPS      Y6, Y4, Y4
	VMOVUPS     (R8)(AX*1), Y7
	VFMADD213PS (R9)(AX*1), Y7, Y4
	VMOVUPS     Y4, (DI)(AX*1)
	ADDQ        $32, AX
	CMPQ        AX, CX
	JLT         scaled
	VZEROUPPER
	RET
