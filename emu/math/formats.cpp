#include "emu/math/formats.hpp"

namespace kerr::emu::math {

const char* name_of(Format f) {
  switch (f) {
    case Format::Fp32: return "FP32";
    case Format::Fp16: return "FP16";
    case Format::Bfp8a: return "BFP8a";
    case Format::Bfp4a: return "BFP4a";
    case Format::Tf32: return "TF32";
    case Format::Bf16: return "BF16";
    case Format::Bfp8: return "BFP8";
    case Format::Bfp4: return "BFP4";
    case Format::Int32: return "INT32";
    case Format::Int16: return "INT16";
    case Format::Fp8: return "FP8";
    case Format::Bfp2a: return "BFP2a";
    case Format::Int8: return "INT8";
    case Format::Bfp2: return "BFP2";
  }
  return "reserved";
}

}  // namespace kerr::emu::math
