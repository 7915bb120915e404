// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/workload/tripwire.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "hone/base/descriptor.h"
#include "hone/base/file.h"
#include "hone/base/machine_text.h"
#include "hone/domains/sysctl/workload/metric_reader.h"

namespace hone::sysctl {
namespace {

using Steady = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;
using std::chrono::milliseconds;

constexpr milliseconds kBetweenLooks{100};
constexpr std::chrono::seconds kWindow{1};
constexpr int kErrorLevel = 3;

// A record of /dev/kmsg: "level and facility,number,time,flags;text", then lines of facts.
struct LogRecord {
  int level = 0;
  int facility = 0;
  std::string text;
};

std::optional<LogRecord> ParseRecord(std::string_view record) {
  int priority = 0;
  const auto [end, problem] =
      std::from_chars(record.data(), record.data() + record.size(), priority);
  const auto text = record.find(';');
  if (problem != std::errc() || text == record.npos) return std::nullopt;
  record.remove_prefix(text + 1);
  return LogRecord{priority & 7, priority >> 3, std::string(record.substr(0, record.find('\n')))};
}

Descriptor OpenLog(const std::filesystem::path& path) {
  Descriptor log(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (log.is_open()) ::lseek(log.get(), 0, SEEK_END);
  return log;
}

std::optional<double> OomKills(const std::filesystem::path& vmstat) {
  const auto field = FindField(ReadFile(vmstat).value_or(""), "oom_kill");
  return field ? ParseFirstNumber(*field) : std::nullopt;
}

// The control group whose memory limit holds for us: "4:memory:/a" with version 1, "0::/a" with 2.
std::string OwnMemoryGroup(const std::filesystem::path& cgroup) {
  const std::string text = ReadFile(cgroup).value_or("");
  for (const std::string_view name : {":memory:", "0::"}) {
    const auto found = text.find(name);
    if (found == text.npos) continue;
    const auto begin = found + name.size();
    return text.substr(begin, text.find('\n', begin) - begin);
  }
  return "";
}

// What stands behind "name=" in a record such as "oom-kill:constraint=…,task_memcg=/a,task=b".
std::string_view ItemOf(std::string_view record, std::string_view name) {
  const auto found = record.find(name);
  if (found == record.npos) return "";
  record.remove_prefix(found + name.size());
  return record.substr(0, record.find(','));
}

std::optional<Seconds> StallTime(const std::filesystem::path& pressure) {
  const auto totals = ParsePressure(ReadFile(pressure).value_or(""));
  return totals ? std::optional<Seconds>(totals->full) : std::nullopt;
}

class TripwireWatch final : public Tripwires {
 public:
  TripwireWatch(TripwireSettings settings, std::function<void(const Trip&)> on_trip)
      : settings_(std::move(settings)),
        on_trip_(std::move(on_trip)),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        log_(settings_.wires.has_kernel_log_wire || settings_.wires.has_oom_wire
                 ? OpenLog(settings_.kernel_log)
                 : Descriptor()),
        own_group_(OwnMemoryGroup(settings_.cgroup)),
        kills_(OomKills(settings_.vmstat)) {
    LookAtPressure();
    thread_ = std::thread([this] { Loop(); });
  }

  TripwireWatch(const TripwireWatch&) = delete;
  TripwireWatch& operator=(const TripwireWatch&) = delete;
  ~TripwireWatch() override { Disarm(); }

  void SeeLine(std::string_view line) override {
    for (const Limit& limit : settings_.wires.live_limits) {
      for (const MetricSpec& metric : settings_.metrics) {
        if (metric.facts.name == limit.metric) Judge(limit, metric, line);
      }
    }
  }

  std::optional<Trip> Disarm() override {
    if (thread_.joinable()) {
      const std::uint64_t one = 1;
      (void)!::write(wake_.get(), &one, sizeof one);
      thread_.join();
    }
    const std::lock_guard lock(mutex_);
    return trip_;
  }

 private:
  void Loop() {
    std::array<pollfd, 2> waits{pollfd{wake_.get(), POLLIN, 0}, pollfd{log_.get(), POLLIN, 0}};
    while (true) {
      ::poll(waits.data(), waits.size(), static_cast<int>(kBetweenLooks.count()));
      LookAtLog();
      LookAtKills();
      LookAtPressure();
      if (waits[0].revents != 0) return;
    }
  }

  void Break(Trip::Wire wire, std::string why) {
    {
      const std::lock_guard lock(mutex_);
      if (trip_) return;
      trip_ = Trip{wire, std::move(why)};
    }
    on_trip_(*trip_);  // Nobody changes it any more.
  }

  void LookAtPressure() {
    const double max = settings_.wires.memory_pressure;
    const auto stalled = max > 0 ? StallTime(settings_.pressure) : std::nullopt;
    if (!stalled) return;
    const auto now = Steady::now();
    stalls_.emplace_back(now, *stalled);
    while (now - stalls_.front().first > kWindow) stalls_.pop_front();
    const double share = (*stalled - stalls_.front().second) / kWindow;
    if (share < max) return;
    Break(Trip::Wire::kMemoryPressure,
          fmt::format("memory_pressure: all tasks waited for memory for {:.0f} ms of the last "
                      "second, allowed are {:.0f} ms",
                      share * 1e3, max * 1e3));
  }

  // Only where the log does not tell: the count does not say whose limit it was.
  void LookAtKills() {
    if (log_.is_open()) return;
    const auto kills = settings_.wires.has_oom_wire ? OomKills(settings_.vmstat) : std::nullopt;
    if (!kills || !kills_ || *kills <= *kills_) return;
    Break(Trip::Wire::kOom,
          fmt::format("oom: the kernel ended {:.0f} process(es) for want of memory",
                      *kills - *kills_));
  }

  void LookAtLog() {
    std::array<char, 8192> record;
    while (log_.is_open()) {
      const ssize_t size = ::read(log_.get(), record.data(), record.size());
      if (size < 0 && (errno == EPIPE || errno == EINTR)) continue;  // Overwritten: read on.
      if (size <= 0) return;
      const auto parsed =
          ParseRecord(std::string_view(record.data(), static_cast<std::size_t>(size)));
      if (parsed) JudgeRecord(*parsed);
    }
  }

  void JudgeRecord(const LogRecord& record) {
    if (record.facility != 0 && !settings_.takes_user_messages) return;
    if (record.text.starts_with("oom-kill:")) {
      is_foreign_kill_ = ItemOf(record.text, "constraint=") == "CONSTRAINT_MEMCG" &&
                         ItemOf(record.text, "task_memcg=") != own_group_;
      return;
    }
    const bool is_kill = record.text.find("Killed process") != std::string::npos;
    // A container that reached its own limit says nothing about the machine.
    if (is_kill && is_foreign_kill_ && record.text.starts_with("Memory cgroup")) return;
    if (is_kill && settings_.wires.has_oom_wire) {
      Break(Trip::Wire::kOom, fmt::format("oom: the kernel says: {}", record.text));
    } else if (record.level <= kErrorLevel && settings_.wires.has_kernel_log_wire) {
      Break(Trip::Wire::kKernelLog,
            fmt::format("kernel_log: a message of level {}: {}", record.level, record.text));
    }
  }

  void Judge(const Limit& limit, const MetricSpec& metric, std::string_view line) {
    const auto value = ReadLiveValue(metric, line);
    if (!value || !*value) return;  // What the output holds is judged at the end.
    const bool is_kept = limit.is_upper ? **value <= limit.bound : **value >= limit.bound;
    if (is_kept) return;
    Break(Trip::Wire::kLiveLimit,
          fmt::format("live: {} was {:g}, the limit is {}", limit.metric, **value, ToText(limit)));
  }

  // Constant after construction.
  const TripwireSettings settings_;
  const std::function<void(const Trip&)> on_trip_;
  const Descriptor wake_;

  // The watching thread's own.
  const Descriptor log_;
  const std::string own_group_;
  // By the last record that says whose limit it was. If none does, it came before the watch.
  bool is_foreign_kill_ = true;
  const std::optional<double> kills_;
  std::deque<std::pair<Steady::time_point, Seconds>> stalls_;

  std::mutex mutex_;
  std::optional<Trip> trip_;  // Protected by mutex_; set once.
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Tripwires> Tripwires::Arm(TripwireSettings settings,
                                          std::function<void(const Trip&)> on_trip) {
  return std::make_unique<TripwireWatch>(std::move(settings), std::move(on_trip));
}

std::vector<std::string> DeadWires(const TripwireSettings& settings) {
  std::vector<std::string> dead;
  const bool has_log = OpenLog(settings.kernel_log).is_open();
  if (settings.wires.memory_pressure > 0 && !StallTime(settings.pressure)) {
    dead.push_back(fmt::format("tripwire memory_pressure: off, {} does not tell (CONFIG_PSI)",
                               settings.pressure.native()));
  }
  if (settings.wires.has_oom_wire && !OomKills(settings.vmstat) && !has_log) {
    dead.push_back(fmt::format("tripwire oom: off, {} does not tell", settings.vmstat.native()));
  }
  if (settings.wires.has_kernel_log_wire && !has_log) {
    dead.push_back(fmt::format("tripwire kernel_log: off, {} cannot be read: run as root",
                               settings.kernel_log.native()));
  }
  return dead;
}

}  // namespace hone::sysctl
