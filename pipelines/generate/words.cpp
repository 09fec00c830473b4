// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/words.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "kernels/stage_file/parse/names.h"

namespace tandem::generate {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

constexpr std::array kFunctions{
    Pair{"abs", "abs"},      Pair{"atan2f", "atan2"}, Pair{"atanf", "atan"},
    Pair{"ceilf", "ceil"},   Pair{"cosf", "cos"},     Pair{"exp2f", "exp2"},
    Pair{"expf", "exp"},     Pair{"fabsf", "fabs"},   Pair{"floorf", "floor"},
    Pair{"fmaf", "fma"},     Pair{"fmaxf", "fmax"},   Pair{"fminf", "fmin"},
    Pair{"hypotf", "hypot"}, Pair{"log2f", "log2"},   Pair{"logf", "log"},
    Pair{"powf", "pow"},     Pair{"rintf", "rint"},   Pair{"roundf", "round"},
    Pair{"sinf", "sin"},     Pair{"sqrtf", "sqrt"},   Pair{"tanf", "tan"},
    Pair{"tanhf", "tanh"},   Pair{"truncf", "trunc"}, Pair{"acosf", "acos"},
    Pair{"asinf", "asin"},   Pair{"cbrtf", "cbrt"},   Pair{"copysignf", "copysign"},
    Pair{"coshf", "cosh"},   Pair{"fmodf", "fmod"},   Pair{"log10f", "log10"},
    Pair{"sinhf", "sinh"},
};

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
  return std::ranges::find(kFunctions, name, &Pair::first) != kFunctions.end();
}

bool is_known_type(std::string_view name) {
  return name == "size_t" ||
         (name.ends_with("_t") && std::ranges::find(kOthers, name, &Pair::first) != kOthers.end());
}

std::string stage_word(std::string_view word) {
  for (const auto& pairs : {std::span<const Pair>(kFunctions), std::span<const Pair>(kOthers)})
    if (const auto found = std::ranges::find(pairs, word, &Pair::first); found != pairs.end())
      return std::string(found->second);
  return std::string(word);
}

bool is_type_word(std::string_view word) {
  constexpr std::array<std::string_view, 17> kSame{
      "char", "const", "do",     "else",   "float",    "for",  "goto",  "if",    "int",
      "long", "short", "signed", "sizeof", "unsigned", "void", "while", "return"};
  return std::ranges::find(kSame, word) != kSame.end();
}

bool is_taken_name(const std::string& name) {
  return !problem_of_name(name).empty() || std::ranges::find(kTaken, name) != kTaken.end();
}

}  // namespace tandem::generate
