// SPDX-License-Identifier: Apache-2.0
#include "jit/nvrtc.hpp"

#include "core/library.hpp"

namespace weft::jit {
namespace {

// The C interface of NVRTC 12 and 13 (nvrtc.h), as far as it is used.
using Program = struct _nvrtcProgram*;
constexpr int kSuccess = 0;

struct Api {
  Library library{"NVRTC", {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}};
  int (*version)(int* major, int* minor) = nullptr;
  const char* (*error_string)(int result) = nullptr;
  int (*create)(Program*, const char* source, const char* name, int num_headers,
                const char* const* headers, const char* const* include_names) = nullptr;
  int (*compile)(Program, int num_options, const char* const* options) = nullptr;
  int (*cubin_size)(Program, std::size_t*) = nullptr;
  int (*cubin)(Program, char*) = nullptr;
  int (*log_size)(Program, std::size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*destroy)(Program*) = nullptr;

  Api() {
    library.find(version, "nvrtcVersion");
    library.find(error_string, "nvrtcGetErrorString");
    library.find(create, "nvrtcCreateProgram");
    library.find(compile, "nvrtcCompileProgram");
    library.find(cubin_size, "nvrtcGetCUBINSize");
    library.find(cubin, "nvrtcGetCUBIN");
    library.find(log_size, "nvrtcGetProgramLogSize");
    library.find(log, "nvrtcGetProgramLog");
    library.find(destroy, "nvrtcDestroyProgram");
  }

  void check(int result, const char* step) const {
    if (result != kSuccess) throw device_error("NVRTC: {}: {}", step, error_string(result));
  }
};

const Api& api() {
  static const Api instance;
  return instance;
}

// A program that is destroyed with its scope.
struct Scope {
  Program program = nullptr;
  Scope() = default;
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope() {
    if (program != nullptr) api().destroy(&program);
  }
};

std::string log_of(Program program) {
  std::size_t size = 0;
  api().check(api().log_size(program, &size), "size of the log");
  std::string log(size, '\0');
  if (size > 0) api().check(api().log(program, log.data()), "log");
  while (!log.empty() && log.back() == '\0') log.pop_back();
  return log;
}

}  // namespace

NvrtcState nvrtc_state() noexcept {
  try {
    int major = 0, minor = 0;
    api().check(api().version(&major, &minor), "version");
    return {true, fmt::format("{}.{}", major, minor), ""};
  } catch (const std::exception& error) {
    return {false, "", error.what()};
  }
}

Object nvrtc_compile(const EmbeddedFile& source, const std::vector<EmbeddedFile>& headers,
                     const std::vector<std::string>& options) {
  std::vector<std::string> texts, names;  // NVRTC wants terminated strings
  for (const EmbeddedFile& header : headers) {
    texts.emplace_back(header.text);
    names.emplace_back(header.relative_path);
  }
  std::vector<const char*> text_pointers, name_pointers, option_pointers;
  for (const std::string& text : texts) text_pointers.push_back(text.c_str());
  for (const std::string& name : names) name_pointers.push_back(name.c_str());
  for (const std::string& option : options) option_pointers.push_back(option.c_str());

  Scope scope;
  const std::string text(source.text), name(source.relative_path);
  api().check(
      api().create(&scope.program, text.c_str(), name.c_str(), static_cast<int>(texts.size()),
                   text_pointers.data(), name_pointers.data()),
      "program creation");
  const int result = api().compile(scope.program, static_cast<int>(option_pointers.size()),
                                   option_pointers.data());
  Object object;
  object.log = log_of(scope.program);
  if (result != kSuccess) {
    throw device_error("NVRTC cannot compile {} ({}); please report this with the log:\n{}", name,
                       api().error_string(result), object.log);
  }
  std::size_t size = 0;
  api().check(api().cubin_size(scope.program, &size), "size of the machine code");
  object.cubin.resize(size);
  api().check(api().cubin(scope.program, object.cubin.data()), "machine code");
  return object;
}

}  // namespace weft::jit
