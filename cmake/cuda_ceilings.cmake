# libtactus_cuda_ceilings.so: measures a GPU. Only nvcc builds it, so nothing else needs CUDA, and a
# machine without CUDA configures fast. Loaded at run time (src/hardware/measure_cuda.cc).
option(TACTUS_CUDA "Build the parts that need a CUDA toolkit, where there is one" ON)
if(NOT TACTUS_CUDA OR TACTUS_FUZZ OR TACTUS_SANITIZE)
  return()
endif()
find_program(TACTUS_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin /usr/local/cuda/bin)
mark_as_advanced(TACTUS_NVCC)
if(NOT TACTUS_NVCC)
  message(STATUS "No nvcc: built without the measuring of GPUs (--hardware cuda)")
  return()
endif()
execute_process(COMMAND ${TACTUS_NVCC} --version OUTPUT_VARIABLE TACTUS_NVCC_VERSION ERROR_QUIET)
if(NOT TACTUS_NVCC_VERSION MATCHES "release ([0-9]+)" OR CMAKE_MATCH_1 LESS 12)
  message(STATUS "nvcc is older than 12: built without the measuring of GPUs (--hardware cuda)")
  return()
endif()
get_filename_component(TACTUS_CUDA_BIN ${TACTUS_NVCC} REALPATH)
get_filename_component(TACTUS_CUDA_BIN ${TACTUS_CUDA_BIN} DIRECTORY)
find_path(TACTUS_CUBLASLT_INCLUDE cublasLt.h HINTS ${TACTUS_CUDA_BIN}/../include /usr/local/cuda/include)
mark_as_advanced(TACTUS_CUBLASLT_INCLUDE)
if(NOT TACTUS_CUBLASLT_INCLUDE)
  message(STATUS "No cublasLt.h: built without the measuring of GPUs (--hardware cuda)")
  return()
endif()

set(TACTUS_CUDA_FOLDER ${CMAKE_SOURCE_DIR}/src/hardware/cuda)
set(TACTUS_CUDA_LIBRARY ${CMAKE_BINARY_DIR}/libtactus_cuda_ceilings.so)
file(GLOB TACTUS_CUDA_SOURCES CONFIGURE_DEPENDS ${TACTUS_CUDA_FOLDER}/*.cu)
file(GLOB TACTUS_CUDA_HEADERS CONFIGURE_DEPENDS ${TACTUS_CUDA_FOLDER}/*.h)
# Code for the A100 and for Hopper; for other GPUs the driver compiles the PTX at load time.
add_custom_command(OUTPUT ${TACTUS_CUDA_LIBRARY}
  COMMAND ${TACTUS_NVCC} -std=c++17 -O3 -shared -cudart static
    -Xcompiler -fPIC,-fvisibility=hidden,-static-libstdc++,-static-libgcc
    -Xlinker --exclude-libs,ALL -I${TACTUS_CUBLASLT_INCLUDE}
    -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90
    -gencode arch=compute_80,code=compute_80
    -o ${TACTUS_CUDA_LIBRARY} ${TACTUS_CUDA_SOURCES} -ldl
  DEPENDS ${TACTUS_CUDA_SOURCES} ${TACTUS_CUDA_HEADERS}
  COMMENT "Building libtactus_cuda_ceilings.so" VERBATIM)
add_custom_target(tactus_cuda_ceilings ALL DEPENDS ${TACTUS_CUDA_LIBRARY})
install(FILES ${TACTUS_CUDA_LIBRARY} DESTINATION lib
  PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
