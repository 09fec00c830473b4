// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/read/signature_reader.h"

#include <algorithm>

#include "kernels/stage_file/parse/names.h"

namespace tandem::generate {
namespace {

/// The type of the numbers of an array, and how many dimensions it has.
struct Numbers {
  CXType type;
  int dimensions = 0;
};
Numbers numbers_of(CXCursor declared) {
  Numbers numbers{type_of(declared)};
  for (CXType inner; (inner = element_of(numbers.type)).kind != CXType_Invalid;
       numbers.type = inner)
    ++numbers.dimensions;
  return numbers;
}

ElementType element_type(const ClangSource& source, CXCursor declared, CXType element) {
  switch (element.kind) {
    case CXType_Float:
      return ElementType::kFloat32;
    case CXType_Int:
      return ElementType::kInt32;
    case CXType_UChar:
      return ElementType::kUint8;
    default:
      source.refuse(declared, "elements of type '" + taken(clang().getTypeSpelling(element)) +
                                  "': a stage has float, int and unsigned char");
  }
}

}  // namespace

bool is_array(CXCursor declared) { return numbers_of(declared).dimensions > 0; }

Array read_array(const ClangSource& source, CXCursor declared, const ValueOf& size_of) {
  const auto [type, dimensions] = numbers_of(declared);
  Array array{.symbol = source.symbol(declared),
              .type = element_type(source, declared, type),
              .is_parameter = kind(declared) == CXCursor_ParmDecl,
              .is_const = clang().isConstQualifiedType(type) != 0,
              .at = source.place(declared)};
  const std::string name = quoted_name(array.symbol);
  array.is_restrict = mentions(source.code(source.span(declared)), "restrict");
  auto sizes = children(declared);
  if (!array.is_parameter && !sizes.empty() && kind(sizes.back()) == CXCursor_InitListExpr) {
    const auto values = children(sizes.back());
    if (values.size() > 1 || (values.size() == 1 && !is_zero(values[0])))
      source.refuse(declared, name + " starts with values other than 0");
    array.is_zeroed = true;
    sizes.pop_back();
  }
  std::erase_if(sizes, [](CXCursor each) { return !clang().isExpression(kind(each)); });
  std::ranges::sort(sizes, {}, [&](CXCursor each) { return source.span(each).begin; });
  for (const CXCursor& size : sizes) {
    const auto affine = affine_of(source, size, size_of);
    if (!affine)
      source.refuse(size, "the size of " + name + " is not a sum of products of parameters");
    array.sizes.push_back(*affine);
  }
  array.is_flat = dimensions == 1;
  if (static_cast<int>(array.sizes.size()) != dimensions && (dimensions > 1 || !array.is_parameter))
    source.refuse(declared, name + " is a pointer to pointers or lacks a size: write " +
                                name_of_symbol(array.symbol) + "[h][w]");
  if (array.sizes.size() > 4) source.refuse(declared, name + " has more than 4 dimensions");
  return array;
}

Scalar read_scalar(const ClangSource& source, CXCursor declared) {
  const CXType type = type_of(declared);
  if (type.kind != CXType_Int && type.kind != CXType_Float)
    source.refuse(declared, "'" + spelling(declared) + "' of type '" +
                                taken(clang().getTypeSpelling(type)) +
                                "': numbers are int or float, arrays have their size");
  return {.symbol = source.symbol(declared),
          .is_real = type.kind == CXType_Float,
          .at = source.place(declared)};
}

}  // namespace tandem::generate
