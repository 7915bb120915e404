// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace hone {

enum class LogLevel { kDebug, kNote, kWarning, kError };

// One line to standard error, with time and level; never to standard output. Safe for concurrent
// use.
void LogLine(LogLevel level, std::string_view text);
void SetLogLevel(LogLevel least);

template <typename... Args>
void Log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  LogLine(level, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace hone
