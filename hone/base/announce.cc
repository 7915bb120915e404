// SPDX-License-Identifier: Apache-2.0
#include "hone/base/announce.h"

#include <mutex>
#include <utility>

#include "hone/base/log.h"

namespace hone {
namespace {

struct Listening {
  std::mutex mutex;
  std::function<void(std::string_view)> listen;
};

Listening& TheListening() {
  static Listening listening;
  return listening;
}

}  // namespace

void Announce(std::string_view text) {
  Listening& listening = TheListening();
  const std::lock_guard lock(listening.mutex);
  if (listening.listen) {
    listening.listen(text);
  } else {
    LogLine(LogLevel::kNote, text);
  }
}

AnnouncementListener::AnnouncementListener(std::function<void(std::string_view)> listen) {
  const std::lock_guard lock(TheListening().mutex);
  TheListening().listen = std::move(listen);
}

AnnouncementListener::~AnnouncementListener() {
  const std::lock_guard lock(TheListening().mutex);
  TheListening().listen = nullptr;
}

}  // namespace hone
