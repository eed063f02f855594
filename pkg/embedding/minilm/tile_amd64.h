// What the tile kernels share. A tile has six rows; their inputs are read through two pointers:
//
//	DI  row 0, R9 row 3 (DI + 3*R8), R8 bytes from row to row
//	SI  weights, advancing; CX steps left
//	DX  first output of the current row, R13 bytes from row to row

#define ARGS(n) \
	MOVQ n+0(FP), CX     \
	MOVQ a+8(FP), DI     \
	MOVQ lda+16(FP), R8  \
	MOVQ b+24(FP), SI    \
	MOVQ c+32(FP), DX    \
	MOVQ ldc+40(FP), R13 \
	LEAQ (R8)(R8*2), R9  \
	ADDQ DI, R9

// R10 six row scales, R11 column scales, R12 biases.
#define SCALES \
	MOVQ rowScale+48(FP), R10 \
	MOVQ colScale+56(FP), R11 \
	MOVQ bias+64(FP), R12
