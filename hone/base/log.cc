// SPDX-License-Identifier: Apache-2.0
#include "hone/base/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>

#include "hone/base/json/json.h"

namespace hone {
namespace {

spdlog::level::level_enum LevelOf(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kNote:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

// Our word for the level, where spdlog has its own.
class LevelWord final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& line) override {
    std::string_view word = "error";
    if (message.level == spdlog::level::debug) word = "debug";
    if (message.level == spdlog::level::info) word = "note";
    if (message.level == spdlog::level::warn) word = "warning";
    line.append(word.data(), word.data() + word.size());
  }

  std::unique_ptr<spdlog::custom_flag_formatter> clone() const override {
    return std::make_unique<LevelWord>();
  }
};

std::unique_ptr<spdlog::formatter> FormatterOf(LogForm form) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
  formatter->add_flag<LevelWord>('*').set_pattern(
      form == LogForm::kText ? "%Y-%m-%dT%H:%M:%S.%eZ %^%*%$: %v"
                             : R"({"at":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%*",%v})");
  return formatter;
}

std::shared_ptr<spdlog::logger> MakeLogger() {
  const char* no_color = std::getenv("NO_COLOR");
  const bool is_plain = no_color != nullptr && *no_color != '\0';
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(
      is_plain ? spdlog::color_mode::never : spdlog::color_mode::automatic);
  auto logger = std::make_shared<spdlog::logger>("hone", std::move(sink));
  logger->set_formatter(FormatterOf(LogForm::kText));
  logger->flush_on(spdlog::level::debug);
  return logger;
}

// Never destroyed, so that a thread may still log while the process ends.
spdlog::logger& Logger() {
  static auto* const logger = new std::shared_ptr<spdlog::logger>(MakeLogger());
  return **logger;
}

// One line stays one line, and what a program wrote cannot drive the terminal.
std::string Escaped(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  for (const char c : text) {
    if (c == '\n') {
      line += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      line += c;
    }
  }
  return line;
}

std::atomic<LogForm> form_in_force = LogForm::kText;

std::string LogQuoted(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// As it stands, unless a reader could not tell where it ends.
std::string LogWord(std::string_view text) {
  const auto is_plain = [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != '"' && c != '=' && c != 0x7f;
  };
  const bool is_word = std::all_of(text.begin(), text.end(), is_plain);
  return is_word ? std::string(text) : LogQuoted(text);
}

// JSON has no word for what is not finite.
bool IsBare(const LogField& field) {
  return field.is_number && field.value.find_first_of("in") == field.value.npos;
}

}  // namespace

void LogLine(LogLevel level, std::string_view text) {
  if (!Logger().should_log(LevelOf(level))) return;
  const bool is_json = form_in_force == LogForm::kJson;
  Logger().log(LevelOf(level), is_json ? "\"text\":" + LogQuoted(text) : Escaped(text));
}

void LogEvent(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  if (!Logger().should_log(LevelOf(level))) return;
  const bool is_json = form_in_force == LogForm::kJson;
  std::string line = is_json ? "\"event\":" + LogQuoted(event) : std::string(event);
  for (const LogField& field : fields) {
    if (field.value.empty()) continue;
    line += is_json ? fmt::format(",{}:{}", LogQuoted(field.name),
                                  IsBare(field) ? field.value : LogQuoted(field.value))
                    : fmt::format(" {}={}", field.name, LogWord(field.value));
  }
  Logger().log(LevelOf(level), line);
}

void SetLogForm(LogForm form) {
  form_in_force = form;
  Logger().set_formatter(FormatterOf(form));
}

void SetLogLevel(LogLevel min) { Logger().set_level(LevelOf(min)); }

}  // namespace hone
