// SPDX-License-Identifier: Apache-2.0
#include "ops/buffer.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "core/message.hpp"

namespace weft::ops {

Buffer::Buffer(std::int64_t bytes, std::string_view what) : bytes_(bytes) {
  if (bytes == 0) return;
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  const auto wanted = static_cast<std::size_t>(bytes);
  const std::size_t alignment = wanted >= kHugePage ? kHugePage : 128;
  const std::size_t rounded = (wanted + alignment - 1) / alignment * alignment;
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, rounded)));
  if (data_ == nullptr) {
    throw device_error("cannot allocate {} bytes for {}; free memory or make the problem smaller",
                       bytes, what);
  }
  // Huge pages are a hint: a refusal costs speed only.
  if (alignment == kHugePage) static_cast<void>(madvise(data_.get(), rounded, MADV_HUGEPAGE));
  std::memset(data_.get(), 0, rounded);
}

void Buffer::Free::operator()(std::byte* p) const noexcept { std::free(p); }

}  // namespace weft::ops
