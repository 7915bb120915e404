// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "hone/base/descriptor.h"
#include "hone/base/errno_error.h"
#include "hone/core/rng.h"
#include "hone/domains/option_reader.h"
#include "hone/domains/sysctl/probes/all_probes.h"
#include "hone/domains/sysctl/probes/stopwatch.h"

namespace hone::sysctl {
namespace {

struct BurstOptions {
  std::string file;
  std::int64_t blocks = 0;
  std::int64_t block_bytes = 0;
  std::uint64_t seed = 0;
};

const std::vector<OptionFacts>& WriteBurstProbeFacts() {
  static const std::vector<OptionFacts> facts = {
      {"file", "write-burst.data", "Where to write; made if it is not there, and kept."},
      {"mib", "512", "How much a burst writes, and how large the file is."},
      {"block_kib", "64", "What one write has."},
      {"seed", "1", "Of the order of the blocks and of what is in them."},
  };
  return facts;
}

Result<BurstOptions> WriteBurstProbeReadOptions(const Options& options) {
  OptionReader reader("write-burst", WriteBurstProbeFacts(), options);
  BurstOptions result;
  result.file = reader.Text("file");
  result.block_bytes = reader.Integer("block_kib", 4, 4096) << 10;
  result.blocks = (reader.Integer("mib", 4, 1 << 20) << 20) / result.block_bytes;
  result.seed = static_cast<std::uint64_t>(
      reader.Integer("seed", 0, std::numeric_limits<std::int64_t>::max()));
  if (const auto read = reader.Finish(); !read) return read.error();
  return result;
}

// What does not compress and is not all the same.
std::vector<char> RandomBlock(const BurstOptions& options) {
  Rng rng = Rng(options.seed).Split("block");
  std::vector<char> block(static_cast<std::size_t>(options.block_bytes));
  for (char& byte : block) byte = static_cast<char>(rng.Below(256));
  return block;
}

std::vector<std::int64_t> ShuffledPlaces(const BurstOptions& options) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(options.blocks));
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i] = static_cast<std::int64_t>(i) * options.block_bytes;
  }
  Rng(options.seed).Split("order").Shuffle(places);
  return places;
}

Result<void> WriteBlock(int file, const std::vector<char>& block, std::int64_t place) {
  std::size_t done = 0;
  while (done < block.size()) {
    const ssize_t written = ::pwrite(file, block.data() + done, block.size() - done,
                                     place + static_cast<std::int64_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return ErrnoError("write-burst", errno);
    done += static_cast<std::size_t>(written);
  }
  return {};
}

// Opens the file with all its blocks on disk, and nothing of it in memory: a burst then pays for
// its own writing and not for finding room, nor for what was left over from the one before.
Result<Descriptor> OpenSettled(const BurstOptions& options, const std::vector<char>& block) {
  Descriptor file(::open(options.file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.is_open()) return ErrnoError(options.file, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return ErrnoError(options.file, errno);
  const std::int64_t bytes = options.blocks * options.block_bytes;
  if (status.st_size != bytes || status.st_blocks * 512 < bytes) {
    if (::ftruncate(file.get(), bytes) != 0) return ErrnoError(options.file, errno);
    for (std::int64_t place = 0; place < bytes; place += options.block_bytes) {
      if (auto written = WriteBlock(file.get(), block, place); !written) return written.error();
    }
  }
  if (::fsync(file.get()) != 0) return ErrnoError(options.file, errno);
  ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
  return file;
}

Result<double> MibPerSecond(int file, const BurstOptions& options, const std::vector<char>& block,
                            const ProbeSeries& series) {
  const auto places = ShuffledPlaces(options);
  const double mib_per_block = static_cast<double>(options.block_bytes) / (1 << 20);
  const Stopwatch watch;
  double told_at = 0;
  double since = 0;
  for (const std::int64_t place : places) {
    if (auto written = WriteBlock(file, block, place); !written) return written.error();
    since += mib_per_block;
    const double now = watch.Seconds();
    if (series && now - told_at >= kSeriesPeriodSeconds) {
      series({"mib_per_s", since / (now - told_at)});
      told_at = now;
      since = 0;
    }
  }
  return static_cast<double>(places.size()) * mib_per_block / watch.Seconds();
}

Result<std::vector<ProbeReading>> WriteBurstProbeRun(const Options& given,
                                                     const ProbeSeries& series) {
  const auto options = WriteBurstProbeReadOptions(given);
  if (!options) return options.error();
  const auto block = RandomBlock(*options);
  const auto file = OpenSettled(*options, block);
  if (!file) return file.error();
  const auto rate = MibPerSecond(file->get(), *options, block, series);
  if (!rate) return rate.error();
  const Stopwatch watch;
  if (::fsync(file->get()) != 0) return ErrnoError(options->file, errno);
  return std::vector<ProbeReading>{{"mib_per_s", *rate}, {"fsync_ms", watch.Seconds() * 1000}};
}

}  // namespace

Probe MakeWriteBurstProbe() {
  return {"write-burst",
          "writes a burst through the page cache, then waits until it is on disk",
          WriteBurstProbeFacts(),
          {"mib_per_s: of the burst, as the writer sees it",
           "fsync_ms: how long the fsync after it stalls"},
          WriteBurstProbeRun};
}

}  // namespace hone::sysctl
