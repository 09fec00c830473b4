// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/opencl_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/stage_file/parse/names.h"

namespace tandem::generate {
namespace {

// Functions of <math.h> for float: OpenCL C has the same names without the f, for all its types.
constexpr std::array<std::string_view, 30> kFunctions{
    "acosf", "asinf",  "atan2f", "atanf", "cbrtf",  "ceilf", "copysignf", "cosf",
    "coshf", "exp2f",  "expf",   "fabsf", "floorf", "fmaf",  "fmaxf",     "fminf",
    "fmodf", "hypotf", "log10f", "log2f", "logf",   "powf",  "rintf",     "roundf",
    "sinf",  "sinhf",  "sqrtf",  "tanf",  "tanhf",  "truncf"};

using Pair = std::pair<std::string_view, std::string_view>;

constexpr std::array kOthers{
    Pair{"uint8_t", "uchar"}, Pair{"int8_t", "char"},   Pair{"uint16_t", "ushort"},
    Pair{"int16_t", "short"}, Pair{"uint32_t", "uint"}, Pair{"int32_t", "int"},
    Pair{"_Bool", "bool"},    Pair{"static", ""},       Pair{"inline", ""},
    Pair{"restrict", ""},
};

// Names that are free in C and that OpenCL C or the code around a stage's has.
constexpr std::array<std::string_view, 46> kTaken{
    "atan",     "atan2",   "ceil",      "cos",   "cross",  "degrees",   "distance",  "dot",
    "event_t",  "exp2",    "fract",     "hypot", "ilogb",  "isnan",     "ldexp",     "length",
    "log2",     "luma",    "mix",       "mul24", "nan",    "normalize", "popcount",  "pragma",
    "prefetch", "radians", "remainder", "rint",  "rotate", "rsqrt",     "sampler_t", "select",
    "shuffle",  "sign",    "sin",       "step",  "tan",    "tanh",      "trunc",     "vec_step",
    "float2",   "float3",  "float4",    "int2",  "int3",   "int4"};

}  // namespace

bool is_known_function(std::string_view name) {
  return name == "abs" || std::ranges::find(kFunctions, name) != kFunctions.end();
}

bool is_known_type(std::string_view name) {
  return name == "size_t" ||
         (name.ends_with("_t") && std::ranges::find(kOthers, name, &Pair::first) != kOthers.end());
}

std::string opencl_name(std::string_view word) {
  if (word.ends_with('f') && is_known_function(word)) word.remove_suffix(1);
  const auto other = std::ranges::find(kOthers, word, &Pair::first);
  return std::string(other == kOthers.end() ? word : other->second);
}

bool is_taken_name(const std::string& name) {
  return !problem_of_name(name).empty() || std::ranges::find(kTaken, name) != kTaken.end();
}

}  // namespace tandem::generate
