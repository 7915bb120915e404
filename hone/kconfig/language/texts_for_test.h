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

// Files that are only texts, with or without lists of their tokens.
class TextsReader final : public FileReader {
 public:
  explicit TextsReader(std::map<std::string, std::string> files) : files_(std::move(files)) {}
  TextsReader(std::map<std::string, std::string> files, const Dialect& dialect)
      : TextsReader(std::move(files)) {
    TokenLister lister(dialect);
    for (const auto& [name, text] : files_) {
      const auto tokens = lister.List(text).tokens;
      tokens_[name].assign(tokens.begin(), tokens.end());
    }
  }

  Result<SourceText> Read(const std::string& name) override {
    const auto found = files_.find(name);
    if (found == files_.end()) {
      return Error{Errc::kNotFound, "can't open file \"" + name + "\""};
    }
    return SourceText{found->second, tokens_[name]};
  }
  Result<std::vector<std::string>> Glob(const std::string& pattern) override {
    std::vector<std::string> names;
    const std::string start = pattern.substr(0, pattern.find('*'));
    for (const auto& file : files_) {
      if (file.first.starts_with(start)) names.push_back(file.first);
    }
    return names;
  }

 private:
  std::map<std::string, std::string> files_;
  std::map<std::string, std::vector<ListedToken>> tokens_;
};

// All diagnostics, a line each.
inline std::string Messages(const Parsed& parsed) {
  std::string all;
  for (const Diagnostic& diagnostic : parsed.diagnostics) {
    all += ShowDiagnostic(parsed.files, diagnostic) + "\n";
  }
  return all;
}

// Whoever lists the tokens of a text before it is parsed gets the same tree, and the same messages.
inline void ExpectEqual(const Parsed& a, const Parsed& b) {
  EXPECT_EQ(Messages(a), Messages(b));
  ASSERT_EQ(a.tree == nullptr, b.tree == nullptr);
  if (a.tree == nullptr) return;
  EXPECT_EQ(WriteConfig(Configuration(a.tree)), WriteConfig(Configuration(b.tree)));
  ASSERT_EQ(a.tree->menus().size(), b.tree->menus().size());
  for (MenuId id = 0; id < a.tree->menus().size(); ++id) {
    EXPECT_EQ(a.tree->Help(id), b.tree->Help(id));
    EXPECT_EQ(a.tree->Show(a.tree->menu(id).where), b.tree->Show(b.tree->menu(id).where));
  }
}

inline Parsed ParseFiles(const std::map<std::string, std::string>& files,
                         const std::string& dialect = "linux-6.1", Environment environment = {}) {
  ParseOptions options;
  options.dialect = *DialectNamed(dialect);
  options.environment = std::move(environment);
  options.shell = [](const std::string& command) -> Result<std::string> { return command; };
  options.reader = std::make_shared<TextsReader>(files);
  const Parsed unlisted = ParseTree(options);
  options.reader = std::make_shared<TextsReader>(files, options.dialect);
  Parsed parsed = ParseTree(options);
  ExpectEqual(parsed, unlisted);
  return parsed;
}

inline Parsed ParseText(std::string text, const std::string& dialect = "linux-6.1") {
  return ParseFiles({{"Kconfig", std::move(text)}}, dialect);
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
