// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/sections.h"

#include <algorithm>
#include <cctype>

#include "hone/agent/knowledge/sections_lines.h"

namespace hone::agent {
namespace {

constexpr std::size_t kMaxTitle = 160;
constexpr std::size_t kMaxLevels = 8;

// Makes sections of a document whose headings are underlined, or begin with #.
class ProseReader {
 public:
  explicit ProseReader(const std::vector<std::string_view>& lines) : lines_(lines) {}

  std::vector<Section> Read() {
    for (at_ = 0; at_ < lines_.size() && sections_.size() < kMaxSections;) {
      if (TakeHeading() || TakeEntry()) continue;
      AddLine(at_);
      ++at_;
    }
    Finish();
    return std::move(sections_);
  }

 private:
  std::string_view LineAt(std::size_t at) const {
    return at < lines_.size() ? lines_[at] : std::string_view();
  }

  // A title between two lines of marks, above one, or behind #.
  bool TakeHeading() {
    const std::string_view line = LineAt(at_);
    if (const std::size_t level = NumberSignLevel(line); level > 0) {
      Open(TrimLine(line.substr(level)), std::string(level, '#'), 1);
      return true;
    }
    const std::string_view next = LineAt(at_ + 1);
    if (IsUnderline(line) && !TrimLine(next).empty() && IsUnderline(LineAt(at_ + 2)) &&
        LineAt(at_ + 2).front() == line.front() && next.size() <= kMaxTitle) {
      Open(TrimLine(next), std::string(2, line.front()), 3);
      return true;
    }
    const bool is_title = !line.empty() && std::isspace(static_cast<unsigned char>(line[0])) == 0 &&
                          line.size() <= kMaxTitle && !IsUnderline(line) && IsUnderline(next) &&
                          next.size() + 3 >= TrimLine(line).size();
    if (!is_title) return false;
    Open(TrimLine(line), std::string(1, next.front()), 2);
    return true;
  }

  // "tcp_rmem - vector of 3 INTEGERs" above what is indented, or "  memory.high" above a tab.
  bool TakeEntry() {
    const std::vector<std::string> names = EntryNames(LineAt(at_), LineAt(at_ + 1));
    if (names.empty()) return false;
    Finish();
    names_ = names;
    const std::size_t indent = IndentOf(LineAt(at_));
    do {
      AddLine(at_);
      ++at_;
    } while (at_ < lines_.size() &&
             (TrimLine(LineAt(at_)).empty() || IndentOf(LineAt(at_)) > indent));
    Finish();
    names_.clear();
    return true;
  }

  // Levels are told apart by their marks, in the order in which a document brings them.
  void Open(std::string_view title, const std::string& mark, std::size_t height) {
    Finish();
    const auto known = std::find(marks_.begin(), marks_.end(), mark);
    std::size_t level = static_cast<std::size_t>(known - marks_.begin());
    if (known == marks_.end()) {
      if (marks_.size() < kMaxLevels) marks_.push_back(mark);
      level = std::min(level, kMaxLevels - 1);
    }
    titles_.resize(std::min(level, titles_.size()));
    titles_.emplace_back(title.substr(0, kMaxTitle));
    at_ += height;
  }

  // Blank lines at the beginning are no part of a section.
  void AddLine(std::size_t index) {
    const std::string_view line = LineAt(index);
    const bool is_blank = TrimLine(line).empty();
    const std::size_t size = body_.size() + line.size();
    if ((size > kMaxSection && is_blank) || size > 2 * kMaxSection) Finish();
    if (body_.empty() && is_blank) return;
    if (body_.empty()) begin_ = index + 1;
    body_ += line.substr(0, kMaxSection);
    body_ += '\n';
  }

  void Finish() {
    const bool is_empty = TrimLine(body_).empty();
    if (!is_empty) {
      sections_.push_back({.titles = titles_, .names = names_, .line = begin_, .text = body_});
    }
    body_.clear();
  }

  const std::vector<std::string_view>& lines_;
  std::size_t at_ = 0;
  std::size_t begin_ = 1;
  std::vector<std::string> marks_;
  std::vector<std::string> titles_;
  std::vector<std::string> names_;
  std::string body_;
  std::vector<Section> sections_;
};

// Entries, each of which begins at a line that `names_at` gives names for. Names of lines that
// follow each other belong to one entry.
template <typename NamesAt>
std::vector<Section> ReadEntries(const std::vector<std::string_view>& lines, std::string title,
                                 const NamesAt& names_at) {
  std::vector<Section> sections;
  bool is_heading = false;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const std::vector<std::string> names = names_at(lines[at]);
    if (!names.empty() && !is_heading) {
      if (sections.size() >= kMaxSections) break;
      sections.push_back({.titles = {title}, .names = {}, .line = at + 1, .text = ""});
    }
    is_heading = !names.empty();
    if (sections.empty()) continue;
    Section& section = sections.back();
    section.names.insert(section.names.end(), names.begin(), names.end());
    if (section.text.size() > kMaxSection) continue;
    section.text += lines[at].substr(0, kMaxSection);
    section.text += '\n';
  }
  return sections;
}

}  // namespace

DocumentForm FormOfDocument(std::string_view path) {
  if (path.starts_with("Documentation/ABI/") && !path.ends_with("/README")) {
    return DocumentForm::kFileInterfaces;
  }
  if (path == "Documentation/admin-guide/kernel-parameters.txt") {
    return DocumentForm::kBootParameters;
  }
  return DocumentForm::kProse;
}

std::vector<Section> SectionsOf(std::string_view text, DocumentForm form) {
  const std::vector<std::string_view> lines = LinesOf(text);
  switch (form) {
    case DocumentForm::kFileInterfaces:
      return ReadEntries(lines, "Interfaces of the kernel in files", InterfaceNames);
    case DocumentForm::kBootParameters:
      return ReadEntries(lines, "Parameters on the kernel's command line", BootParameterNames);
    case DocumentForm::kProse:
      break;
  }
  return ProseReader(lines).Read();
}

}  // namespace hone::agent
