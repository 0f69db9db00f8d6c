// What exp2, log2 and sin of loop programs are made of. Each is one fixed sequence of integer operations, on
// fixed-point numbers of the width of its type: a multiplication for each term of a polynomial, no rounding but the
// last. So every machine gives the same bits, and a hart, which has integer multipliers, is quick.
//
// The polynomials are minimax, found by the Remez exchange in 200 bits.
#pragma once

#include <cstdint>

namespace kerr::loops {

/// As exp2_f32, log2_f32 and sin_f32 of loops/arithmetic.hpp, in float64.
uint64_t exp2_f64(uint64_t bits);
uint64_t log2_f64(uint64_t bits);
uint64_t sin_f64(uint64_t bits);

// Coefficients for float32, that of the lowest power first. "2^-31" says what one unit is.
namespace f32_functions {

// (2^f - 1) / f for f in [0, 1), 2^-32. Error of 2^f: 2^-28.3. The sum is below 2^32.
inline constexpr uint32_t kExp2[] = {0xB1721501, 0x3D7FB4E6, 0x0E3419A9, 0x027A7712, 0x00515CC9, 0x000E4889};

// log2(1 + r) / r for r in [0, 0.4143) and log2(1 - r) / -r for r in [0, 0.2929), 2^-31. Relative error: 2^-30.3. All
// but the first are signed.
inline constexpr uint32_t kLog2Above[] = {0xB8AA3B27, -0x5C551ABEu, 0x3D8D7FD1, -0x2E1EF6AEu,
                                          0x247A93A3, -0x1C3A2B48u, 0x11F3A2E8, -0x065F8837u};
inline constexpr uint32_t kLog2Below[] = {0xB8AA3B27, 0x5C5520F3, 0x3D8D27CC,   0x2E42F6EC,
                                          0x23B539B1, 0x2726D0DD, -0x041028DEu, 0x4AF878A9};

// sin(f pi/2) / f and (1 - cos(f pi/2)) / f^2 in powers of f^2, for f^2 in [0, 1/4], 2^-31; the signs alternate.
// Relative error of the sine: 2^-28.2, of the cosine 2^-34.
inline constexpr uint32_t kSin[] = {0xC90FDA97, 0x52AEEE40, 0x0A32F48F, 0x0096C981};
inline constexpr uint32_t kCos[] = {0x9DE9E63F, 0x20783BDA, 0x02AB8CC8, 0x001D9F7C};

// 64 zeros and the first bits of 2/pi behind the binary point.
inline constexpr uint32_t kTwoOverPi[] = {0, 0, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041};

}  // namespace f32_functions

// The same for float64.
namespace f64_functions {

// 2^-64. Error of 2^f: 2^-57.6. The sum is below 2^64.
inline constexpr uint64_t kExp2[] = {0xB17217F7D1CFB59C, 0x3D7F7BFF057D9BCC, 0x0E35846B835F266C, 0x0276556DECB7E5B2,
                                     0x005761FFDB7B968A, 0x000A1847B85A97DE, 0x0000FFE8125A608B, 0x00001628B9CD72BE,
                                     0x000001B88AD97949, 0x0000001C19AA0EB6, 0x00000002B41A1876};

// 2^-62. Relative error: 2^-59.4.
inline constexpr int64_t kLog2Above[] = {
    0x5C551D94AE0BF856, -0x2E2A8ECA5705D406, 0x1EC709DC39E365A2, -0x1715476521088290,
    0x12776C4F299657BE, -0x0F6384BF7FF0CA54, 0x0D30B7EDCE80CCCD, -0x0B8A7DBF36DFD0BE,
    0x0A41104B87BD1924, -0x09338D6ECEDE4BE6, 0x083E20A6F225557E, -0x0727E0E2EF46A6E4,
    0x05A83EC39BE7F609, -0x03AB96886492E372, 0x01A9409BADC8BA0C, -0x0060FD3FB929F514};
inline constexpr int64_t kLog2Below[] = {
    0x5C551D94AE0BF857,  0x2E2A8ECA57062BEC, 0x1EC709DC39CE71CC,  0x171547654337BC66,
    0x12776C4B6F55720E,  0x0F6385B3420950C7, 0x0D30A905636371D1,  0x0B8BC74B39CD60BE,
    0x0A3548E7394CB065,  0x09A800DE338CDAEE, 0x05D77504143AB72B,  0x12D825E42DB28FB0,
    -0x1B7EC9D82A63B442, 0x4FBE2045DB6470DD, -0x5A7F2AD9F7E7B48A, 0x4607457B7BBAC389};

// 2^-63. Relative error of the sine: 2^-58, of the cosine 2^-64.
inline constexpr uint64_t kSin[] = {0xC90FDAA22168C205, 0x52AEF39896F9027D, 0x0A335E33BAC37FCB, 0x00996966716A9B18,
                                    0x000541E0BF28E377, 0x00001E30063A0464, 0x00000078FBB575A5};
inline constexpr uint64_t kCos[] = {0x9DE9E64DF22EF270, 0x20783E1036B56043, 0x02ABA78FC792B780, 0x001E1F50683B42CE,
                                    0x0000D368F65BA020, 0x000003F398D59FC3, 0x0000000D937F4314};

// 96 zeros and the first bits of 2/pi.
inline constexpr uint32_t kTwoOverPi[] = {
    0,          0,          0,          0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599,
    0x3C439041, 0xFE5163AB, 0xDEBBC561, 0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C,
    0xB129A73E, 0xE88235F5, 0x2EBB4484, 0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B,
    0xBDF9283B, 0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66,
    0x9E5FEA2D, 0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08};

}  // namespace f64_functions

}  // namespace kerr::loops
