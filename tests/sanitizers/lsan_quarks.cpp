// SPDX-License-Identifier: LGPL-2.1-or-later
// Keeps LeakSanitizer quiet about GLib's table of quarks. GLib makes it while it is loaded, and
// when it grows it leaves the old one alone, because others may be reading it. GLib is built
// without frame pointers, so that the sanitizer's fast stacks end at g_malloc and lsan.txt cannot
// name who allocated.
#ifdef __SANITIZE_ADDRESS__
#include <array>
#include <cstddef>

namespace {

constexpr size_t kTableBytes = 2048 * sizeof(char*);  // QUARK_BLOCK_SIZE of GLib's gquark.c

std::array<const volatile void*, 8> tables;  // what stands here is not leaked
size_t found = 0;
bool loading = true;  // libraries are initialised before the program

[[gnu::constructor]] void loaded() { loading = false; }

}  // namespace

// Called by the sanitizer after every allocation (sanitizer/allocator_interface.h).
extern "C" [[gnu::visibility("default")]] void __sanitizer_malloc_hook(const volatile void* block,
                                                                       size_t bytes) {
  if (loading && bytes == kTableBytes && found < tables.size()) tables[found++] = block;
}
#endif
