#include "record/session/fill/operator_filler.h"

#include <fmt/format.h>

namespace tactus::record {
namespace {

/// Numbers of cudaDataType
std::string_view type_name(std::uint8_t type) {
  switch (type) {
    case 0: return "float";
    case 1: return "double";
    case 2: return "c10::Half";
    case 3: return "signed char";
    case 10: return "int";
    case 14: return "c10::BFloat16";
    case 28: return "c10::Float8_e4m3fn";
    case 29: return "c10::Float8_e5m2";
    default: return "unknown";
  }
}

std::string matrix(std::uint32_t batch, std::uint64_t rows, std::uint64_t columns) {
  return batch > 1 ? fmt::format("[{},{},{}]", batch, rows, columns)
                   : fmt::format("[{},{}]", rows, columns);
}

}  // namespace

OperatorInputs operator_inputs(const wire::Scope& scope) {
  // Read column by column, C = A B; row by row, the same memory is C' = B' A'.
  const std::uint64_t rows = wire::rows_of(scope);
  const std::uint64_t columns = scope.by_rows != 0 ? scope.n : scope.m;
  const std::uint8_t first = scope.by_rows != 0 ? scope.a_type : scope.b_type;
  const std::uint8_t second = scope.by_rows != 0 ? scope.b_type : scope.a_type;
  return {.dims = fmt::format("[{},{},{}]", matrix(scope.batch, rows, scope.k),
                              matrix(scope.batch, scope.k, columns),
                              matrix(scope.batch, rows, columns)),
          .types = fmt::format(R"(["{}","{}","{}"])", type_name(first), type_name(second),
                               type_name(scope.c_type))};
}

}  // namespace tactus::record
