// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/read/signature_reader.h"

#include <algorithm>

#include "kernels/stage_file/parse/names.h"

namespace tandem::generate {
namespace {

CXType element_of(CXType type) {
  type = clang().getCanonicalType(type);
  while (true) {
    if (type.kind == CXType_Pointer) {
      type = clang().getCanonicalType(clang().getPointeeType(type));
    } else if (const CXType element = clang().getArrayElementType(type);
               element.kind != CXType_Invalid) {
      type = clang().getCanonicalType(element);
    } else {
      return type;
    }
  }
}

int depth_of(CXType type) {
  int depth = 0;
  for (type = clang().getCanonicalType(type);; ++depth) {
    if (type.kind == CXType_Pointer) {
      type = clang().getCanonicalType(clang().getPointeeType(type));
    } else if (const CXType element = clang().getArrayElementType(type);
               element.kind != CXType_Invalid) {
      type = clang().getCanonicalType(element);
    } else {
      return depth;
    }
  }
}

ElementType element_type(const ClangSource& source, CXCursor declared) {
  const CXType element = element_of(clang().getCursorType(declared));
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

bool is_array(CXCursor declared) { return depth_of(clang().getCursorType(declared)) > 0; }

Array read_array(const ClangSource& source, CXCursor declared, const ValueOf& size_of) {
  Array array{
      .symbol = source.symbol(declared),
      .type = element_type(source, declared),
      .is_parameter = kind(declared) == CXCursor_ParmDecl,
      .is_const = clang().isConstQualifiedType(element_of(clang().getCursorType(declared))) != 0,
      .at = source.place(declared)};
  const std::string name = quoted(name_of_symbol(array.symbol));
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
      source.refuse(size, "the size of " + name + " is no sum of products of parameters");
    array.sizes.push_back(*affine);
  }
  const int depth = depth_of(clang().getCursorType(declared));
  array.is_flat = depth == 1;
  if (static_cast<int>(array.sizes.size()) != depth && (depth > 1 || !array.is_parameter))
    source.refuse(declared, name + " is a pointer to pointers or lacks a size: write " +
                                name_of_symbol(array.symbol) + "[h][w]");
  if (array.sizes.size() > 4) source.refuse(declared, name + " has more than 4 dimensions");
  return array;
}

Scalar read_scalar(const ClangSource& source, CXCursor declared) {
  const CXType type = clang().getCanonicalType(clang().getCursorType(declared));
  if (type.kind != CXType_Int && type.kind != CXType_Float)
    source.refuse(declared, "'" + taken(clang().getCursorSpelling(declared)) + "' of type '" +
                                taken(clang().getTypeSpelling(type)) +
                                "': numbers are int or float, arrays have their size");
  return {.symbol = source.symbol(declared),
          .is_real = type.kind == CXType_Float,
          .at = source.place(declared)};
}

}  // namespace tandem::generate
