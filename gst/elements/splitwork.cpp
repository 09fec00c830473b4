// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/splitwork.h"

#include <gst/tandem/private/stageopencl.h>

namespace tandem {
namespace {

const SplitWork& split_work_of(gpointer data) {
  return static_cast<const SplitWork&>(*static_cast<const StageWork*>(data));
}

}  // namespace

std::size_t SplitWork::row_begin(int output, int row) const {
  const std::size_t all = outputs_[output].bytes() / static_cast<std::size_t>(planes(output));
  return rows() > 0 ? all / static_cast<std::size_t>(rows()) * static_cast<std::size_t>(row) : 0;
}

namespace stage_functions {

void needs(GstTandemStage*, gpointer data, guint input, gint* first_row, gint* end_row) {
  const Rows rows = split_work_of(data).needs(static_cast<int>(input), {*first_row, *end_row});
  *first_row = rows.begin;
  *end_row = rows.end;
}

gsize get_row_begin(GstTandemStage*, gpointer data, guint output, gint row) {
  return split_work_of(data).row_begin(static_cast<int>(output), row);
}

gboolean enqueue_rows(GstTandemStage*, GstTandemFrame* frame, gint end_row, gpointer,
                      GError** error) {
  try {
    StageFrame here(frame);
    const Rows rows{gst_tandem_frame_get_first_row(frame), end_row};
    static_cast<const SplitWork&>(work_of(frame)).enqueue_rows(here, opencl::queue_of(frame), rows);
    return TRUE;
  } catch (const std::exception& e) {
    return enqueue_failed(frame, error, e);
  }
}

}  // namespace stage_functions
}  // namespace tandem
