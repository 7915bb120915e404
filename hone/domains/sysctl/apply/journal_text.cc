// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/journal_text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <utility>

namespace hone::sysctl {
namespace {

constexpr std::string_view kVersion = "1";
constexpr std::string_view kYes = "yes";
constexpr std::string_view kNo = "no";

// CRC-32C (Castagnoli), a bit at a time: a journal is a hundred kilobytes at most.
std::uint32_t ChecksumOf(std::string_view text) {
  constexpr std::uint32_t kPolynomial = 0x82f63b78;
  std::uint32_t sum = ~0U;
  for (const char letter : text) {
    sum ^= static_cast<unsigned char>(letter);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? kPolynomial : 0);
  }
  return ~sum;
}

// Tabs separate fields and newlines end records, so neither may stand inside a field.
std::string Escaped(std::string_view field) {
  std::string text;
  for (const char letter : field) {
    switch (letter) {
      case '\t':
        text += "\\t";
        break;
      case '\n':
        text += "\\n";
        break;
      case '\\':
        text += "\\\\";
        break;
      default:
        text += letter;
    }
  }
  return text;
}

std::string Unescaped(std::string_view field) {
  std::string text;
  for (std::size_t at = 0; at < field.size(); ++at) {
    if (field[at] != '\\' || at + 1 == field.size()) {
      text += field[at];
      continue;
    }
    const char next = field[++at];
    text += next == 't' ? '\t' : next == 'n' ? '\n' : next;
  }
  return text;
}

using Fields = std::vector<std::string>;

std::string LineOf(const Fields& fields, std::size_t number) {
  std::string body = fmt::format("{}", number);
  for (const std::string& field : fields) body += '\t' + Escaped(field);
  return fmt::format("{:08x} {}\n", ChecksumOf(body), body);
}

// The fields of a line without its newline; nothing if it is damaged or out of turn.
std::optional<Fields> FieldsOf(std::string_view line, std::size_t number) {
  constexpr std::size_t kDigits = 8;
  std::uint32_t sum = 0;
  if (line.size() <= kDigits || line[kDigits] != ' ') return std::nullopt;
  const auto read = std::from_chars(line.data(), line.data() + kDigits, sum, 16);
  line.remove_prefix(kDigits + 1);
  if (read.ec != std::errc{} || sum != ChecksumOf(line)) return std::nullopt;
  Fields fields;
  while (true) {
    const std::size_t tab = line.find('\t');
    fields.push_back(Unescaped(line.substr(0, tab)));
    if (tab == std::string_view::npos) break;
    line.remove_prefix(tab + 1);
  }
  if (fields.front() != std::to_string(number)) return std::nullopt;
  fields.erase(fields.begin());
  return fields;
}

struct Word {
  JournalRecord::Kind kind;
  std::string_view word;
};

constexpr std::array kWords = {
    Word{JournalRecord::Kind::kIntend, "intend"}, Word{JournalRecord::Kind::kNow, "now"},
    Word{JournalRecord::Kind::kGone, "gone"}, Word{JournalRecord::Kind::kMoved, "moved"},
    Word{JournalRecord::Kind::kKeep, "keep"}};

// Of a service's file: what is put back, and what is run then.
void AddFileFields(std::vector<Fields>& head, const std::string& path, const HeldFile& held) {
  const FileImage& image = held.original;
  head.push_back({"file", path, std::string(image.is_there ? kYes : kNo),
                  fmt::format("{:04o}", image.mode), std::to_string(image.owner),
                  std::to_string(image.group), image.bytes});
  if (held.folder) {
    head.push_back({"folder", path, std::to_string(held.folder->device.value_or(0)),
                    std::to_string(held.folder->inode), std::to_string(held.folder->owner)});
  }
  for (const auto& [name, value] : image.attributes) {
    head.push_back({"attribute", path, name, value});
  }
  Fields reload{"reload", path, std::to_string(held.reload.timeout.count()),
                std::to_string(held.reload.settle.count())};
  reload.insert(reload.end(), held.reload.arguments.begin(), held.reload.arguments.end());
  head.push_back(std::move(reload));
}

template <typename Number>
Number NumberIn(const std::string& text, int base = 10) {
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number, base);
  return number;
}

HeldFile FileIn(const Fields& fields) {
  HeldFile held;
  held.original = {.is_there = fields[2] == kYes,
                   .mode = NumberIn<std::uint32_t>(fields[3], 8),
                   .owner = NumberIn<std::uint32_t>(fields[4]),
                   .group = NumberIn<std::uint32_t>(fields[5]),
                   .attributes = {},
                   .bytes = fields[6]};
  return held;
}

FolderIdentity FolderIn(const Fields& fields) {
  return {NumberIn<std::uint64_t>(fields[2]), NumberIn<std::uint64_t>(fields[3]),
          NumberIn<std::uint32_t>(fields[4])};
}

Reload ReloadIn(const Fields& fields) {
  return {{fields.begin() + 4, fields.end()},
          std::chrono::milliseconds(NumberIn<std::int64_t>(fields[2])),
          std::chrono::milliseconds(NumberIn<std::int64_t>(fields[3]))};
}

std::vector<Fields> HeadFields(const HeldState& state, std::string_view started) {
  std::vector<Fields> head;
  head.push_back({"hone-journal", std::string(kVersion), state.id, state.boot,
                  std::to_string(state.pid), std::string(started), state.reason});
  for (const auto& [path, held] : state.parameters) {
    head.push_back({held.is_follower ? "follows" : "holds", path, held.original,
                    std::string(held.can_undo ? kYes : kNo)});
  }
  for (const auto& [path, held] : state.files) AddFileFields(head, path, held);
  for (const auto& twins : state.couplings.twins) head.push_back({"twins", twins.one, twins.other});
  for (const auto& effect : state.couplings.effects) {
    head.push_back(
        {"effect", effect.cause, effect.effect, std::string(effect.can_undo ? kYes : kNo)});
  }
  for (const auto& [path, text] : state.seen) head.push_back({"seen", path, text});
  head.push_back({"sealed"});
  return head;
}

// Takes the records of a journal one after the other.
class Reader {
 public:
  // False: a record that no journal of this version has at this place.
  bool Take(const Fields& fields) {
    if (fields.empty()) return false;
    if (text_.records == 0) return TakeFirst(fields);
    return is_sealed_ ? TakeLater(fields) : TakeHead(fields);
  }
  void Count() { ++text_.records; }

  JournalText& text() { return text_; }
  bool is_sealed() const { return is_sealed_; }

 private:
  bool TakeFirst(const Fields& fields) {
    if (fields.size() != 7 || fields[0] != "hone-journal" || fields[1] != kVersion) return false;
    HeldState& state = text_.state;
    state.id = fields[2];
    state.boot = fields[3];
    std::from_chars(fields[4].data(), fields[4].data() + fields[4].size(), state.pid);
    text_.started = fields[5];
    state.reason = fields[6];
    return true;
  }

  bool TakeHead(const Fields& fields) {
    HeldState& state = text_.state;
    const std::string& kind = fields[0];
    if ((kind == "holds" || kind == "follows") && fields.size() == 4) {
      state.parameters[fields[1]] = HeldParameter{.original = fields[2],
                                                  .last = fields[2],
                                                  .is_follower = kind == "follows",
                                                  .can_undo = fields[3] == kYes};
    } else if (kind == "file" && fields.size() == 7) {
      state.files[fields[1]] = FileIn(fields);
    } else if (kind == "folder" && fields.size() == 5) {
      state.files[fields[1]].folder = FolderIn(fields);
    } else if (kind == "attribute" && fields.size() == 4) {
      state.files[fields[1]].original.attributes[fields[2]] = fields[3];
    } else if (kind == "reload" && fields.size() >= 4) {
      state.files[fields[1]].reload = ReloadIn(fields);
    } else if (kind == "twins" && fields.size() == 3) {
      state.couplings.twins.push_back({fields[1], fields[2]});
    } else if (kind == "effect" && fields.size() == 4) {
      state.couplings.effects.push_back({fields[1], fields[2], fields[3] == kYes});
    } else if (kind == "seen" && fields.size() == 3) {
      state.seen.emplace(fields[1], fields[2]);
    } else {
      is_sealed_ = kind == "sealed";
      return is_sealed_;
    }
    return true;
  }

  bool TakeLater(const Fields& fields) {
    if (fields.size() != 3) return false;
    for (const Word& word : kWords) {
      if (word.word != fields[0]) continue;
      Follow(text_.state, {word.kind, fields[1], fields[2]});
      return true;
    }
    return false;
  }

  JournalText text_;
  bool is_sealed_ = false;
};

Error Damaged(std::string_view what, std::size_t number) {
  return {Errc::kCorrupt,
          fmt::format("{}: line {} is damaged, so it is not known for certain what was in force "
                      "before. Nothing was changed. Look at the lines that begin with \"holds\" "
                      "(path, then the text to put back), put back what is needed, then remove "
                      "the file",
                      what, number + 1)};
}

}  // namespace

void Follow(HeldState& state, const JournalRecord& record) {
  switch (record.kind) {
    case JournalRecord::Kind::kIntend:
      state.Intend(record.path, record.text);
      break;
    case JournalRecord::Kind::kNow:
      state.Note(record.path, record.text);
      break;
    case JournalRecord::Kind::kGone:
      state.Note(record.path, std::nullopt);
      break;
    case JournalRecord::Kind::kMoved:
      state.parameters.try_emplace(
          record.path,
          HeldParameter{.original = record.text, .last = record.text, .is_follower = true});
      break;
    case JournalRecord::Kind::kKeep: {
      std::int64_t until = 0;
      std::from_chars(record.text.data(), record.text.data() + record.text.size(), until);
      state.keep_until_ms = until;
    }
  }
}

std::string HeadText(const HeldState& state, std::string_view started) {
  std::string text;
  std::size_t number = 0;
  for (const Fields& fields : HeadFields(state, started)) text += LineOf(fields, number++);
  return text;
}

std::size_t HeadRecords(const HeldState& state) { return HeadFields(state, "").size(); }

std::string RecordText(const JournalRecord& record, std::size_t number) {
  for (const Word& word : kWords) {
    if (word.kind != record.kind) continue;
    return LineOf({std::string(word.word), record.path, record.text}, number);
  }
  return "";
}

Result<JournalText> ReadJournalText(std::string_view text, std::string_view what) {
  Reader reader;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t number = reader.text().records;
    if (end == std::string_view::npos) {
      reader.text().is_torn = true;
      break;
    }
    const auto fields = FieldsOf(text.substr(0, end), number);
    if (!fields || !reader.Take(*fields)) return Damaged(what, number);
    reader.Count();
    text.remove_prefix(end + 1);
  }
  if (!reader.is_sealed()) return Damaged(what, reader.text().records);
  return std::move(reader.text());
}

}  // namespace hone::sysctl
