// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/load_runner.h"

#include <array>
#include <memory>
#include <span>
#include <utility>

#include "hone/domains/compute/runner/channel_runner.h"
#include "hone/domains/compute/runner/hand_over.h"
#include "hone/domains/compute/runner/load_message.h"
#include "hone/domains/compute/runner/runner_faults.h"

namespace hone::compute {

Result<Loaded> LoadIntoRunner(WarmSandbox warm, int content, const std::string& entry_point,
                              const LoadOrder& order) {
  auto channel = CallChannel::Make(order.arena_bytes);
  if (!channel) return channel.error();
  LoadMessage message{kLoadMagic, kBlockVersion, channel->bytes(), {}};
  entry_point.copy(message.entry_point, sizeof(message.entry_point) - 1);
  const std::array descriptors{channel->descriptor(), content};
  const auto pid =
      HandOver(warm.ours.at(0).get(), std::as_bytes(std::span(&message, 1)), descriptors);
  if (!pid) return pid.error();
  auto memory = ProcessMemory::Of(*pid);
  if (!memory && order.problem.outputs.empty()) return memory.error();
  auto runner = std::make_unique<ChannelRunner>(std::move(warm.sandbox), std::move(*channel), *pid,
                                                memory ? std::move(*memory) : ProcessMemory());
  runner->Pin(order.cpus);
  Loaded loaded;
  loaded.fault = runner->AwaitLoaded(order.limit, order.stop);
  if (auto failure = FailureIn(loaded.fault)) return *std::move(failure);
  if (!loaded.fault) loaded.runner = std::move(runner);
  return loaded;
}

}  // namespace hone::compute
