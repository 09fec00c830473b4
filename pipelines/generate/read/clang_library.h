// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <clang-c/Index.h>

#include <filesystem>
#include <string>

/// The functions of libclang that the generator calls.
#define TANDEM_CLANG_FUNCTIONS(X)   \
  X(clang_Cursor_Evaluate)          \
  X(clang_Cursor_getStorageClass)   \
  X(clang_Cursor_isNull)            \
  X(clang_EvalResult_dispose)       \
  X(clang_EvalResult_getAsDouble)   \
  X(clang_EvalResult_getAsLongLong) \
  X(clang_EvalResult_getKind)       \
  X(clang_File_isEqual)             \
  X(clang_annotateTokens)           \
  X(clang_createIndex)              \
  X(clang_disposeDiagnostic)        \
  X(clang_disposeIndex)             \
  X(clang_disposeString)            \
  X(clang_disposeTokens)            \
  X(clang_disposeTranslationUnit)   \
  X(clang_getArrayElementType)      \
  X(clang_getCString)               \
  X(clang_getCanonicalType)         \
  X(clang_getCursorDefinition)      \
  X(clang_getCursorExtent)          \
  X(clang_getCursorKind)            \
  X(clang_getCursorKindSpelling)    \
  X(clang_getCursorLocation)        \
  X(clang_getCursorReferenced)      \
  X(clang_getCursorResultType)      \
  X(clang_getCursorSemanticParent)  \
  X(clang_getCursorSpelling)        \
  X(clang_getCursorType)            \
  X(clang_getDiagnostic)            \
  X(clang_getDiagnosticLocation)    \
  X(clang_getDiagnosticSeverity)    \
  X(clang_getDiagnosticSpelling)    \
  X(clang_getElementType)           \
  X(clang_getExpansionLocation)     \
  X(clang_getFile)                  \
  X(clang_getLocationForOffset)     \
  X(clang_getNullCursor)            \
  X(clang_getNumDiagnostics)        \
  X(clang_getPointeeType)           \
  X(clang_getRange)                 \
  X(clang_getRangeEnd)              \
  X(clang_getRangeStart)            \
  X(clang_getSpellingLocation)      \
  X(clang_getTokenExtent)           \
  X(clang_getTokenKind)             \
  X(clang_getTranslationUnitCursor) \
  X(clang_getTypeSpelling)          \
  X(clang_isConstQualifiedType)     \
  X(clang_isCursorDefinition)       \
  X(clang_isDeclaration)            \
  X(clang_isExpression)             \
  X(clang_parseTranslationUnit)     \
  X(clang_tokenize)                 \
  X(clang_visitChildren)

namespace tandem::generate {

/// libclang, loaded when it is first asked for. Linked to the command, its LLVM would meet another
/// LLVM in OpenCL drivers such as PoCL's, and both would crash.
struct ClangLibrary {
#define X(name) decltype(&::name) name = nullptr;
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
