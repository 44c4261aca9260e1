# Man pages and completion scripts, written by the tool from the options that it declares.
if(TACTUS_FUZZ OR TACTUS_SANITIZE)
  return()
endif()

set(folder ${CMAKE_BINARY_DIR}/manual)
add_custom_command(OUTPUT ${folder}/tactus.bash ${folder}/_tactus ${folder}/tactus.fish ${folder}/man/tactus.1
  COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
  COMMAND tactus completion bash > ${folder}/tactus.bash
  COMMAND tactus completion zsh > ${folder}/_tactus
  COMMAND tactus completion fish > ${folder}/tactus.fish
  COMMAND tactus man --write ${folder}/man
  DEPENDS tactus COMMENT "Writing man pages and completion scripts" VERBATIM)
add_custom_target(tactus_manual ALL DEPENDS ${folder}/man/tactus.1)

# Optional: `cmake --build --target tactus` alone does not write them.
install(DIRECTORY ${folder}/man/ DESTINATION share/man/man1 OPTIONAL FILES_MATCHING PATTERN "*.1")
install(FILES ${folder}/tactus.bash DESTINATION share/bash-completion/completions RENAME tactus OPTIONAL)
install(FILES ${folder}/_tactus DESTINATION share/zsh/site-functions OPTIONAL)
install(FILES ${folder}/tactus.fish DESTINATION share/fish/vendor_completions.d OPTIONAL)
