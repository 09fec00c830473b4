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
  /// either side. Not called for inputs without rows.
  virtual Rows needs(int /*input*/, Rows rows) const { return rows; }

  /// The number of equal parts of an output, in each of which the rows lie one after the other. 0:
  /// it has no rows, as outputs that prepare() or join() writes on the host, or scratch.
  virtual int planes(int output) const { return outputs_[output].scratch ? 0 : 1; }
  /// Where a row begins in each of these, in bytes; row rows() is where they end.
  virtual std::size_t row_begin(int output, int row) const;

  /// Enqueues rows: the first ones of a split frame, or the next ones of a frame that is computed
  /// in bands. upload() and download() then copy the rows that earlier bands did not.
  virtual void enqueue_rows(StageFrame& frame, opencl::Queue& queue, Rows rows) const = 0;
  void enqueue(StageFrame& frame, opencl::Queue& queue) const final {
    enqueue_rows(frame, queue, {0, rows()});
  }
  /// Once both sides are done, instead of combine() and collect().
  virtual void join(StageFrame&, const SplitRows&) const {}
};

namespace stage_functions {

void needs(GstTandemStage*, gpointer data, guint input, gint* first_row, gint* end_row);
gsize get_row_begin(GstTandemStage*, gpointer data, guint output, gint row);
gboolean enqueue_rows(GstTandemStage*, GstTandemFrame*, gint end_row, gpointer, GError** error);

/// Binds the functions that a class with a SplitWork has besides those of set().
template <class Work>
void set_split(GstTandemStageClass* klass) {
  klass->needs = needs;
  klass->get_row_begin = get_row_begin;
  klass->enqueue_rows = enqueue_rows;
  bind<&SplitWork::join, &Work::join>(klass->join);
}

}  // namespace stage_functions

}  // namespace tandem
