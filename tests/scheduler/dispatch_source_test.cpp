// SPDX-License-Identifier: LGPL-2.1-or-later
// When the source that found no space looks again: each time in vain costs it and the others a
// wake.
#include <gtest/gtest.h>

#include "scheduler/flow/dispatch.h"

namespace tandem {
namespace {

/// One stage, one driver.
class DispatchSource : public testing::Test {
 protected:
  DispatchSource() {
    dispatch_.configure({{0, 1}, Granularity::coarse, 1}, 0, false);
    dispatch_.set_window(8);
  }

  void submit() {
    ASSERT_TRUE(dispatch_.has_space());
    dispatch_.let_in(&items_[sent_++], 0);
  }
  Dispatch::Entry& begin() { return *dispatch_.work_for(0, 1, {}).entry; }
  void compute(Dispatch::Entry& entry) {
    EXPECT_FALSE(dispatch_.did(entry, dispatch_.next(entry), {}));
    EXPECT_EQ(dispatch_.next(entry).kind, Dispatch::Action::Kind::finish);
    dispatch_.finish(entry);
  }

  Dispatch dispatch_{{{}}, 1, false};
  std::vector<Item> items_ = std::vector<Item>(10);
  int sent_ = 0;
};

TEST_F(DispatchSource, LooksAgainWhereThereIsSpace) {
  submit();
  Dispatch::Entry& first = begin();
  submit();
  EXPECT_FALSE(dispatch_.has_space());
  EXPECT_FALSE(dispatch_.source_looks_again()) << "it does not wait";
  dispatch_.source_waits();
  compute(first);
  dispatch_.take();
  dispatch_.release();
  EXPECT_NE(dispatch_.take_wakes() & Dispatch::kSource, 0U);
  EXPECT_FALSE(dispatch_.source_looks_again()) << "the other item still waits to begin";
  begin();
  EXPECT_NE(dispatch_.take_wakes() & Dispatch::kSource, 0U);
  EXPECT_TRUE(dispatch_.source_looks_again());
  submit();
  EXPECT_FALSE(dispatch_.source_looks_again());
}

TEST_F(DispatchSource, LooksAgainWhereItWaitsForTheSinkFromNowOnOrNoLonger) {
  for (int i = 0; i < 3; ++i) {
    submit();
    compute(begin());
  }
  submit();
  Dispatch::Entry& last = begin();
  submit();
  EXPECT_FALSE(dispatch_.has_space());
  dispatch_.source_waits();
  EXPECT_FALSE(dispatch_.source_looks_again());
  dispatch_.take_wakes();
  compute(last);
  EXPECT_NE(dispatch_.take_wakes() & Dispatch::kSource, 0U);
  EXPECT_TRUE(dispatch_.waits_for_the_sink());
  EXPECT_TRUE(dispatch_.source_looks_again());
  dispatch_.source_waits();
  EXPECT_FALSE(dispatch_.source_looks_again());
  dispatch_.take();
  dispatch_.release();
  EXPECT_FALSE(dispatch_.has_space());
  EXPECT_TRUE(dispatch_.source_looks_again());
}

TEST_F(DispatchSource, LooksAgainAfterAnAbort) {
  submit();
  EXPECT_FALSE(dispatch_.has_space());
  dispatch_.source_waits();
  dispatch_.abort();
  EXPECT_TRUE(dispatch_.source_looks_again());
}

}  // namespace
}  // namespace tandem
