#include "sources/nsys/database/database.h"
#include "support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  const fuzz::MemoryFile file({reinterpret_cast<const char*>(data), size});
  RunBuilder builder;
  NoProgress progress;
  if (!nsys::import_database(file.path(), builder, progress)) return 0;
  Run run = builder.finish();
  fuzz::use(run);
  return 0;
}
