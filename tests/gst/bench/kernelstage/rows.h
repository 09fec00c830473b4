// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <string>

#include "kernels/opencl/opencl.h"

/// The rows of kernelstage_bench. Each prints what it measured as a line of its table.
namespace tandem {

struct StageBench {
  std::shared_ptr<opencl::Context> context;  ///< null: there is no device
  std::string device;                        ///< what `context` was asked for by
  int rounds = 15;                           ///< in turn; ratios are medians of them
};

/// Kernels alone, 1920x1080: stage files against what is written by hand, on one core and on the
/// device.
void bench_sobel(const StageBench& bench);
void bench_vivid(const StageBench& bench);
/// Three element-wise maps in one file against three files.
void bench_fused(const StageBench& bench);

/// Three elements of a chain, each an element-wise map, in one pass against one by one: their code
/// alone, and frames through tandembin, where the rest of a frame's way is in the times.
void bench_elements(const StageBench& bench);

/// What tandembin chooses for a chain against the best of a search.
void print_chosen(const StageBench& bench, const char* what, const std::string& chain);
/// Of four stages.
void bench_chosen(const StageBench& bench);
/// Of the elements of bench_elements().
void bench_elements_chosen(const StageBench& bench);
/// The same from the start of a process to its first frame, with an empty cache and with a full
/// one.
void bench_start(const StageBench& bench);
/// What bench_start() has another process do: prints seconds.
void start_once(const std::string& device, const std::string& folder);

}  // namespace tandem
