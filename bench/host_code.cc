// SPDX-License-Identifier: Apache-2.0
#include "bench/host_code.h"

#include <fmt/format.h>

#include <regex>
#include <sstream>

namespace hone {
namespace {

// What stands in the parentheses behind a word; empty if the word is not there.
std::string Group(const std::string& line, const std::string& word) {
  const std::size_t at = line.find(" " + word + "(");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + word.size() + 2;
  int depth = 1;
  std::size_t end = begin;
  while (end < line.size() && (depth += line[end] == '(' ? 1 : line[end] == ')' ? -1 : 0) > 0) {
    ++end;
  }
  return line.substr(begin, end - begin);
}

// "int n / 2" becomes a cast.
std::string Arguments(const std::string& text) {
  static const std::regex as_int(R"((^|, *)int ([^,]*))");
  return std::regex_replace(text, as_int, "$1(int)($2)");
}

}  // namespace

std::string WithHostCode(const std::string& source, const compute::Problem& problem) {
  static const std::regex launch(R"(^\s*// hone: (launch|scratch) (\w+)(.*))");
  std::string device;
  std::string host;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (!std::regex_match(line, found, launch)) {
      device += line + "\n";
      continue;
    }
    const std::string rest = found[3];
    if (found[1] == "scratch") {
      host += fmt::format("  Scratch {}; cudaMalloc(&{}.memory, {});\n", found[2].str(),
                          found[2].str(), Group(rest, "bytes"));
      continue;
    }
    const std::string shared = Group(rest, "shared");
    host += fmt::format("  {}<<<dim3({}), dim3({}), {}>>>({});\n", found[2].str(),
                        Group(rest, "grid"), Group(rest, "block"), shared.empty() ? "0" : shared,
                        Arguments(Group(rest, "args")));
  }
  return fmt::format(
      "{}\nstruct Scratch {{\n  void* memory;\n"
      "  template <typename T> operator T*() const {{ return (T*)memory; }}\n}};\n"
      "extern \"C\" {} {{\n{}}}\n",
      device, compute::SignatureOf(problem, true), host);
}

}  // namespace hone
