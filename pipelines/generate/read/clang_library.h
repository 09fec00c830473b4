// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <clang-c/Index.h>

#include <filesystem>
#include <string>

/// The functions of libclang that the generator calls, without their prefix clang_.
#define TANDEM_CLANG_FUNCTIONS(X) \
  X(Cursor_Evaluate)              \
  X(Cursor_getStorageClass)       \
  X(Cursor_isNull)                \
  X(EvalResult_dispose)           \
  X(EvalResult_getAsDouble)       \
  X(EvalResult_getAsLongLong)     \
  X(EvalResult_getKind)           \
  X(File_isEqual)                 \
  X(annotateTokens)               \
  X(createIndex)                  \
  X(disposeDiagnostic)            \
  X(disposeIndex)                 \
  X(disposeString)                \
  X(disposeTokens)                \
  X(disposeTranslationUnit)       \
  X(getArrayElementType)          \
  X(getCString)                   \
  X(getCanonicalType)             \
  X(getCursorDefinition)          \
  X(getCursorExtent)              \
  X(getCursorKind)                \
  X(getCursorKindSpelling)        \
  X(getCursorLocation)            \
  X(getCursorReferenced)          \
  X(getCursorResultType)          \
  X(getCursorSemanticParent)      \
  X(getCursorSpelling)            \
  X(getCursorType)                \
  X(getDiagnostic)                \
  X(getDiagnosticLocation)        \
  X(getDiagnosticSeverity)        \
  X(getDiagnosticSpelling)        \
  X(getElementType)               \
  X(getExpansionLocation)         \
  X(getFile)                      \
  X(getLocationForOffset)         \
  X(getNullCursor)                \
  X(getNumDiagnostics)            \
  X(getPointeeType)               \
  X(getRange)                     \
  X(getRangeEnd)                  \
  X(getRangeStart)                \
  X(getTokenExtent)               \
  X(getTokenKind)                 \
  X(getTranslationUnitCursor)     \
  X(getTypeSpelling)              \
  X(isConstQualifiedType)         \
  X(isCursorDefinition)           \
  X(isDeclaration)                \
  X(isExpression)                 \
  X(parseTranslationUnit)         \
  X(tokenize)                     \
  X(visitChildren)

namespace tandem::generate {

/// libclang, loaded on first use. Linked to the command, its LLVM would meet another
/// LLVM in OpenCL drivers such as PoCL's, and both would crash.
struct ClangLibrary {
#define X(name) decltype(&::clang_##name) name = nullptr;
  TANDEM_CLANG_FUNCTIONS(X)
#undef X
};

/// The path of the newest libclang under `folder`, where Debian and Ubuntu have a folder for each
/// version of LLVM (llvm-19/lib/libclang-19.so.1). Empty if none of the accepted versions is there.
std::string newest_libclang(const std::filesystem::path& folder = "/usr/lib");

/// Loads the file that $TANDEM_LIBCLANG names, or the newest libclang, with the first call. Throws
/// std::runtime_error if there is none. The library may be of another version than the headers:
/// values of enumerations that change between versions are not used (CXCursor_TranslationUnit).
const ClangLibrary& clang();

}  // namespace tandem::generate
