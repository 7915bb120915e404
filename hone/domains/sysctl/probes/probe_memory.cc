// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "hone/base/errno_error.h"
#include "hone/base/file.h"
#include "hone/domains/option_reader.h"
#include "hone/domains/sysctl/probes/all_probes.h"
#include "hone/domains/sysctl/probes/stopwatch.h"

namespace hone::sysctl {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kHugePage = 2 << 20;
constexpr std::uint64_t kWord = sizeof(std::uint64_t);

struct MemoryOptions {
  std::uint64_t bytes = 0;
  double seconds = 0;
  std::uint64_t seed = 0;
};

const std::vector<OptionFacts>& MemoryProbeFacts() {
  static const std::vector<OptionFacts> facts = {
      {"mib", "1024", "Memory to work on, mapped anew for each run."},
      {"milliseconds", "300", "How long to read and write."},
      {"seed", "1", "Of the places that are visited."},
  };
  return facts;
}

Result<MemoryOptions> MemoryProbeReadOptions(const Options& options) {
  OptionReader reader("memory", MemoryProbeFacts(), options);
  MemoryOptions result;
  result.bytes = static_cast<std::uint64_t>(reader.Integer("mib", 1, 1 << 20)) << 20;
  result.seconds = static_cast<double>(reader.Integer("milliseconds", 1, 600'000)) / 1000;
  result.seed = static_cast<std::uint64_t>(
      reader.Integer("seed", 0, std::numeric_limits<std::int64_t>::max()));
  if (const auto read = reader.Finish(); !read) return read.error();
  return result;
}

// Memory that others need is not taken: the kernel may promise what it does not have, and end
// somebody when it is used.
Result<void> CheckRoom(std::uint64_t bytes) {
  const auto text = ReadFile("/proc/meminfo");
  if (!text) return text.error();
  constexpr std::string_view kName = "MemAvailable:";
  const std::size_t found = text->find(kName);
  if (found == std::string::npos) return {};  // Before Linux 3.14.
  const std::uint64_t free_kib = std::strtoull(text->c_str() + found + kName.size(), nullptr, 10);
  if (bytes / 1024 <= free_kib / 2) return {};
  return Error{Errc::kUnavailable,
               fmt::format("memory: mib={} is more than half of the {} MiB that are free here",
                           bytes >> 20, free_kib >> 10)};
}

// Fresh anonymous memory. A huge page more than asked for, so that its start can be moved to where
// huge pages begin, whatever the kernel's way to choose an address.
class Mapping {
 public:
  static Result<Mapping> Make(std::uint64_t bytes) {
    void* const at = ::mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
      return ErrnoError(fmt::format("memory: mapping {} MiB", bytes >> 20), errno);
    }
    return Mapping(at, bytes);
  }

  Mapping(Mapping&& other) noexcept : at_(other.at_), bytes_(other.bytes_) { other.at_ = nullptr; }
  Mapping& operator=(Mapping&&) = delete;
  ~Mapping() {
    if (at_ != nullptr) ::munmap(at_, bytes_ + kHugePage);
  }

  std::uint64_t* words() const {
    void* at = at_;
    std::size_t room = bytes_ + kHugePage;
    return static_cast<std::uint64_t*>(std::align(kHugePage, bytes_, at, room));
  }
  std::uint64_t size() const { return bytes_ / kWord; }

 private:
  Mapping(void* at, std::uint64_t bytes) : at_(at), bytes_(bytes) {}

  void* at_;
  std::uint64_t bytes_;
};

double TouchAll(const Mapping& mapping) {
  const Stopwatch watch;
  volatile std::uint64_t* const words = mapping.words();
  for (std::uint64_t i = 0; i < mapping.size(); i += kPage / kWord) words[i] = i;
  return watch.Seconds();
}

// Walks at random: where it goes next depends on what it read, so that every step waits for memory
// and for the walk through the page tables.
class Walk {
 public:
  Walk(const Mapping& mapping, std::uint64_t seed)
      : words_(mapping.words()), size_(mapping.size()), state_(seed) {}

  void Steps(int count) {
    for (int i = 0; i < count; ++i) {
      state_ = state_ * 6364136223846793005U + 1442695040888963407U;
      // From [0, 2^64) to [0, size).
      const auto place = static_cast<std::uint64_t>((static_cast<Wide>(state_) * size_) >> 64);
      state_ ^= words_[place];
      words_[place] = state_;
    }
  }

 private:
  std::uint64_t* words_;
  std::uint64_t size_;
  std::uint64_t state_;
};

double MillionStepsPerSecond(Walk& walk, double seconds, const ProbeSeries& series) {
  constexpr int kSteps = 2048;
  const Stopwatch watch;
  std::int64_t done = 0;
  std::int64_t told = 0;
  double told_at = 0;
  double now = 0;
  while ((now = watch.Seconds()) < seconds) {
    walk.Steps(kSteps);
    done += kSteps;
    if (series && now - told_at >= kSeriesPeriodSeconds) {
      series({"mops_per_s", static_cast<double>(done - told) / (now - told_at) / 1e6});
      told = done;
      told_at = now;
    }
  }
  return static_cast<double>(done) / now / 1e6;
}

Result<std::vector<ProbeReading>> MemoryProbeRun(const Options& given, const ProbeSeries& series) {
  const auto options = MemoryProbeReadOptions(given);
  if (!options) return options.error();
  if (const auto room = CheckRoom(options->bytes); !room) return room.error();
  const auto mapping = Mapping::Make(options->bytes);
  if (!mapping) return mapping.error();
  const double first_touch = TouchAll(*mapping);
  Walk walk(*mapping, options->seed);
  const double rate = MillionStepsPerSecond(walk, options->seconds, series);
  return std::vector<ProbeReading>{{"mops_per_s", rate}, {"first_touch_s", first_touch}};
}

}  // namespace

Probe MakeMemoryProbe() {
  return {"memory",
          "reads and writes at random places of fresh memory",
          MemoryProbeFacts(),
          {"mops_per_s: million places a second, each read and written",
           "first_touch_s: seconds until every page was there"},
          MemoryProbeRun};
}

}  // namespace hone::sysctl
