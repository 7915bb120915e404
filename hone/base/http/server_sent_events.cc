// SPDX-License-Identifier: Apache-2.0
#include "hone/base/http/server_sent_events.h"

#include <fmt/format.h>

#include <utility>

namespace hone {

ServerSentEvents::ServerSentEvents(Listener listener, std::size_t max_event_bytes)
    : listener_(std::move(listener)), max_event_bytes_(max_event_bytes) {}

Result<bool> ServerSentEvents::Feed(std::string_view bytes) {
  while (!bytes.empty()) {
    if (std::exchange(skips_newline_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const auto end = bytes.find_first_of("\r\n");
    line_.append(bytes.substr(0, end));
    if (line_.size() + event_.data.size() > max_event_bytes_) {
      return Error{Errc::kUnavailable,
                   fmt::format("the stream has an event of more than {} bytes", max_event_bytes_)};
    }
    if (end == bytes.npos) return true;
    skips_newline_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    auto goes_on = TakeLine();
    if (!goes_on || !*goes_on) return goes_on;
  }
  return true;
}

Result<bool> ServerSentEvents::End() {
  if (!line_.empty()) {
    auto goes_on = TakeLine();
    if (!goes_on || !*goes_on) return goes_on;
  }
  return Dispatch();
}

Result<bool> ServerSentEvents::TakeLine() {
  const std::string whole = std::exchange(line_, {});
  std::string_view line = whole;
  static constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (std::exchange(is_first_line_, false) && line.starts_with(kByteOrderMark)) {
    line.remove_prefix(kByteOrderMark.size());
  }
  if (line.empty()) return Dispatch();
  if (line.front() == ':') return true;
  const auto colon = line.find(':');
  std::string_view value = colon == line.npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  TakeField(line.substr(0, colon), value);
  return true;
}

void ServerSentEvents::TakeField(std::string_view field, std::string_view value) {
  if (field == "event") event_.name = std::string(value);
  if (field != "data") return;
  if (has_data_) event_.data += '\n';
  event_.data += value;
  has_data_ = true;
}

Result<bool> ServerSentEvents::Dispatch() {
  const ServerSentEvent event = std::exchange(event_, {});
  if (!std::exchange(has_data_, false)) return true;
  return listener_(event);
}

}  // namespace hone
