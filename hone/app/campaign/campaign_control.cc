// SPDX-License-Identifier: Apache-2.0
#include "hone/app/campaign/campaign_control.h"

#include <utility>

namespace hone::app {

LocalControl::LocalControl(Clock& clock) : gate_(clock, [this] { Notify(); }) {}

void LocalControl::Begin(Hooks hooks) {
  const std::lock_guard lock(mutex_);
  hooks_ = std::move(hooks);
  is_running_ = true;
}

void LocalControl::NoteStop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  gate_.Open();  // A stop ends a pause too.
}

void LocalControl::End() {
  const std::lock_guard lock(mutex_);
  is_running_ = false;
  if (hooks_.on_change) hooks_.on_change();
  hooks_ = {};
}

bool LocalControl::was_abandoned() const {
  const std::lock_guard lock(mutex_);
  return was_abandoned_;
}

void LocalControl::Notify() {
  const std::lock_guard lock(mutex_);
  if (hooks_.on_change) hooks_.on_change();
}

void LocalControl::Pause() {
  const std::lock_guard lock(mutex_);
  if (is_running_ && !is_stopping_) gate_.Close();
}

void LocalControl::Resume() { gate_.Open(); }

void LocalControl::Stop() {
  const std::lock_guard lock(mutex_);
  if (!is_running_) return;
  is_stopping_ = true;
  hooks_.wrap_up();
  gate_.Open();
}

void LocalControl::Restore() {
  const std::lock_guard lock(mutex_);
  if (!is_running_) return;
  is_stopping_ = was_abandoned_ = true;
  hooks_.abandon();
  gate_.Open();
}

std::string LocalControl::State() const {
  const std::lock_guard lock(mutex_);
  if (!is_running_) return "done";
  if (is_stopping_) return "stopping";
  if (!gate_.IsClosed()) return "running";
  return gate_.IsQuiet() ? "paused" : "pausing";
}

}  // namespace hone::app
