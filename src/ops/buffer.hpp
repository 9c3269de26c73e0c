// SPDX-License-Identifier: Apache-2.0
// Private memory of a plan: allocated and touched once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace weft::ops {

class Buffer {
 public:
  Buffer() = default;
  /// Zeroed and resident, so that no later call pays for page faults.
  /// @param what  named in the message when memory is short
  /// @throws Error kDeviceError
  Buffer(std::int64_t bytes, std::string_view what);

  [[nodiscard]] std::byte* data() const noexcept { return data_.get(); }
  [[nodiscard]] std::int64_t size() const noexcept { return bytes_; }
  template <class T>
  [[nodiscard]] T* as() const noexcept {
    return reinterpret_cast<T*>(data_.get());
  }

 private:
  struct Free {
    void operator()(std::byte* p) const noexcept;
  };
  std::unique_ptr<std::byte, Free> data_;
  std::int64_t bytes_ = 0;
};

}  // namespace weft::ops
