// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

namespace hone {

// For a person who waits, when something begins that takes minutes: "building a kernel, about 650
// objects". Goes to whoever listens, else to the log as a note. Safe for concurrent use.
void Announce(std::string_view text);

// Listens while it lives. One at a time; the listener is called on any thread, one call at a time.
class AnnouncementListener {
 public:
  explicit AnnouncementListener(std::function<void(std::string_view text)> listen);
  AnnouncementListener(const AnnouncementListener&) = delete;
  AnnouncementListener& operator=(const AnnouncementListener&) = delete;
  ~AnnouncementListener();
};

}  // namespace hone
