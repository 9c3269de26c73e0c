// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files, as far as matrices of f32 need them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {

/// What a .npy header says.
struct NpyHeader {
  std::string descr;  ///< "<f4", ...
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::size_t data_offset = 0;  ///< bytes from the start of the file
};

/// Reads the header at the start of `bytes` (format versions 1.0, 2.0 and 3.0).
/// @throws Error kInvalidArgument: the broken rule, prefixed with `what`
NpyHeader parse_npy_header(std::string_view bytes, std::string_view what);

/// Reads a little-endian f32 array in C order of exactly `shape`. Nothing is allocated for the
/// values before header, shape and file size have been found right.
/// @param what  names the option in messages, such as "--a"
/// @throws Error kInvalidArgument with the values and the remedy
std::vector<float> read_npy(const std::filesystem::path& path, std::span<const std::int64_t> shape,
                            std::string_view what);

/// Writes format version 1.0, '<f4', C order; the file is complete or absent.
/// @throws Error kDeviceError when it cannot be written
void write_npy(const std::filesystem::path& path, std::span<const std::int64_t> shape,
               std::span<const float> values);

/// "(4096, 128)", as NumPy prints a shape.
std::string shape_text(std::span<const std::int64_t> shape);

}  // namespace weft::cli
