// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/training_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <cstring>
#include <sstream>
#include <string_view>

#include "hone/base/file.h"

namespace hone::learn {
namespace {

constexpr const char* kCsvName = "progress.csv";
constexpr std::array kColumns = {"time/total_timesteps",     "rollout/ep_rew_mean",
                                 "rollout/ep_len_mean",      "train/policy_gradient_loss",
                                 "train/value_loss",         "train/entropy_loss",
                                 "train/approx_kl",          "train/clip_fraction",
                                 "train/explained_variance", "train/learning_rate",
                                 "train/clip_range",         "train/n_updates"};

std::array<std::uint32_t, 256> MakeCrcTable() {
  constexpr std::uint32_t kPolynomial = 0x82f63b78;  // Castagnoli's, reversed.
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    table[i] = crc;
  }
  return table;
}

template <typename T>
std::string Bytes(T number) {
  static_assert(std::endian::native == std::endian::little);
  std::string bytes(sizeof(number), '\0');
  std::memcpy(bytes.data(), &number, sizeof(number));
  return bytes;
}

// Of protocol buffers: a number in groups of seven bits; a field with its length before it.
std::string Varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>((number & 0x7f) | 0x80);
  return bytes + static_cast<char>(number);
}

std::string Field(int number, const std::string& content) {
  return Varint(static_cast<std::uint64_t>(number) << 3 | 2) + Varint(content.size()) + content;
}

std::string TimeField(WallTime at) {
  return "\x09" + Bytes(std::chrono::duration<double>(at.time_since_epoch()).count());
}

// The checksum is rotated, so that one of bytes that hold checksums themselves is still a good one.
std::uint32_t Masked(std::uint32_t crc) { return std::rotr(crc, 15) + 0xa282ead8U; }

std::string Record(const std::string& content) {
  const std::string length = Bytes(static_cast<std::uint64_t>(content.size()));
  return length + Bytes(Masked(Crc32c(length))) + content + Bytes(Masked(Crc32c(content)));
}

std::string StepField(std::int64_t step) {
  return "\x10" + Varint(static_cast<std::uint64_t>(step));
}

std::string CsvHeader() {
  std::string header;
  for (const char* column : kColumns) header += (header.empty() ? "" : ",") + std::string(column);
  return header + "\n";
}

// The lines below the header. One that was cut in mid-write has no line feed, and does not count.
std::vector<std::string> LinesIn(const std::string& csv) {
  std::vector<std::string> whole;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line) && !lines.eof();) {
    if (line + "\n" != CsvHeader()) whole.push_back(line);
  }
  return whole;
}

// The rows of at most so many steps.
std::string RowsUntil(const std::string& csv, std::int64_t steps) {
  std::string kept;
  for (const std::string& line : LinesIn(csv)) {
    std::int64_t at = 0;
    const auto [end, fault] = std::from_chars(line.data(), line.data() + line.size(), at);
    if (fault == std::errc() && *end == ',' && at <= steps) kept += line + "\n";
  }
  return kept;
}

// Fields that are no numbers are empty.
CurveRow ParseRow(std::string_view line) {
  CurveRow row;
  while (row.size() < kColumns.size()) {
    const std::string_view field = line.substr(0, line.find(','));
    double value = 0;
    const auto [end, fault] = std::from_chars(field.data(), field.data() + field.size(), value);
    const bool is_number = fault == std::errc() && end == field.data() + field.size();
    row.push_back(is_number ? std::optional(value) : std::nullopt);
    line.remove_prefix(std::min(field.size() + 1, line.size()));
  }
  return row;
}

Result<void> BeginCsv(const std::filesystem::path& path, std::int64_t steps) {
  std::string rows;
  if (steps > 0 && std::filesystem::exists(path)) {
    const auto csv = ReadFile(path);
    if (!csv) return csv.error();
    rows = RowsUntil(*csv, steps);
  }
  return WriteFileDurably(path, CsvHeader() + rows);
}

}  // namespace

std::uint32_t Crc32c(const std::string& bytes) {
  static const std::array<std::uint32_t, 256> table = MakeCrcTable();
  std::uint32_t crc = ~0U;
  for (const char c : bytes) crc = (crc >> 8) ^ table[(crc ^ static_cast<unsigned char>(c)) & 0xff];
  return ~crc;
}

std::string EventFileStart(WallTime at) {
  return Record(TimeField(at) + Field(3, "brain.Event:2"));
}

std::string EventRecord(WallTime at, std::int64_t step,
                        const std::vector<std::pair<std::string, double>>& scalars) {
  std::string summary;
  for (const auto& [tag, value] : scalars) {
    summary += Field(1, Field(1, tag) + "\x15" + Bytes(static_cast<float>(value)));
  }
  return Record(TimeField(at) + StepField(step) + Field(5, summary));
}

std::string EventRestart(WallTime at, std::int64_t step) {
  constexpr const char* kStatusIsStart = "\x08\x01";
  return Record(TimeField(at) + StepField(step) + Field(7, kStatusIsStart));
}

std::vector<std::pair<std::string, double>> Scalars(const TrainReport& report) {
  const UpdateReport& update = report.update;
  std::vector<std::pair<std::string, double>> scalars = {
      {"train/policy_gradient_loss", update.policy_loss},
      {"train/value_loss", update.value_loss},
      {"train/entropy_loss", update.entropy_loss},
      {"train/approx_kl", update.approx_kl},
      {"train/clip_fraction", update.clip_fraction},
      {"train/explained_variance", update.explained_variance},
      {"train/learning_rate", update.learning_rate},
      {"train/clip_range", update.clip_range},
      {"train/n_updates", static_cast<double>(report.updates)},
      {"time/total_timesteps", static_cast<double>(report.steps)}};
  if (report.mean_reward) scalars.emplace_back("rollout/ep_rew_mean", *report.mean_reward);
  if (report.mean_length) scalars.emplace_back("rollout/ep_len_mean", *report.mean_length);
  return scalars;
}

std::vector<std::string> CurveColumns() { return {kColumns.begin(), kColumns.end()}; }

CurveRow RowOf(const TrainReport& report) {
  CurveRow row(kColumns.size());
  for (const auto& [name, value] : Scalars(report)) {
    const auto* const column = std::find(kColumns.begin(), kColumns.end(), name);
    if (column != kColumns.end()) row[static_cast<std::size_t>(column - kColumns.begin())] = value;
  }
  return row;
}

Result<std::vector<CurveRow>> ReadTrainingCurve(const std::filesystem::path& folder) {
  const auto csv = ReadFile(folder / kCsvName);
  if (!csv) return csv.error();
  std::vector<CurveRow> rows;
  for (const std::string& line : LinesIn(*csv)) rows.push_back(ParseRow(line));
  return rows;
}

TrainingCurve::TrainingCurve(std::filesystem::path folder, std::ofstream csv, std::ofstream events)
    : folder_(std::move(folder)), csv_(std::move(csv)), events_(std::move(events)) {}

Result<TrainingCurve> TrainingCurve::Open(const std::filesystem::path& folder, std::int64_t steps,
                                          WallTime now) {
  if (auto made = MakeFolder(folder); !made) return made.error();
  if (auto begun = BeginCsv(folder / kCsvName, steps); !begun) return begun.error();
  std::ofstream csv(folder / kCsvName, std::ios::app);
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  std::ofstream events(folder / fmt::format("events.out.tfevents.{}.hone", seconds),
                       std::ios::app | std::ios::binary);
  events << EventFileStart(now);
  if (steps > 0) events << EventRestart(now, steps + 1);
  if (!csv.flush() || !events.flush()) {
    return Error{Errc::kUnavailable, fmt::format("{}: cannot be written to", folder.string())};
  }
  return TrainingCurve(folder, std::move(csv), std::move(events));
}

Result<void> TrainingCurve::Append(const TrainReport& report, WallTime now) {
  std::string line;
  for (const auto& value : RowOf(report)) {
    if (!line.empty()) line += ",";
    if (value) line += fmt::format("{}", *value);
  }
  csv_ << line << "\n";
  events_ << EventRecord(now, report.steps, Scalars(report));
  if (csv_.flush() && events_.flush()) return {};
  return Error{Errc::kUnavailable, fmt::format("{}: cannot be written to", folder_.string())};
}

}  // namespace hone::learn
