# libtactus_operators: the kernels for the CPU behind the C interface of include/tactus/operator.h, for
# programs that link them (docs/linking.md), and the package that find_package(Tactus) finds.
if(TACTUS_FUZZ)
  return()
endif()
include(CMakePackageConfigHelpers)
set(TACTUS_ABI_VERSION 1)  # TACTUS_ABI_VERSION of operator.h

add_library(tactus_operators SHARED
  src/operators/cpu/exported_library.cc)
target_link_libraries(tactus_operators PRIVATE $<BUILD_INTERFACE:tactus_options> $<BUILD_INTERFACE:module_cpu_kernels>)
target_include_directories(tactus_operators PUBLIC
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
# Exports only tactus_library(), and needs no C++ library of a certain version.
target_link_options(tactus_operators PRIVATE
  -static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL -Wl,--no-undefined)
set_target_properties(tactus_operators PROPERTIES EXPORT_NAME operators
  VERSION ${PROJECT_VERSION} SOVERSION ${TACTUS_ABI_VERSION}
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
if(TACTUS_SANITIZE)  # the program brings the symbols of the sanitizer
  set_target_properties(tactus_operators PROPERTIES EXCLUDE_FROM_ALL ON)
  return()
endif()

install(TARGETS tactus_operators EXPORT TactusTargets LIBRARY DESTINATION lib)
install(FILES include/tactus/operator.h include/tactus/phase.h DESTINATION include/tactus)
set(TACTUS_PACKAGE_FOLDER lib/cmake/Tactus)
install(EXPORT TactusTargets NAMESPACE Tactus:: DESTINATION ${TACTUS_PACKAGE_FOLDER})
configure_package_config_file(cmake/TactusConfig.cmake.in ${CMAKE_BINARY_DIR}/TactusConfig.cmake
  INSTALL_DESTINATION ${TACTUS_PACKAGE_FOLDER})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/TactusConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/TactusConfig.cmake ${CMAKE_BINARY_DIR}/TactusConfigVersion.cmake
  DESTINATION ${TACTUS_PACKAGE_FOLDER})
