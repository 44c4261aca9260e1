// Sources to start from.
#include "bench/candidate/template.h"

#include <gtest/gtest.h>

namespace tactus {
namespace {

std::string rms_norm_in(TemplateLanguage language) {
  const Result<const OperatorDefinition*> definition = find_definition("rms_norm");
  return definition ? candidate_template(**definition, language) : "";
}

/// From the first function on.
std::string code_of(const std::string& text) {
  return text.substr(text.find("\nstatic "));
}

TEST(Templates, for_CUDA_and_HIP_differ_in_names_only) {
  const std::string cuda = code_of(rms_norm_in(TemplateLanguage::kCuda));
  std::string hip = code_of(rms_norm_in(TemplateLanguage::kHip));
  EXPECT_NE(cuda.find("(cudaStream_t)call->stream"), std::string::npos);
  EXPECT_NE(hip.find("hipGetLastError()"), std::string::npos);
  for (std::size_t at = 0; (at = hip.find("hip", at)) != std::string::npos;)
    hip.replace(at, 3, "cuda");
  EXPECT_EQ(cuda, hip);
}

TEST(Templates, say_how_they_are_run) {
  EXPECT_NE(rms_norm_in(TemplateLanguage::kCuda)
                .find("tactus bench --device cuda --operator rms_norm --candidate mine.cu\n"),
            std::string::npos);
  EXPECT_NE(rms_norm_in(TemplateLanguage::kHip)
                .find("tactus bench --operator rms_norm --candidate mine.hip\n"),
            std::string::npos)
      << "--device cuda would ask for a driver of NVIDIA";
}

}  // namespace
}  // namespace tactus
