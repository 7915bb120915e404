// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/compute/tensor.h"

namespace hone::compute {

// How a runner failed.
struct RunnerFault {
  enum class Kind {
    kCrashed,    // A signal, an exit, an exception that nobody caught.
    kTimedOut,   // The limit of the call.
    kStopped,    // We were asked to stop; nobody's fault.
    kNotLoaded,  // The library cannot be loaded or has no such entry point.
    kOutOfMemory,
    kForged,         // It answered what no runner answers: the call block was tampered with.
    kRestless,       // It goes on working when it has answered.
    kEndedByOthers,  // The machine or somebody else ended it: callers get an Error instead.
  };
  Kind kind = Kind::kCrashed;
  std::string reason;  // "died by SIGSEGV in call 3"
  std::string output;  // What it wrote to its standard error, cut.
};

// The state of the caches when a call begins.
enum class CacheState {
  kCold,   // No line of the arrays is in any cache: the judge has flushed them (clflush).
  kFresh,  // The judge has just written the arrays on its own core: they are in a shared cache.
};

// A piece of every output that has more elements than it.
struct OutputPart {
  std::int64_t elements = 0;  // 0: all of them.
  double place = 0;           // Of the first one: 0 at the beginning, below 1.
};

// The first element of the part of an output with so many.
std::int64_t BeginOf(const OutputPart& part, std::int64_t count);

struct CallOrder {
  std::span<const Tensor> inputs;
  std::span<const TensorSpec> outputs;  // Empty: the runner decides on them.
  // Where it does, what they must be, if that is known. Others come back without their bytes: type
  // and shape are enough to say what is wrong with them.
  std::span<const TensorSpec> wanted = {};
  std::span<const std::int64_t> sizes;
  // Calls with the same number have the same inputs, whose bytes then need not come from afar
  // twice. 0: nothing is known of others.
  std::uint64_t same_inputs = 0;
  // What a source draws while it computes (a dropout's mask) comes from this. It is there with the
  // inputs and no earlier; two runners with the same one draw the same.
  std::uint64_t seed = 0;
  // Where bringing the outputs back takes long, only this part of them may come. It is the judge's
  // secret.
  OutputPart part = {};
  std::uint64_t secret = 0;  // Addresses, poison and canaries come from it.
  CacheState cache = CacheState::kFresh;
  // Every array ends against a page that cannot be touched, where outputs are declared and the
  // arrays are in memory that the judge lays out (cpp). Not for what is timed: arrays that all lie
  // alike in their pages are slower.
  bool has_guards = false;
  // Before it comes the way there and back alone, for CallReport::nothing.
  bool times_nothing = false;
  // Sealed: nothing of the runner's works from before the inputs are there until the publishing,
  // nor while the outputs are read, and the judge sees for itself when it has ended
  // (CallReport::span). For a runner that CanSeal, and no empty call comes before.
  bool is_sealed = false;
  bool counts_threads = false;  // Takes some microseconds after the call.
  std::chrono::nanoseconds limit{std::chrono::seconds{10}};
  std::stop_token stop;
};

struct ChangedInput {
  std::size_t input = 0;
  std::int64_t index = 0;
  double before = 0, after = 0;
};

// A byte outside of an array that was written to.
struct Overrun {
  std::string array;
  std::int64_t distance = 0;  // In bytes: negative before its beginning, else behind its end.
};

// What one publication came to. The judge's own observations, except where said.
struct CallReport {
  std::optional<RunnerFault> fault;  // And then nothing else.
  std::string exception;             // It failed in a way that a runner can tell (Python).
  Tensors outputs;                   // Copied when all of the runner slept. A part has one axis.
  // From the publishing to "done" by the clock; on several processors with what it worked after.
  std::chrono::nanoseconds time{0};
  // On one processor, how long it worked and waited for it, until it slept: whatever it did before
  // the call or after "done". 0 on several.
  std::chrono::nanoseconds busy{0};
  // What an empty call took directly before, in the same state of everything; 0 if none was made.
  std::chrono::nanoseconds nothing{0};
  std::chrono::nanoseconds nothing_busy{0};  // The same of `busy`.
  std::chrono::nanoseconds claimed{0};       // The same by the runner's own clock: not believed.
  // Its processor time from before the first byte of the inputs was written until it slept.
  std::chrono::nanoseconds work{0};
  // Its processor time when its arrays were there and the clock did not run: while the inputs were
  // written, until the publishing, and while the outputs were read. A runner that sleeps has none.
  std::chrono::nanoseconds outside{0};
  // Of a sealed call, from the publishing until nothing of the runner's works any more; 0 if that
  // was not seen: the call tells nothing.
  std::chrono::nanoseconds span{0};
  // Its processor time since its call before, until it was ready for this one, that of an empty
  // call between them too.
  std::chrono::nanoseconds arming{0};
  // For how long runner and judge together waited for a processor, while others had it.
  std::chrono::nanoseconds delay{0};
  int threads = -1;  // Inside its sandbox, right after the call; -1: not counted.
  std::optional<ChangedInput> changed;
  std::optional<Overrun> overrun;
  std::uint64_t poison = 0;  // What the outputs held before: CountUntouched (placement.h).
};

// One launch of a kernel on a device, and what the device's driver says of it.
struct LaunchFacts {
  std::string kernel;
  std::array<std::int64_t, 3> grid{1, 1, 1};
  std::array<std::int64_t, 3> block{1, 1, 1};
  std::int64_t registers = 0;    // Of a thread.
  std::int64_t local_bytes = 0;  // Of a thread: what has no room in registers.
  std::int64_t shared_bytes = 0;
  std::int64_t max_threads = 0;      // That a block of it could have.
  std::int64_t blocks_at_once = 0;   // On one multiprocessor; 0: not known.
  std::int64_t threads_at_once = 0;  // That a multiprocessor has at most; 0: not known.
  std::int64_t multiprocessors = 0;
};

// Memory that a runner holds while it waits, of the machine's.
struct HeldMemory {
  std::size_t own_bytes = 0;     // Its own, and what it shares with the judge alone.
  const void* shared = nullptr;  // What it shares with other runners, as long as one of them lives:
  std::size_t shared_bytes = 0;  // runners that say the same here hold it together.
};

// A process in a sandbox that has loaded one source, and runs one call at a time. It never sees an
// expected value, the inputs of a later call or the verdict. Not safe for concurrent use.
// The destructor ends the process; nothing of it is left when the turn of its evaluation is over
// (Backend::TakeTurn).
class Runner {
 public:
  virtual ~Runner() = default;

  // An Error is a failure of ours. After a fault every further call gives the same fault.
  virtual Result<CallReport> Call(const CallOrder& order) = 0;

  // The way there and back without a kernel, so that it can be subtracted.
  virtual Result<CallReport> CallNothing() = 0;

  // Inputs made by the source itself from a seed (torch's get_inputs). kUnsupported where the judge
  // draws them.
  virtual Result<CallReport> MakeInputs(std::uint64_t seed, std::chrono::nanoseconds limit);

  // The processor time of all that it consists of, until now.
  virtual std::chrono::nanoseconds Used() const = 0;

  // Keeps the process on these processors from now on, and before others there where we may.
  virtual void Pin(const std::vector<int>& cpus) = 0;

  // Ends the process and says what can only be said then: nullopt, or that it had tried to start
  // more processes or threads than it may. No call after this.
  virtual std::optional<std::string> End() { return std::nullopt; }

  // Whether its work is done on a device that the judge can take away from it:
  // CallOrder::is_sealed.
  virtual bool CanSeal() const { return false; }

  // What it launches for the shape that is timed; nothing where nothing is launched.
  virtual std::vector<LaunchFacts> Launches() const { return {}; }

  virtual HeldMemory Held() const { return {}; }
};

}  // namespace hone::compute
