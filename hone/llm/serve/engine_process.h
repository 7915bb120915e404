// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/llm/serve/messages.h"

namespace hone::llm {

// How the engine's process is started.
struct EngineProgram {
  std::filesystem::path program;       // hone-llm
  std::vector<std::string> arguments;  // "serve", the folder, flags.
  // After which an engine that has not loaded its model hangs.
  std::chrono::milliseconds load_timeout = std::chrono::minutes{30};
};

// $HONE_LLM_PROGRAM, else beside this program, in build/llm of the source tree around it, or on
// PATH. kUnsupported, with what to do, if there is none.
Result<std::filesystem::path> FindEngineProgram();

// What a request is told. Called from the thread that reads from the engine: it must not wait.
class GenerationListener {
 public:
  virtual ~GenerationListener() = default;
  virtual void OnEvent(GenerationEvent event) = 0;
  // The request is over, for a reason that is not its own or because it was refused.
  virtual void OnFailure(const Error& error) = 0;
};

// hone-llm in a process of its own. Whatever happens to it, the worst that requests see is an
// Error. Safe for concurrent use. The destructor ends it, and requests that are open fail.
class EngineProcess {
 public:
  // Waits until the model is loaded.
  static Result<std::unique_ptr<EngineProcess>> Start(const EngineProgram& program);

  virtual ~EngineProcess() = default;

  virtual const EngineFacts& facts() const = 0;

  // The listener hears until every sample has ended, or a failure. If the engine is gone it hears
  // that at once.
  virtual RequestId Submit(GenerationRequest request,
                           std::shared_ptr<GenerationListener> listener) = 0;

  // The listener hears nothing more. What is left ends soon.
  virtual void Cancel(RequestId id) = 0;

  virtual std::size_t open_requests() const = 0;

  // The last that the engine told; it is asked anew each time.
  virtual EngineStats stats() = 0;

  // How the engine ended, if it did.
  virtual std::optional<Error> failure() const = 0;
};

}  // namespace hone::llm
