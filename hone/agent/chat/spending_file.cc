// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/spending_file.h"

#include <string_view>
#include <utility>

#include "hone/base/json/json.h"

namespace hone::agent {
namespace {

constexpr std::string_view kSpentKind = "spent";

}  // namespace

Result<SpendingFile> SpendingFile::Open(const std::filesystem::path& path) {
  auto log = AgentLog::Open(path);
  if (!log) return log.error();
  SpendingFile file(std::move(*log));
  while (true) {
    const auto line = file.log_.Next(kSpentKind);
    if (!line) return line.error();
    if (!*line) return file;
    JsonReader reader(**line, file.log_.Where());
    file.spent_ = {.tokens = reader.At("tokens").Integer(),
                   .money = Money{reader.At("picos").Integer()}};
    if (auto read = reader.Finish(); !read) return read.error();
  }
}

Result<void> SpendingFile::Note(const ChatSpending& at_most) {
  spent_ = at_most;
  return log_.Append(kSpentKind, {{"tokens", at_most.tokens}, {"picos", at_most.money.picos}});
}

}  // namespace hone::agent
