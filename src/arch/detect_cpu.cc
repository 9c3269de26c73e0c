// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>

#include "arch/detect.hpp"
#include "core/message.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace weft {
namespace arch {

std::string family_and_model(std::uint32_t eax) {
  const std::uint32_t base_family = (eax >> 8) & 0xF;
  std::uint32_t family = base_family;
  std::uint32_t model = (eax >> 4) & 0xF;
  if (base_family == 0xF) family += (eax >> 20) & 0xFF;
  if (base_family == 0x6 || base_family == 0xF) model += ((eax >> 16) & 0xF) << 4;
  return fmt::format("{}.{}", family, model);
}

}  // namespace arch

#if defined(__x86_64__)
namespace {

std::string brand_string() {
  std::array<unsigned, 12> words{};
  for (unsigned i = 0; i < 3; ++i) {
    unsigned* w = &words[std::size_t{i} * 4];
    if (__get_cpuid(0x80000002U + i, w, w + 1, w + 2, w + 3) == 0) return "x86-64";
  }
  std::array<char, sizeof(words) + 1> text{};
  std::memcpy(text.data(), words.data(), sizeof(words));
  const std::string brand(text.data());
  const std::size_t first = brand.find_first_not_of(' ');
  if (first == std::string::npos) return "x86-64";
  return brand.substr(first, brand.find_last_not_of(' ') - first + 1);
}

}  // namespace

Arch detect_cpu(std::int32_t threads_per_rank) {
  Arch arch;
  arch.units = threads_per_rank;
  // NOTE: __builtin_cpu_supports also asks the operating system (xgetbv) for the wide registers.
  __builtin_cpu_init();
  arch.key = __builtin_cpu_supports("avx512f") ? "cpu_avx512"
             : __builtin_cpu_supports("avx2")  ? "cpu_avx2"
                                               : "cpu_generic";
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  __get_cpuid(1, &eax, &ebx, &ecx, &edx);
  arch.cpu_model = arch::family_and_model(eax);
  arch.name = brand_string();
  return arch;
}
#else
Arch detect_cpu(std::int32_t threads_per_rank) {
  Arch arch;
  arch.key = "cpu_generic";
  arch.units = threads_per_rank;
  arch.cpu_model = "0.0";
  arch.name = "a CPU without cpuid";
  return arch;
}
#endif

}  // namespace weft
