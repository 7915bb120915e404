// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/language/parser.h"

#include <fmt/format.h>

#include <algorithm>

#include "hone/kconfig/language/statement_parser.h"
#include "hone/kconfig/tree/finalise.h"

namespace hone::kconfig {
namespace {

// A message is one line, and no text of a tree speaks to the terminal.
std::string InOneLine(std::string line) {
  constexpr char kDelete = 0x7f;
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == kDelete; };
  if (std::none_of(line.begin(), line.end(), is_control)) return line;
  std::string shown;
  for (const char c : line) {
    if (c == '\t') {
      shown += ' ';
    } else if (is_control(c)) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      shown += c;
    }
  }
  return shown;
}

}  // namespace

Parsed ParseTree(const ParseOptions& options) {
  options.reader->Expect(options.file);
  TreeBuilder builder(options.dialect);
  auto arena = std::make_shared<TextArena>();
  builder.parts.storage.push_back(arena);
  builder.parts.storage.push_back(options.reader);
  {
    StatementParser parser(options, builder, *arena);
    parser.Run();
  }
  Parsed parsed;
  const bool is_wanted = !options.wants_tree || options.wants_tree();
  if (builder.errors == 0 && is_wanted) parsed.tree = Finalise(builder);
  if (parsed.tree != nullptr) return ParsedFrom(std::move(parsed.tree));
  parsed.files = std::move(builder.parts.files);
  parsed.diagnostics = std::move(builder.parts.diagnostics);
  parsed.cycles = std::move(builder.parts.cycles);
  parsed.recursive_inclusion = builder.parts.recursive_inclusion;
  parsed.repeated_inclusion = builder.parts.repeated_inclusion;
  return parsed;
}

Parsed ParsedFrom(std::shared_ptr<const Tree> tree) {
  Parsed parsed;
  parsed.files.assign(tree->files().begin(), tree->files().end());
  parsed.diagnostics.assign(tree->diagnostics().begin(), tree->diagnostics().end());
  parsed.tree = std::move(tree);
  return parsed;
}

std::string ShowDiagnostic(std::span<const SourceFile> files, const Diagnostic& diagnostic) {
  constexpr int kLongestChain = 20;
  std::string line;
  if (diagnostic.where.file != kNone) {
    line = fmt::format("{}:{}: ", files[diagnostic.where.file].name, diagnostic.where.line);
  }
  if (diagnostic.severity == Severity::kWarning) line += "warning: ";
  if (diagnostic.severity == Severity::kError) line += "error: ";
  line += diagnostic.message;
  if (diagnostic.where.file == kNone) return InOneLine(std::move(line));
  Location at = files[diagnostic.where.file].included_at;
  for (int count = 0; at.file != kNone; at = files[at.file].included_at, ++count) {
    if (count == kLongestChain) {
      line += ", …";
      break;
    }
    line += fmt::format("{}{}:{}", count == 0 ? " (included from " : ", ", files[at.file].name,
                        at.line);
  }
  if (files[diagnostic.where.file].included_at.file != kNone) line += ")";
  return InOneLine(std::move(line));
}

}  // namespace hone::kconfig
