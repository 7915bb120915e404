// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/kconfig/language/dialect.h"
#include "hone/kconfig/language/macro.h"
#include "hone/kconfig/language/source_folders.h"
#include "hone/kconfig/language/token_lister.h"
#include "hone/kconfig/tree/tree.h"

namespace hone::kconfig {

struct SourceText {
  std::string_view text;
  std::vector<ListedToken> tokens = {};  // Those of the text, or none.
};

// Gives the text of a file, which lives as long as the reader. kNotFound if there is none.
class FileReader {
 public:
  virtual ~FileReader() = default;
  virtual Result<SourceText> Read(const std::string& name) = 0;

  // The file will be asked for.
  virtual void Expect(const std::string& /*name*/) {}

  // The files that a pattern of `source` matches, sorted.
  virtual Result<std::vector<std::string>> Glob(const std::string& pattern) = 0;

  // What was asked for so far; the texts live as long as the reader. Nothing from one that keeps
  // no account.
  virtual FileInputs inputs() { return {}; }
};

// Reads below the folders, in their order, and in the granted ones by absolute names; nothing else
// (source_folders.h). A file of more than 64 MiB is refused.
std::shared_ptr<FileReader> MakeFileReader(const std::vector<std::filesystem::path>& folders,
                                           const std::vector<std::filesystem::path>& granted,
                                           const Dialect& dialect);

struct ParseOptions {
  std::string file = "Kconfig";
  Dialect dialect;
  Environment environment;
  std::shared_ptr<FileReader> reader;
  std::function<Result<std::string>(const std::string& command)> shell;
  std::function<void(const std::string& text)> info;  // $(info,…); may be null.

  // Asked once all files are read; false leaves the tree unmade. May be null.
  std::function<bool()> wants_tree;
};

// What came of a parse. The tree is null if there was an error; the diagnostics say which. They,
// and the files that they point into, are in the tree too if there is one.
struct Parsed {
  std::shared_ptr<const Tree> tree;
  std::vector<SourceFile> files;
  std::vector<Diagnostic> diagnostics;
  std::vector<std::vector<CycleStep>> cycles;  // The dependency loops.
  FileId recursive_inclusion = kNone;          // The file whose inclusion closed a circle.
  FileId repeated_inclusion = kNone;           // The file that was not to be read again.
};

Parsed ParseTree(const ParseOptions& options);
Parsed ParsedFrom(std::shared_ptr<const Tree> tree);  // As if it had just been parsed.

// "net/Kconfig:12: warning: … (included from Kconfig:7)".
std::string ShowDiagnostic(std::span<const SourceFile> files, const Diagnostic& diagnostic);

}  // namespace hone::kconfig
