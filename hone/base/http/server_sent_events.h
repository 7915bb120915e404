// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "hone/core/result.h"

namespace hone {

struct ServerSentEvent {
  std::string name;  // Empty for most.
  std::string data;
};

// Reads a text/event-stream (WHATWG HTML, 9.2) that comes in pieces of any size. Comments, by which
// servers keep connections alive, and unknown fields are skipped.
class ServerSentEvents {
 public:
  // Returns whether more is wanted; an Error is passed on.
  using Listener = std::function<Result<bool>(const ServerSentEvent& event)>;

  ServerSentEvents(Listener listener, std::size_t max_event_bytes);

  Result<bool> Feed(std::string_view bytes);  // Whether more is wanted.
  Result<bool> End();  // Also gives an event that only lacks the empty line behind it.

 private:
  Result<bool> TakeLine();
  Result<bool> Dispatch();
  void TakeField(std::string_view field, std::string_view value);

  Listener listener_;
  std::size_t max_event_bytes_;
  std::string line_;
  ServerSentEvent event_;
  bool has_data_ = false;
  bool is_first_line_ = true;
  bool skips_newline_ = false;  // After a carriage return.
};

}  // namespace hone
