#pragma once

#include <cstddef>
#include <cstdint>

namespace tactus::agent {

/// What is needed of CUPTI to read a buffer.
struct BufferReader {
  int (*next)(std::uint8_t*, std::size_t, void**);
  int (*dropped)(void*, std::uint32_t, std::size_t*);
};
void set_reader(const BufferReader& reader);

/// CUPTI asks for an empty buffer, and gives one back.
void give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records);
void take_buffer(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t size,
                 std::size_t valid);
/// For the child of a fork.
void forget_buffers();

}  // namespace tactus::agent
