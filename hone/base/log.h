// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace hone {

enum class LogLevel { kDebug, kNote, kWarning, kError };

// One line to standard error, with time and level; never to standard output. Safe for concurrent
// use.
void LogLine(LogLevel level, std::string_view text);
void SetLogLevel(LogLevel min);

template <typename... Args>
void Log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  LogLine(level, fmt::format(format, std::forward<Args>(args)...));
}

// What an event is about.
struct LogField {
  LogField(std::string_view what, std::string_view text) : name(what), value(text) {}
  template <typename Number>
  requires std::integral<Number> || std::floating_point<Number> LogField(std::string_view what,
                                                                         Number number)
      : name(what), value(fmt::format("{}", number)), is_number(true) {}

  std::string_view name;
  std::string value;  // Empty: it is left out.
  bool is_number = false;
};

// A line for programs that read logs: "settled task=t-7 outcome=accepted".
void LogEvent(LogLevel level, std::string_view event, std::initializer_list<LogField> fields);

// kJson: every line is one object, {"at", "level", "event" or "text", and the fields}.
enum class LogForm { kText, kJson };
void SetLogForm(LogForm form);

}  // namespace hone
