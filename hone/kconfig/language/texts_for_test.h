// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hone/kconfig/files/config_file.h"
#include "hone/kconfig/language/parser.h"
#include "hone/kconfig/values/configuration.h"

namespace hone::kconfig {

// Files that are only texts.
class TextsReader final : public FileReader {
 public:
  explicit TextsReader(std::map<std::string, std::string> files) : files_(std::move(files)) {}
  Result<std::string_view> Read(const std::string& name) override {
    const auto found = files_.find(name);
    if (found == files_.end()) {
      return Error{Errc::kNotFound, "can't open file \"" + name + "\""};
    }
    return std::string_view(found->second);
  }
  std::vector<std::string> Glob(const std::string& pattern) override {
    std::vector<std::string> names;
    const std::string start = pattern.substr(0, pattern.find('*'));
    for (const auto& file : files_) {
      if (file.first.starts_with(start)) names.push_back(file.first);
    }
    return names;
  }

 private:
  std::map<std::string, std::string> files_;
};

inline Parsed ParseFiles(std::map<std::string, std::string> files,
                         const std::string& dialect = "linux-6.1", Environment environment = {}) {
  ParseOptions options;
  options.dialect = *DialectNamed(dialect);
  options.environment = std::move(environment);
  options.reader = std::make_shared<TextsReader>(std::move(files));
  options.shell = [](const std::string& command) -> Result<std::string> { return command; };
  return ParseTree(options);
}

inline Parsed ParseText(std::string text, const std::string& dialect = "linux-6.1") {
  return ParseFiles({{"Kconfig", std::move(text)}}, dialect);
}

// All diagnostics, a line each.
inline std::string Messages(const Parsed& parsed) {
  std::string all;
  for (const Diagnostic& diagnostic : parsed.diagnostics) {
    all += ShowDiagnostic(parsed.files, diagnostic) + "\n";
  }
  return all;
}

inline Configuration Configure(std::string text, const std::string& dialect = "linux-6.1") {
  const Parsed parsed = ParseText(std::move(text), dialect);
  EXPECT_NE(parsed.tree, nullptr) << Messages(parsed);
  return Configuration(parsed.tree);
}

inline std::string ValueOf(const Configuration& configuration, std::string_view name) {
  const SymbolId id = configuration.tree().Find(name);
  return id == kNone ? "no such symbol" : std::string(configuration.text(id));
}

}  // namespace hone::kconfig
