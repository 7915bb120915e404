// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "hone/kconfig/language/statement_parser.h"

// `source` and its relatives: the part of StatementParser that opens files.
namespace hone::kconfig {
namespace {

constexpr std::size_t kDeepestInclusion = 200;
constexpr std::uint64_t kMaxInclusions = 100'000;
constexpr std::uint64_t kMaxBytes = 512 << 20;
constexpr std::size_t kMaxMatches = 10'000;

std::string FolderOf(const std::string& name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos ? "" : name.substr(0, slash + 1);
}

}  // namespace

void StatementParser::Source(bool is_relative, bool is_optional) {
  Advance();
  if (!IsText()) {
    return Fault(fmt::format("source: expected a quoted file name, found {}", Found()));
  }
  std::string name(lexer_.text());
  if (!options_.dialect.has_macros) name = macros_.ReplaceNames(name);
  const Location at = where();
  Advance();
  if (!ExpectEnd()) return;
  if (is_relative && !name.starts_with('/'))
    name = FolderOf(builder_.parts.files[at.file].name) + name;
  is_optional = is_optional || options_.dialect.may_miss_source;
  const bool is_pattern =
      options_.dialect.has_source_globs && name.find_first_of("*?[") != std::string::npos;
  if (!is_pattern) return Include(name, is_optional);
  const auto names = options_.reader->Glob(name);
  if (!names) {
    builder_.Report(Severity::kError, at, names.error().message);
    return lexer_.Stop();
  }
  if (names->empty() && !is_optional && options_.dialect.has_relative_source) {
    return lexer_.Fail(fmt::format("source \"{}\": no file matches", name));
  }
  if (names->size() > kMaxMatches) {
    return lexer_.Fail(fmt::format("source \"{}\": {} files match; at most {} are read", name,
                                   names->size(), kMaxMatches));
  }
  // The last one entered is read first.
  for (auto match = names->rbegin(); match != names->rend() && !lexer_.has_failed(); ++match) {
    Include(*match, is_optional);
  }
}

void StatementParser::Include(const std::string& name, bool is_optional) {
  const bool is_root = builder_.parts.files.empty();
  const Location at = is_root ? Location{} : where();
  auto source = options_.reader->Read(name);
  if (!source) {
    const std::string& may_miss = options_.dialect.may_miss;
    is_optional = is_optional || (!may_miss.empty() && name.find(may_miss) != std::string::npos);
    if (is_optional && source.error().code == Errc::kNotFound) return;
    if (is_root) {
      builder_.parts.files.push_back({name, {}});
      builder_.Report(Severity::kError, {},
                      source.error().code == Errc::kNotFound
                          ? fmt::format("can't find file {}", name)
                          : source.error().message);
      lexer_.Stop();
    } else {
      builder_.Report(Severity::kError, at, source.error().message);
      lexer_.Stop();
    }
    return;
  }
  const auto file = static_cast<FileId>(builder_.parts.files.size());
  builder_.parts.files.push_back({name, at});
  if (!is_root && IsBeingRead(name)) {
    lexer_.Stop();
    return;
  }
  if (!MayEnter(name, at, source->text.size())) return lexer_.Stop();
  lexer_.Enter(file, source->text, std::move(source->tokens));
}

bool StatementParser::MayEnter(const std::string& name, Location at, std::size_t size) {
  const auto& files = builder_.parts.files;
  std::size_t depth = 0;
  for (Location up = at; up.file != kNone; up = files[up.file].included_at) ++depth;
  std::string fault;
  if (depth > kDeepestInclusion) fault = fmt::format("more than {} deep", kDeepestInclusion);
  if (++inclusions_ > kMaxInclusions) fault = fmt::format("more than {} times", kMaxInclusions);
  bytes_read_ += size;
  if (bytes_read_ > kMaxBytes) fault = fmt::format("more than {} bytes in all", kMaxBytes);
  if (fault.empty()) return true;
  builder_.Report(Severity::kError, at,
                  fmt::format("source \"{}\": files are included {}", name, fault));
  return false;
}

// Tells the chain of inclusions that leads back to the file.
bool StatementParser::IsBeingRead(const std::string& name) {
  const auto& files = builder_.parts.files;
  const FileId newest = static_cast<FileId>(files.size() - 1);
  for (FileId file = files[newest].included_at.file; file != kNone;
       file = files[file].included_at.file) {
    if (files[file].name != name) continue;
    builder_.parts.recursive_inclusion = newest;
    builder_.Report(Severity::kError, files[newest].included_at,
                    fmt::format("recursive inclusion of {}", name));
    return true;
  }
  if (!options_.dialect.refuses_second_inclusion) return false;
  for (FileId file = 0; file < newest; ++file) {
    if (files[file].name != name) continue;
    const Location first = files[file].included_at;
    builder_.parts.repeated_inclusion = newest;
    builder_.Report(
        Severity::kError, files[newest].included_at,
        fmt::format("{} was included before, at {}:{}", name, files[first.file].name, first.line));
    return true;
  }
  return false;
}

}  // namespace hone::kconfig
