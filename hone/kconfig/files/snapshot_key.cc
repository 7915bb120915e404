// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/files/snapshot_key.h"

#include <algorithm>
#include <map>

#include "hone/kconfig/files/byte_image.h"

namespace hone::kconfig {
namespace {

constexpr std::size_t kLargestSource = 64 << 20;

// File systems round their stamps, some to two seconds.
constexpr std::int64_t kYoungSeconds = 3;

bool IsYoung(const FileStamp& stamp, std::int64_t now_s) {
  return std::max(stamp.modified_s, stamp.changed_s) >= now_s - kYoungSeconds;
}

Sha256Digest DigestOfText(std::string_view text) {
  Sha256 sum;
  sum.Add(text);
  return sum.Take();
}

template <typename Texts>
void WriteTexts(ImageWriter& out, const Texts& texts) {
  out.Number(texts.size());
  for (const auto& text : texts) out.Text(text);
}

template <typename Pairs>
void WriteTextPairs(ImageWriter& out, const Pairs& pairs) {
  out.Number(pairs.size());
  for (const auto& [name, text] : pairs) {
    out.Text(name);
    out.Text(text);
  }
}

std::vector<std::string_view> ReadTexts(ImageReader& in) {
  std::vector<std::string_view> texts;
  for (std::uint64_t left = in.Number(); left > 0 && !in.is_damaged(); --left) {
    texts.push_back(in.Text());
  }
  return texts;
}

std::vector<std::pair<std::string_view, std::string_view>> ReadTextPairs(ImageReader& in) {
  std::vector<std::pair<std::string_view, std::string_view>> pairs;
  for (std::uint64_t left = in.Number(); left > 0 && !in.is_damaged(); --left) {
    const std::string_view name = in.Text();
    pairs.emplace_back(name, in.Text());
  }
  return pairs;
}

}  // namespace

std::string SnapshotKeyOf(const TreeInputs& inputs, std::int64_t began_s) {
  ImageWriter out;
  out.Text(inputs.identity);
  WriteTexts(out, inputs.info);
  WriteTextPairs(out, inputs.variables);
  WriteTexts(out, inputs.unset);
  WriteTextPairs(out, std::map<std::string_view, std::string_view>(inputs.results.begin(),
                                                                   inputs.results.end()));
  std::vector<SnapshotKey::FileRecord> records;
  records.reserve(inputs.files.files.size());
  out.Number(inputs.files.files.size());
  for (const InputFile& file : inputs.files.files) {
    out.Text(file.name);
    const bool is_young = IsYoung(file.found.stamp, began_s);
    records.push_back(
        {file.found, is_young ? 1U : 0U, is_young ? DigestOfText(file.text) : Sha256Digest{}});
  }
  out.Array(std::span<const SnapshotKey::FileRecord>(records));
  WriteTexts(out, inputs.files.absent);
  out.Number(inputs.files.patterns.size());
  for (const auto& [pattern, matches] : inputs.files.patterns) {
    out.Text(pattern);
    WriteTexts(out, matches);
  }
  return out.Take();
}

SnapshotKey::SnapshotKey(std::string_view bytes) : bytes_(bytes) {
  ImageReader in(bytes);
  identity_ = in.Text();
  info_ = ReadTexts(in);
  variables_ = ReadTextPairs(in);
  unset_ = ReadTexts(in);
  results_ = ReadTextPairs(in);
  names_ = ReadTexts(in);
  records_ = in.Array<FileRecord>();
  absent_ = ReadTexts(in);
  for (std::uint64_t left = in.Number(); left > 0 && !in.is_damaged(); --left) {
    const std::string_view pattern = in.Text();
    patterns_.emplace_back(pattern, ReadTexts(in));
  }
  is_damaged_ = in.is_damaged() || !in.is_at_end() || names_.size() != records_.size();
}

bool SnapshotKey::HoldsVariables(const Environment& now) const {
  const auto holds = [&](const Pair& variable) {
    const auto found = now.find(variable.first);
    return found != now.end() && found->second == variable.second;
  };
  const auto is_there = [&](std::string_view name) { return now.contains(name); };
  return std::all_of(variables_.begin(), variables_.end(), holds) &&
         std::none_of(unset_.begin(), unset_.end(), is_there);
}

bool SnapshotKey::HoldsResults(const KnownResults& known) const {
  return std::all_of(results_.begin(), results_.end(), [&](const Pair& result) {
    const std::string* now = known(std::string(result.first));
    return now != nullptr && *now == result.second;
  });
}

bool SnapshotKey::HoldsFiles(const SourceFolders& folders) const {
  TextArena arena;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const FileRecord& record = records_[i];
    if (folders.Find(names_[i].data()) != record.found) return false;
    if (record.is_young == 0) continue;
    const auto read = folders.Read(std::string(names_[i]), arena, kLargestSource);
    if (!read || read->found != record.found || DigestOfText(read->text) != record.digest)
      return false;
  }
  const auto is_there = [&](std::string_view name) {
    return folders.Find(name.data()).has_value();
  };
  if (std::any_of(absent_.begin(), absent_.end(), is_there)) return false;
  return std::all_of(patterns_.begin(), patterns_.end(), [&](const auto& pattern) {
    const auto now = folders.Glob(std::string(pattern.first));
    return now &&
           std::equal(now->begin(), now->end(), pattern.second.begin(), pattern.second.end());
  });
}

std::optional<std::string> SnapshotKey::Renewed(std::int64_t now_s) const {
  std::string renewed;
  for (const FileRecord& record : records_) {
    if (record.is_young == 0 || IsYoung(record.found.stamp, now_s)) continue;
    if (renewed.empty()) renewed = bytes_;
    FileRecord old = record;
    old.is_young = 0;
    const auto at = reinterpret_cast<const char*>(&record) - bytes_.data();
    std::memcpy(renewed.data() + at, &old, sizeof old);
  }
  if (renewed.empty()) return std::nullopt;
  return renewed;
}

}  // namespace hone::kconfig
