// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/walk/frame_walk.h"

#include <utility>

namespace tandem {

FrameWalk::FrameWalk(WalkContext& context, SharedDispatch& dispatch, int cores,
                     DeviceFailed device_failed)
    : context_(context),
      dispatch_(dispatch),
      device_failed_(std::move(device_failed)),
      pools_(cores),
      times_(context),
      on_cpu_(context, pools_),
      on_device_(context, times_),
      split_(context, times_, pools_) {}

void FrameWalk::frames_change() {
  times_.frames_change();
  on_cpu_.frames_change();
}

bool FrameWalk::walk(FrameEntry& entry, Lock& lock) {
  using Kind = FrameAction::Kind;
  for (;;) {
    const FrameAction action = dispatch_->next(entry);
    if (action.kind == Kind::finish) return true;
    if (action.kind == Kind::wait) {
      dispatch_.wait_for_a_side(lock);
    } else if (action.kind == Kind::park) {
      const auto [stage, restart] = dispatch_->waits_at(entry);
      dispatch_.unlock(lock);
      entry.item->waits(stage, restart);
      lock.lock();
      if (dispatch_->park(entry, context_.now_ns())) return false;
    } else if (action.kind == Kind::device) {
      if (send(entry, action, lock)) return false;
    } else {
      dispatch_.unlock(lock);
      const bool split = action.kind == Kind::split;
      const Status status = split ? split_.compute(entry, action) : on_cpu_.compute(entry, action);
      lock.lock();
      if (split) dispatch_->leave_device(entry, context_.now_ns());
      report(entry, action, status, lock);
    }
  }
}

// True when the frame is on the device. False when the action is done, or has failed.
bool FrameWalk::send(FrameEntry& entry, const FrameAction& action, Lock& lock) {
  Item& item = *entry.item;
  item.lane = entry.lane;
  item.kind = action.device_kind;
  entry.sent_until = action.first;
  dispatch_.unlock(lock);
  const uint64_t since_ns = context_.now_ns();
  const Status status = item.times.stages_apart ? on_device_.compute_apart(entry, action)
                                                : on_device_.enqueue_piece(entry, action);
  lock.lock();
  if (status.ok() && !item.times.stages_apart) {
    dispatch_->sent(entry, action, since_ns);
    return true;
  }
  dispatch_->leave_device(entry, context_.now_ns());
  finish_on_device(entry, action, status, lock);
  return false;
}

bool FrameWalk::collect(FrameEntry& entry, Lock& lock) {
  const FrameAction action = entry.sent;
  dispatch_.unlock(lock);
  Status status = context_.device->wait(entry.lane);
  times_.learn_piece(entry, context_.now_ns() - entry.sent_ns);
  if (status.ok() && entry.sent_until < action.last) {
    const uint64_t since_ns = context_.now_ns();
    status = context_.stop ? aborted() : on_device_.enqueue_piece(entry, action);
    if (status.ok()) {
      lock.lock();
      dispatch_->sent_again(entry, since_ns);
      return false;
    }
  }
  lock.lock();
  const uint64_t share_ns = dispatch_->leave_device(entry, context_.now_ns()) /
                            static_cast<uint64_t>(action.last - action.first);
  for (int p = action.first; p < action.last; ++p)
    context_.counters.count_time(*entry.item, entry.way.stage(p), share_ns, true);
  finish_on_device(entry, action, status, lock);
  return !dispatch_->hand_on(entry, context_.now_ns()) && walk(entry, lock);
}

void FrameWalk::finish_on_device(FrameEntry& entry, const FrameAction& action, Status status,
                                 Lock& lock) {
  dispatch_.unlock(lock);
  if (status.ok()) status = on_device_.finish(entry, action);
  lock.lock();
  report(entry, action, status, lock);
}

void FrameWalk::report(FrameEntry& entry, const FrameAction& action, const Status& status,
                       Lock& lock) {
  const bool device_failed = dispatch_->did(entry, action, status);
  if (status.kind() == Status::Kind::device_failed) context_.counters.count_device_failure();
  if (!device_failed || !device_failed_) return;
  const int left = dispatch_->usable_devices();
  dispatch_.unlock(lock);
  device_failed_(status.message(), left);
  lock.lock();
}

}  // namespace tandem
