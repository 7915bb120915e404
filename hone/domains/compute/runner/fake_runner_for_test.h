// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hone/core/rng.h"
#include "hone/domains/compute/runner/runner.h"
#include "hone/testing/fake_clock.h"

namespace hone::compute {

// A runner without a process: what it computes, how long that takes and what it does besides is
// said by the test. It lives in a clock of its own, which it moves.
class FakeRunner final : public Runner {
 public:
  using Kernel = std::function<void(std::span<const Tensor> inputs, Tensors& outputs)>;

  // What one call does.
  struct Behaviour {
    double time_ns = 100'000;
    double outside_ns = 0;     // Work between inputs and publishing.
    double late_ns = 0;        // Work after "done", which the judge charges.
    double delay_ns = 0;       // Others had the processor.
    double claimed_share = 1;  // Of the true time, by its own clock.
    int threads = 1;
    double arming_ns = 0;     // Work before it is ready.
    double unseen_ns = 0;     // Work on its device beside the time that it says.
    bool is_end_seen = true;  // Of a sealed call.
    std::optional<RunnerFault> fault = {};
    std::string exception = {};
  };
  using Behave = std::function<Behaviour(std::int64_t publication)>;

  FakeRunner(FakeClock& clock, Kernel kernel, Behave behave)
      : clock_(clock), kernel_(std::move(kernel)), behave_(std::move(behave)) {}

  Result<CallReport> Call(const CallOrder& order) override {
    CallReport report;
    if (order.times_nothing) {
      const double way = way_ns_();
      report.nothing = Nanoseconds(kEmptyNs + way);
      report.nothing_busy = Nanoseconds(kEmptyBusyNs + way);
      clock_.Advance(report.nothing);
    }
    is_sealing_ = order.is_sealed;
    Tensors outputs;
    for (const TensorSpec& output : order.outputs) outputs.push_back(Tensor::Zeros(output));
    kernel_(order.inputs, outputs);
    const Behaviour now = behave_(publications_++);  // It may know what the kernel has seen.
    report.fault = now.fault;
    if (report.fault) return report;
    report.exception = now.exception;
    for (Tensor& output : outputs) report.outputs.push_back(PartOf(output, order.part));
    Spend(now, now.time_ns, report);
    if (order.is_sealed) {
      report.span = report.time + Nanoseconds(kTurnNs + now.unseen_ns);
      if (!now.is_end_seen) report.span = {};
      ++sealed_;
    }
    report.claimed = Nanoseconds(now.time_ns * now.claimed_share);
    report.threads = order.counts_threads ? now.threads : -1;
    seeds_.push_back(order.seed);
    seen_.push_back({order.inputs.begin(), order.inputs.end()});
    return report;
  }

  Result<CallReport> CallNothing() override {
    CallReport report;
    Spend({}, 0, report);
    return report;
  }

  std::chrono::nanoseconds Used() const override { return used_; }
  void Pin(const std::vector<int>&) override {}

  // What the way there and back takes and works, besides kEmptyNs and kEmptyBusyNs.
  void MakeWayLonger(std::function<double()> ns) { way_ns_ = std::move(ns); }

  // Of large outputs it gives only the part that was asked for.
  void GiveParts() { gives_parts_ = true; }

  void Hold(const HeldMemory& memory) { held_ = memory; }
  HeldMemory Held() const override { return held_; }

  // From now on its calls can be sealed.
  void WorkOnADevice() { has_device_ = true; }
  bool CanSeal() const override { return has_device_; }
  int sealed() const { return sealed_; }        // Calls.
  bool sealing() const { return is_sealing_; }  // This call.

  // Work while somebody else is called.
  void WorkAside(double ns) { used_ += Nanoseconds(ns); }

  const std::vector<Tensors>& seen() const { return seen_; }
  const std::vector<std::uint64_t>& seeds() const { return seeds_; }  // Of all publications.

  static constexpr double kEmptyNs = 7'000;
  static constexpr double kEmptyBusyNs = 4'000;
  static constexpr double kTurnNs = 290'000;  // To another process and back.

 private:
  static std::chrono::nanoseconds Nanoseconds(double ns) {
    return std::chrono::nanoseconds{static_cast<std::int64_t>(ns)};
  }

  Tensor PartOf(const Tensor& output, const OutputPart& part) const {
    const std::int64_t count = output.spec.Count();
    if (!gives_parts_ || part.elements == 0 || part.elements >= count) return output;
    const auto size = static_cast<std::ptrdiff_t>(SizeOf(output.spec.dtype));
    const auto first = output.bytes.begin() + BeginOf(part, count) * size;
    return {{output.spec.name, output.spec.dtype, {part.elements}},
            {first, first + part.elements * size}};
  }

  void Spend(const Behaviour& now, double run, CallReport& report) {
    report.outside = Nanoseconds(now.outside_ns);
    report.delay = Nanoseconds(now.delay_ns);
    const double way = way_ns_();
    report.time = Nanoseconds(kEmptyNs + way + run + now.delay_ns);
    report.busy = Nanoseconds(kEmptyBusyNs + way + run + now.late_ns + now.delay_ns);
    report.work = Nanoseconds(run + now.late_ns);
    report.arming = Nanoseconds(now.arming_ns);
    used_ += report.outside + report.work;
    clock_.Advance(report.time + Nanoseconds(now.late_ns));
  }

  FakeClock& clock_;
  Kernel kernel_;
  Behave behave_;
  std::function<double()> way_ns_ = [] { return 0; };
  HeldMemory held_;
  bool gives_parts_ = false;
  bool has_device_ = false;
  int sealed_ = 0;
  bool is_sealing_ = false;
  std::int64_t publications_ = 0;
  std::chrono::nanoseconds used_{0};
  std::vector<Tensors> seen_;
  std::vector<std::uint64_t> seeds_;
};

}  // namespace hone::compute
