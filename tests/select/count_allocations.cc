// SPDX-License-Identifier: Apache-2.0
// Replaces the allocation functions of the program it is linked into. A file of its own, so that no
// compiler sees only one side of a pair inlined.
#include "count_allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::int64_t> allocations{0};
}

void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace weft::testing {

std::int64_t count_allocations() { return allocations.load(std::memory_order_relaxed); }

}  // namespace weft::testing
