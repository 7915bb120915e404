// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hone/kconfig/language/parser.h"
#include "hone/kconfig/reason/tree_index.h"
#include "hone/kconfig/values/configuration.h"
#include "hone/kconfig/values/values.h"

namespace hone::kconfig {

// Hands out one text as the file of that name.
class TextReader final : public FileReader {
 public:
  TextReader(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {}
  Result<SourceText> Read(const std::string& name) override {
    if (name == name_) return SourceText{text_};
    return Error{Errc::kNotFound, name};
  }
  Result<std::vector<std::string>> Glob(const std::string&) override { return {}; }

 private:
  std::string name_;
  std::string text_;
};

// A tree made of one text, and a configuration of it.
class TextTree {
 public:
  explicit TextTree(const std::string& text, const std::string& dialect = "linux-6.1",
                    const std::string& file = "Kconfig")
      : index(std::make_shared<const TreeIndex>(Parse(text, dialect, file))),
        configuration(index->shared_tree()) {}

  const Tree& tree() const { return index->tree(); }
  SymbolId Id(std::string_view name) const {
    const SymbolId id = tree().Find(name);
    EXPECT_NE(id, kNone) << name;
    return id;
  }

  void Set(std::string_view name, const std::string& value) {
    const SymbolId id = Id(name);
    EXPECT_TRUE(configuration.Set(id, value)) << name << "=" << value;
  }
  std::string Value(std::string_view name) const {
    return std::string(configuration.text(Id(name)));
  }

  std::shared_ptr<const TreeIndex> index;
  Configuration configuration;

 private:
  static std::shared_ptr<const Tree> Parse(const std::string& text, const std::string& dialect,
                                           const std::string& file) {
    ParseOptions options;
    options.file = file;
    options.dialect = *DialectNamed(dialect);
    options.reader = std::make_shared<TextReader>(file, text);
    options.shell = [](const std::string&) -> Result<std::string> { return std::string("n"); };
    const Parsed parsed = ParseTree(options);
    for (const Diagnostic& diagnostic : parsed.diagnostics) {
      if (diagnostic.severity == Severity::kError || parsed.tree == nullptr) {
        ADD_FAILURE() << ShowDiagnostic(parsed.files, diagnostic) << "\n" << text;
      }
    }
    return parsed.tree;
  }
};

}  // namespace hone::kconfig
