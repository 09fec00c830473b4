// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "gst/elements/stagework.h"
#include "scheduler/flow/split_rows.h"

namespace tandem {

/// Work of which a device computes the first rows of a frame while the cores compute the last ones.
/// Rows are those of StageWork::compute.
class SplitWork : public StageWork {
 public:
  /// The rows of the stage that makes input `input` which rows of this one are computed from, on
  /// either side. Not asked of inputs without rows.
  virtual Rows needs(int /*input*/, Rows rows) const { return rows; }

  /// How many equal parts output `output` has, in each of which the rows lie one after the other;
  /// 0: it has no rows, as what prepare() or join() writes on the host, or what the stage alone
  /// uses.
  virtual int planes(int output) const { return outputs_[output].scratch ? 0 : 1; }
  /// Where a row begins in each of these, in bytes; row rows() is where they end.
  virtual std::size_t row_begin(int output, int row) const;

  /// Enqueues rows: the first ones of a split frame, or those that come next of one that is
  /// computed in bands, for which upload() and download() copy what earlier bands did not.
  virtual void enqueue_rows(StageFrame& frame, opencl::Queue& queue, Rows rows) const = 0;
  void enqueue(StageFrame& frame, opencl::Queue& queue) const final {
    enqueue_rows(frame, queue, {0, rows()});
  }
  /// Once both sides are done, instead of combine() and collect().
  virtual void join(StageFrame&, const SplitRows&) const {}
};

}  // namespace tandem
