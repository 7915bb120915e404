// SPDX-License-Identifier: Apache-2.0
// libnvrtc.so.1 for tests (README.md): device code as a shared library for the processor, by g++.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr int kSuccess = 0;
constexpr int kCompilationFailed = 6;

constexpr const char* kPrelude =
    "#define __global__\n#define __device__\n#define __restrict__\n"
    "inline float exp(float x) { return __builtin_expf(x); }\n"
    "inline double exp(double x) { return __builtin_exp(x); }\n"
    "inline float erf(float x) { return __builtin_erff(x); }\n"
    "inline double erf(double x) { return __builtin_erf(x); }\n"
    "inline float sqrt(float x) { return __builtin_sqrtf(x); }\n"
    "inline double sqrt(double x) { return __builtin_sqrt(x); }\n"
    "struct Dim3 { unsigned x, y, z; };\n"
    // Threads run one after the other: nobody is ever ahead.
    "#define __shared__ static\ninline void __syncthreads() {}\n"
    "inline void __threadfence_system() {}\ninline void __nanosleep(unsigned) {}\n"
    "inline void __trap() { __builtin_trap(); }\n"
    "inline int atomicAdd(int* at, int more) { return (*at += more) - more; }\n"
    "extern \"C\" long clock();\ninline long long clock64() { return clock() * 2000LL; }\n"
    "extern \"C\" { Dim3 blockIdx, threadIdx, blockDim, gridDim; }\n#line 1 \"kernel.cu\"\n";

struct Program {
  std::string source;
  std::string log;
  std::string image;
};

Program* Of(void* program) { return static_cast<Program*>(program); }

std::string TextOf(const char* path) {
  std::string text;
  FILE* const file = fopen(path, "rb");
  if (file == nullptr) return text;
  char buffer[65536];
  size_t got = 0;
  while ((got = fread(buffer, 1, sizeof buffer, file)) > 0) text.append(buffer, got);
  fclose(file);
  return text;
}

bool RunCompiler() {
  const pid_t child = fork();
  if (child == 0) {
    FILE* const log = freopen("simulated.log", "wb", stderr);
    if (log == nullptr) _exit(126);
    setenv("PATH", "/usr/bin:/bin", 1);  // Where it finds its linker.
    execl("/usr/bin/g++", "g++", "-std=c++17", "-O1", "-w", "-fPIC", "-shared", "-x", "c++",
          "simulated.cc", "-o", "simulated.so", "-lm", static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are NVIDIA's.
extern "C" {

int nvrtcCreateProgram(void** program, const char* source, const char*, int, const char* const*,
                       const char* const*) {
  *program = new Program{source, "", ""};
  return kSuccess;
}

int nvrtcCompileProgram(void* program, int, const char* const*) {
  FILE* const file = fopen("simulated.cc", "wb");
  if (file == nullptr) return kCompilationFailed;
  fputs(kPrelude, file);
  fputs(Of(program)->source.c_str(), file);
  fclose(file);
  const bool is_built = RunCompiler();
  Of(program)->log = TextOf("simulated.log");
  if (!is_built) return kCompilationFailed;
  Of(program)->image = TextOf("simulated.so");
  return kSuccess;
}

int nvrtcGetProgramLogSize(void* program, size_t* bytes) {
  *bytes = Of(program)->log.size() + 1;
  return kSuccess;
}

int nvrtcGetProgramLog(void* program, char* text) {
  const std::string& log = Of(program)->log;
  text[log.copy(text, log.size())] = '\0';
  return kSuccess;
}

int nvrtcGetCUBINSize(void* program, size_t* bytes) {
  *bytes = Of(program)->image.size();
  return kSuccess;
}

int nvrtcGetCUBIN(void* program, char* image) {
  const std::string& bytes = Of(program)->image;
  bytes.copy(image, bytes.size());
  return kSuccess;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
