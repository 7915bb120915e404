// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/call_memory.h"

namespace hone::compute {

Result<std::shared_ptr<CallMemory>> CallMemories::Take(std::size_t input_bytes,
                                                       std::size_t output_bytes) {
  const Wanted wanted{input_bytes, output_bytes};
  const auto used = Find(wanted);
  if (used && WipeBetweenCalls(*used)) return used;
  return Make(wanted, used);  // None is used, or the GPU has been lost meanwhile.
}

std::shared_ptr<CallMemory> CallMemories::Find(const Wanted& wanted) {
  const std::lock_guard lock(mutex_);
  std::erase_if(used_, [](const auto& entry) { return entry.second.expired(); });
  const auto found = used_.find(wanted);
  return found == used_.end() ? nullptr : found->second.lock();
}

bool CallMemories::WipeBetweenCalls(CallMemory& memory) {
  const std::lock_guard nobody_else(memory.in_call);
  return shelf_->Wipe(*memory.inputs) && shelf_->Wipe(*memory.outputs);
}

Result<std::shared_ptr<CallMemory>> CallMemories::Make(const Wanted& wanted,
                                                       const std::shared_ptr<CallMemory>& lost) {
  const std::lock_guard lock(mutex_);
  std::weak_ptr<CallMemory>& used = used_[wanted];
  if (auto made = used.lock(); made && made != lost) return made;  // By another one, just now.
  auto memory = std::make_shared<CallMemory>();
  for (const auto& [bytes, part] :
       {std::pair{wanted.first, &memory->inputs}, std::pair{wanted.second, &memory->outputs}}) {
    auto taken = shelf_->Take(bytes);
    if (!taken) return taken.error();
    *part = std::move(*taken);
  }
  used = memory;
  return memory;
}

}  // namespace hone::compute
