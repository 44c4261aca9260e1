# Debian's libraries, each as a target tactus::<name>. Static where Debian ships an archive, so
# that the tool starts fast and runs on other machines without them.
find_package(Threads REQUIRED)

function(tactus_library name header)
  find_path(TACTUS_${name}_INCLUDE ${header} REQUIRED)
  find_library(TACTUS_${name}_LIBRARY NAMES ${ARGN} REQUIRED)
  mark_as_advanced(TACTUS_${name}_INCLUDE TACTUS_${name}_LIBRARY)
  add_library(tactus::${name} UNKNOWN IMPORTED)
  set_target_properties(tactus::${name} PROPERTIES
    IMPORTED_LOCATION ${TACTUS_${name}_LIBRARY}
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${TACTUS_${name}_INCLUDE})
endfunction()

tactus_library(zstd zstd.h libzstd.a zstd)
tactus_library(isal isa-l/igzip_lib.h libisal.a isal)
tactus_library(zlib zlib.h libz.a z)
tactus_library(sqlite sqlite3.h libsqlite3.a sqlite3)
tactus_library(bpf bpf/libbpf.h libbpf.a bpf)
tactus_library(elf libelf.h libelf.a elf)
target_link_libraries(tactus::bpf INTERFACE tactus::elf tactus::zlib)
target_link_libraries(tactus::sqlite INTERFACE Threads::Threads ${CMAKE_DL_LIBS} m)

find_path(TACTUS_fmt_INCLUDE fmt/format-inl.h REQUIRED)
mark_as_advanced(TACTUS_fmt_INCLUDE)
add_library(tactus_fmt STATIC cmake/fmt/fmt.cc)
target_compile_options(tactus_fmt PRIVATE ${TACTUS_FASTEST})
target_include_directories(tactus_fmt SYSTEM PUBLIC ${TACTUS_fmt_INCLUDE})
add_library(tactus::fmt ALIAS tactus_fmt)

# Headers only.
foreach(header xxhash.h CLI/CLI.hpp nlohmann/json.hpp toml++/toml.h)
  find_path(TACTUS_HEADER_${header} ${header} REQUIRED)
  mark_as_advanced(TACTUS_HEADER_${header})
endforeach()
