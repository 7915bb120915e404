// SPDX-License-Identifier: Apache-2.0
// nvcc for tests (README.md): host code as a shared library whose calls of CUDA's runtime are open,
// and device code as one for the processor, with what a cubin says about its kernels; both by g++.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <regex>
#include <string>
#include <vector>

namespace {

std::string TextOf(const std::string& path) {
  std::string text;
  FILE* const file = fopen(path.c_str(), "rb");
  if (file == nullptr) return text;
  char buffer[65536];
  size_t got = 0;
  while ((got = fread(buffer, 1, sizeof buffer, file)) > 0) text.append(buffer, got);
  fclose(file);
  return text;
}

bool Write(const std::string& path, const std::string& text) {
  FILE* const file = fopen(path.c_str(), "wb");
  if (file == nullptr) return false;
  const bool is_written = fwrite(text.data(), 1, text.size(), file) == text.size();
  return fclose(file) == 0 && is_written;
}

bool Run(std::vector<std::string> arguments) {
  const pid_t child = fork();
  if (child == 0) {
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    execv(words[0], words.data());
    _exit(127);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

// kernel<<<grid, block>>>(x, n) becomes a call that C++ knows.
std::string WithoutChevrons(const std::string& source) {
  static const std::regex launch(R"((\w+)\s*<<<([^;]*?)>>>\s*\()");
  return std::regex_replace(source, launch, "SimulatedLaunch($1, SimulatedConfiguration($2), ");
}

std::vector<std::string> KernelsOf(const std::string& source) {
  static const std::regex kernel(R"(__global__\s+void\s+(\w+))");
  std::vector<std::string> names;
  for (std::sregex_iterator at(source.begin(), source.end(), kernel), end; at != end; ++at) {
    names.push_back((*at)[1]);
  }
  return names;
}

bool Compile(const std::string& folder, const std::string& prelude, const std::string& text,
             const std::string& name, bool is_device) {
  const std::string source = "simulated-" + name + ".cc";
  if (!Write(source, text)) return false;
  std::vector<std::string> arguments = {"/usr/bin/g++", "-std=c++17", "-O1",
                                        "-w",           "-fPIC",      "-shared",
                                        "-I" + folder,  "-include",   "cuda_runtime_api.h",
                                        "-include",     prelude,      "-x",
                                        "c++",          source,       "-o",
                                        name,           "-x",         "none"};
  if (is_device) arguments.emplace_back("-DSIMULATED_DEVICE");
  return Run(std::move(arguments));
}

int Translate(int count, char** words) {
  std::string folder = words[0];
  folder.resize(folder.rfind('/') == std::string::npos ? 0 : folder.rfind('/'));
  std::string prelude;
  std::string source;
  std::string library;
  std::string architecture;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "-include" && i + 1 < count) prelude = words[++i];
    if (word == "-o" && i + 1 < count) library = words[++i];
    if (word.rfind("-arch=", 0) == 0) architecture = word.substr(6);
    if (word.size() > 3 && word.substr(word.size() - 3) == ".cu") source = word;
  }
  const std::string text = TextOf(source);
  std::string host = "#line 1 \"" + source + "\"\n" + WithoutChevrons(text);
  std::string device = host;
  host += "\nnamespace { const bool simulated_registered = [] {\n";
  for (const std::string& name : KernelsOf(text)) {
    host += "  __cudaRegisterFunction(nullptr, (const char*)&" + name + ", nullptr, \"" + name +
            "\", -1, nullptr, nullptr, nullptr, nullptr, nullptr);\n";
    device += "\n__attribute__((section(\".nv.info." + name +
              "\"), used)) static const auto info_" + name + " = SimulatedInfo(" + name + ");\n";
  }
  host += "  return true; }(); }\n";
  const std::string cubin = source.substr(0, source.size() - 3) + "." + architecture + ".cubin";
  return Compile(folder, prelude, host, library, false) &&
                 Compile(folder, prelude, device, cubin, true)
             ? 0
             : 1;
}

}  // namespace

int main(int count, char** words) {
  try {
    return Translate(count, words);
  } catch (const std::exception& problem) {
    fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}
