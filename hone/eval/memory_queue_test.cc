// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/memory_queue.h"

#include "hone/eval/task_queue_contract.h"

namespace hone {
namespace {

INSTANTIATE_TEST_SUITE_P(Memory, TaskQueueContract,
                         testing::Values(QueueExam{
                             [](Clock& clock, const auto&) { return MakeMemoryQueue(clock); }}));

}  // namespace
}  // namespace hone
