// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/invocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace hone::cli {
namespace {

bool IsPlain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_-./,:=@%+").find(c) != std::string_view::npos;
}

std::string FileNameOf(const std::string& program) {
  return std::filesystem::path(program).filename().string();
}

// sudo gives root another home, and with it another store.
bool IsRootBySudo(const std::string& program,
                  const std::function<std::string(const std::string& name)>& environment) {
  const std::string command = environment("SUDO_COMMAND");
  return environment("USER") == "root" &&
         FileNameOf(command.substr(0, command.find(' '))) == FileNameOf(program);
}

}  // namespace

std::string SingleQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string ShellWord(std::string_view text) {
  const bool is_plain = !text.empty() && std::all_of(text.begin(), text.end(), IsPlain);
  return is_plain ? std::string(text) : SingleQuoted(text);
}

std::string Invocation::Typed(std::string_view words) const {
  return fmt::format("{} {}{}", program, words,
                     store.empty() ? "" : " --store " + ShellWord(store));
}

Invocation InvocationOf(const std::string& program, const std::string& store,
                        const std::function<std::string(const std::string& name)>& environment) {
  Invocation invocation;
  invocation.store = store;
  if (program.empty()) return invocation;
  invocation.program = ShellWord(program);
  if (IsRootBySudo(program, environment)) invocation.program.insert(0, "sudo ");
  return invocation;
}

}  // namespace hone::cli
