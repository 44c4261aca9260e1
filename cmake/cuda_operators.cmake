# libtactus_cuda.so: our CUDA kernels, a candidate like any other (src/operators/cuda). Uses the
# toolkit that cuda_ceilings.cmake found; one object per source, so that a change compiles only one.
if(NOT TACTUS_CUDA OR NOT TACTUS_NVCC OR NOT TACTUS_CUBLASLT_INCLUDE OR TACTUS_FUZZ OR TACTUS_SANITIZE)
  return()
endif()
set(TACTUS_OPERATORS_LIBRARY ${CMAKE_BINARY_DIR}/libtactus_cuda.so)
file(GLOB TACTUS_OPERATORS_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/operators/cuda/*.cu)
file(GLOB TACTUS_OPERATORS_HEADERS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/operators/cuda/*.h
  ${CMAKE_SOURCE_DIR}/src/operators/cuda/*.cuh)
set(TACTUS_OPERATORS_OBJECTS)
foreach(source ${TACTUS_OPERATORS_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  set(object ${CMAKE_BINARY_DIR}/cuda/${name}.o)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/cuda
    COMMAND ${TACTUS_NVCC} -std=c++17 -O3 -Xcompiler -fPIC,-fvisibility=hidden
      -I${CMAKE_SOURCE_DIR}/src -I${CMAKE_SOURCE_DIR}/include -I${TACTUS_CUBLASLT_INCLUDE}
      -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90
      -gencode arch=compute_90,code=compute_90 -c -o ${object} ${source}
    DEPENDS ${source} ${TACTUS_OPERATORS_HEADERS} ${CMAKE_SOURCE_DIR}/include/tactus/operator.h
    COMMENT "Building CUDA kernels: ${name}" VERBATIM)
  list(APPEND TACTUS_OPERATORS_OBJECTS ${object})
endforeach()
add_custom_command(OUTPUT ${TACTUS_OPERATORS_LIBRARY}
  COMMAND ${TACTUS_NVCC} -shared -cudart static -Xcompiler -fPIC,-static-libstdc++,-static-libgcc
    -Xlinker --exclude-libs,ALL -o ${TACTUS_OPERATORS_LIBRARY} ${TACTUS_OPERATORS_OBJECTS} -ldl
  DEPENDS ${TACTUS_OPERATORS_OBJECTS}
  COMMENT "Building libtactus_cuda.so" VERBATIM)
add_custom_target(tactus_cuda_operators ALL DEPENDS ${TACTUS_OPERATORS_LIBRARY})
install(FILES ${TACTUS_OPERATORS_LIBRARY} DESTINATION lib)
