// SPDX-License-Identifier: Apache-2.0
// Loaded into the C tool by LD_PRELOAD: answers popen() from a table of recorded results
// (docs/formats/kconfig-shell-table.md) that SHELL_TABLE names, so that hundreds of runs need not
// call the compiler each time. A command that is not in the table runs.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <string>

namespace {

std::string Unescape(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      out += text[at];
      continue;
    }
    const char c = text[++at];
    out += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
  }
  return out;
}

const std::map<std::string, std::string>& Table() {
  static const std::map<std::string, std::string>& table = [] {
    auto* rows = new std::map<std::string, std::string>();
    const char* name = std::getenv("SHELL_TABLE");
    std::ifstream file(name == nullptr ? "" : name);
    for (std::string line; std::getline(file, line);) {
      const std::size_t tab = line.find('\t');
      if (tab != std::string::npos) {
        rows->emplace(Unescape(line.substr(0, tab)), Unescape(line.substr(tab + 1)));
      }
    }
    return rows;
  }()[0];
  return table;
}

std::set<FILE*>& Answers() {
  static auto* answers = new std::set<FILE*>();
  return *answers;
}

}  // namespace

// The names are those of libc, which these stand before.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" FILE* popen(const char* command, const char* type) {
  const auto found = Table().find(command);
  if (found == Table().end()) {
    return reinterpret_cast<FILE* (*)(const char*, const char*)>(dlsym(RTLD_NEXT, "popen"))(command,
                                                                                            type);
  }
  const std::string& text = found->second;
  FILE* answer = text.empty() ? std::fopen("/dev/null", "r")
                              : fmemopen(const_cast<char*>(text.data()), text.size(), "r");
  Answers().insert(answer);
  return answer;
}

extern "C" int pclose(FILE* stream) {
  if (Answers().erase(stream) == 0) {
    return reinterpret_cast<int (*)(FILE*)>(dlsym(RTLD_NEXT, "pclose"))(stream);
  }
  return std::fclose(stream);
}
// NOLINTEND(readability-identifier-naming)
