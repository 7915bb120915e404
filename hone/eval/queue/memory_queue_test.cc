// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/queue/memory_queue.h"

#include "hone/eval/queue/task_queue_contract.h"

namespace hone {
namespace {

INSTANTIATE_TEST_SUITE_P(Memory, TaskQueueContract,
                         testing::Values(QueueExam{
                             [](Clock& clock, const auto&) { return MakeMemoryQueue(clock); }}));

}  // namespace
}  // namespace hone
