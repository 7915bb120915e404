// SPDX-License-Identifier: Apache-2.0
// gpu_compiler LIBRARY SOURCE CUBIN OPTION...: compiles CUDA source text by NVRTC, whose library it
// opens, into a cubin. What the compiler says goes to the standard error. Runs in a sandbox.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <string>

namespace {

constexpr int kBadStart = 96;
constexpr int kRefused = 1;  // The source does not compile.

struct NvrtcCalls {
  int (*make)(void** program, const char* source, const char* name, int headers,
              const char* const* header_texts, const char* const* header_names);
  int (*compile)(void* program, int options, const char* const* option);
  int (*log_bytes)(void* program, size_t* bytes);
  int (*log)(void* program, char* text);
  int (*cubin_bytes)(void* program, size_t* bytes);
  int (*cubin)(void* program, char* image);
};

bool Load(const char* path, NvrtcCalls& nvrtc) {
  void* const library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    ::fprintf(stderr, "%s\n", ::dlerror());
    return false;
  }
  const struct {
    const char* name;
    void* place;
  } all[] = {{"nvrtcCreateProgram", &nvrtc.make},          {"nvrtcCompileProgram", &nvrtc.compile},
             {"nvrtcGetProgramLogSize", &nvrtc.log_bytes}, {"nvrtcGetProgramLog", &nvrtc.log},
             {"nvrtcGetCUBINSize", &nvrtc.cubin_bytes},    {"nvrtcGetCUBIN", &nvrtc.cubin}};
  for (const auto& call : all) {
    void* const found = ::dlsym(library, call.name);
    if (found == nullptr) {
      ::fprintf(stderr, "%s has no %s\n", path, call.name);
      return false;
    }
    *static_cast<void**>(call.place) = found;
  }
  return true;
}

bool Read(const char* path, std::string& text) {
  FILE* const file = ::fopen(path, "rb");
  if (file == nullptr) return false;
  char buffer[65536];
  size_t got = 0;
  while ((got = ::fread(buffer, 1, sizeof(buffer), file)) > 0) text.append(buffer, got);
  return ::fclose(file) == 0;
}

bool Write(const char* path, const std::string& bytes) {
  FILE* const file = ::fopen(path, "wb");
  if (file == nullptr) return false;
  const bool is_written = ::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return ::fclose(file) == 0 && is_written;
}

void ShowLog(const NvrtcCalls& nvrtc, void* program) {
  size_t bytes = 0;
  if (nvrtc.log_bytes(program, &bytes) != 0 || bytes <= 1) return;
  std::string text(bytes, '\0');
  if (nvrtc.log(program, text.data()) == 0) ::fputs(text.c_str(), stderr);
}

}  // namespace

int main(int count, char** words) {
  NvrtcCalls nvrtc{};
  std::string source;
  if (count < 4 || !Load(words[1], nvrtc) || !Read(words[2], source)) return kBadStart;
  void* program = nullptr;
  if (nvrtc.make(&program, source.c_str(), words[2], 0, nullptr, nullptr) != 0) return kBadStart;
  const int result = nvrtc.compile(program, count - 4, words + 4);
  ShowLog(nvrtc, program);
  if (result != 0) return kRefused;
  size_t bytes = 0;
  if (nvrtc.cubin_bytes(program, &bytes) != 0) return kBadStart;
  std::string cubin(bytes, '\0');
  if (nvrtc.cubin(program, cubin.data()) != 0 || !Write(words[3], cubin)) return kBadStart;
  return 0;
}
