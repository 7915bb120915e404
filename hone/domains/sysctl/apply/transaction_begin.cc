// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/transaction_begin.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <cstdint>
#include <map>

#include "hone/domains/sysctl/apply/journal.h"
#include "hone/domains/sysctl/kernel/parameter_path.h"
#include "hone/domains/sysctl/kernel/snapshot.h"

namespace hone::sysctl {
namespace {

std::string FreshId() {
  std::uint64_t number = 0;
  [[maybe_unused]] const ssize_t got = ::getrandom(&number, sizeof number, 0);
  return fmt::format("{:016x}", number);
}

Result<void> AddParameter(KernelFiles& files, HeldState& state, const std::string& path,
                          bool is_follower, bool can_undo) {
  if (state.parameters.contains(path)) return {};
  if (const auto one = ParameterPath::Of(path); !one) return one.error();
  auto text = files.Read(path);
  if (!text) return text.error();
  state.parameters[path] = HeldParameter{
      .original = *text, .last = *text, .is_follower = is_follower, .can_undo = can_undo};
  return {};
}

Result<void> AddFile(FilesBeside& files, HeldState& state, const std::string& path, HeldFile file) {
  auto place = FilePlace::Open(FileOfPath(path));
  if (!place) return place.error();
  auto image = ReadFileImage(*place);
  if (!image) return image.error();
  file.folder = place->identity();
  files.Hold(path, std::move(*place));
  const std::string text = FingerprintOf(*image);
  file.original = std::move(*image);
  state.parameters[path] = HeldParameter{.original = text, .last = text};
  state.files[path] = std::move(file);
  return {};
}

// Twins and effects of what is held are held too, where this kernel has them.
void AddCoupled(KernelFiles& files, HeldState& state, const Couplings& couplings) {
  const auto held = state.parameters;
  for (const Couplings::Twins& twins : couplings.twins) {
    if (!held.contains(twins.one) && !held.contains(twins.other)) continue;
    for (const std::string& path : {twins.one, twins.other}) {
      [[maybe_unused]] const auto added = AddParameter(files, state, path, false, true);
    }
    state.couplings.twins.push_back(twins);
  }
  for (const Couplings::Effect& effect : couplings.effects) {
    if (!state.parameters.contains(effect.cause)) continue;
    [[maybe_unused]] const auto added =
        AddParameter(files, state, effect.effect, true, effect.can_undo);
    state.couplings.effects.push_back(effect);
  }
}

}  // namespace

Result<HeldState> MakeState(FilesBeside& files, const TransactionSettings& settings) {
  HeldState state;
  state.id = FreshId();
  state.boot = BootId();
  state.pid = ::getpid();
  state.reason = settings.reason;
  for (const std::string& path : settings.paths) {
    const auto file = settings.files.find(path);
    auto added = file == settings.files.end() ? AddParameter(files, state, path, false, true)
                                              : AddFile(files, state, path, file->second);
    if (!added) return added.error();
    if (!files.IsWritable(path)) {
      return Error{Errc::kUnsupported,
                   fmt::format("{}: may not be written here; it needs root", NameOfPath(path))};
    }
  }
  AddCoupled(files, state, settings.couplings);
  return state;
}

// What is there besides what is held. What moves between two looks, moves by itself.
void SeeAll(KernelFiles& files, const std::vector<std::string>& folders, HeldState& state) {
  const Snapshot first = Snapshot::Take(files, folders);
  const Snapshot second = Snapshot::Take(files, folders);
  for (const auto& [path, text] : first.texts()) {
    const auto again = second.texts().find(path);
    const bool is_still = again != second.texts().end() && again->second == text;
    if (!is_still || state.parameters.contains(path) || !WhyVolatile(path).empty()) continue;
    state.seen.emplace(path, text);
  }
}

}  // namespace hone::sysctl
