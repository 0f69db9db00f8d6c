#pragma once

// KERR_EACH(M, (a, b), (c, d)) expands to M(a, b) M(c, d): what turns the operand list of a table row into
// declarations. Nothing else in the house needs it; up to 16 operands.

#define KERR_EACH_1(M, a) M a
#define KERR_EACH_2(M, a, ...) M a KERR_EACH_1(M, __VA_ARGS__)
#define KERR_EACH_3(M, a, ...) M a KERR_EACH_2(M, __VA_ARGS__)
#define KERR_EACH_4(M, a, ...) M a KERR_EACH_3(M, __VA_ARGS__)
#define KERR_EACH_5(M, a, ...) M a KERR_EACH_4(M, __VA_ARGS__)
#define KERR_EACH_6(M, a, ...) M a KERR_EACH_5(M, __VA_ARGS__)
#define KERR_EACH_7(M, a, ...) M a KERR_EACH_6(M, __VA_ARGS__)
#define KERR_EACH_8(M, a, ...) M a KERR_EACH_7(M, __VA_ARGS__)
#define KERR_EACH_9(M, a, ...) M a KERR_EACH_8(M, __VA_ARGS__)
#define KERR_EACH_10(M, a, ...) M a KERR_EACH_9(M, __VA_ARGS__)
#define KERR_EACH_11(M, a, ...) M a KERR_EACH_10(M, __VA_ARGS__)
#define KERR_EACH_12(M, a, ...) M a KERR_EACH_11(M, __VA_ARGS__)
#define KERR_EACH_13(M, a, ...) M a KERR_EACH_12(M, __VA_ARGS__)
#define KERR_EACH_14(M, a, ...) M a KERR_EACH_13(M, __VA_ARGS__)
#define KERR_EACH_15(M, a, ...) M a KERR_EACH_14(M, __VA_ARGS__)
#define KERR_EACH_16(M, a, ...) M a KERR_EACH_15(M, __VA_ARGS__)
#define KERR_EACH_PICK(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, name, ...) name
#define KERR_EACH_N(M, ...)                                                                                       \
  KERR_EACH_PICK(__VA_ARGS__, KERR_EACH_16, KERR_EACH_15, KERR_EACH_14, KERR_EACH_13, KERR_EACH_12, KERR_EACH_11, \
                 KERR_EACH_10, KERR_EACH_9, KERR_EACH_8, KERR_EACH_7, KERR_EACH_6, KERR_EACH_5, KERR_EACH_4,      \
                 KERR_EACH_3, KERR_EACH_2, KERR_EACH_1, )                                                         \
  (M, __VA_ARGS__)
#define KERR_EACH(M, ...) __VA_OPT__(KERR_EACH_N(M, __VA_ARGS__))
