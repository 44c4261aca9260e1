# `make package`: a .deb and a tarball of what `make install` puts in place.
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME tactus)
set(CPACK_PACKAGE_VENDOR "The Tactus authors")
set(CPACK_PACKAGE_CONTACT "The Tactus authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "tells what each step of an LLM server on GPUs is made of, and what changed")
set(CPACK_PACKAGE_DESCRIPTION "Reads traces of PyTorch, vLLM, SGLang and nsys: kernel tables, steps, bounds, what changed between two
runs and why, and a benchmark of production operators. With the operator library and its header, man pages and
shell completion.")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/package)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
install(FILES LICENSE NOTICE DESTINATION share/doc/tactus)
include(CPack)
