#include "catalogue/catalogue.h"

#include <gtest/gtest.h>

#include "support/published_catalogue.h"

namespace tactus {
namespace {

std::string with_shapes(const std::string& shapes) {
  return R"({"format": "tactus catalogue 1", "operators": [
    {"name": "rms_norm", "dtype": "bf16", "importance": 0.5, "shapes": [)" +
         shapes + "]}]}";
}

std::string message(const std::string& text) {
  const Result<Catalogue> catalogue = read_catalogue(text, "mine.json");
  return catalogue ? "no error" : catalogue.error().message;
}

TEST(Catalogue, HasThe30PublishedOperatorsIn440Shapes) {
  const Catalogue catalogue = testing::published_catalogue();
  ASSERT_EQ(catalogue.operators.size(), 30u);
  EXPECT_EQ(catalogue.profiles, 1303);
  std::size_t shapes = 0;
  double importance = 0;
  for (const Operator& op : catalogue.operators) {
    shapes += op.shapes.size();
    importance += op.importance;
    for (const Shape& shape : op.shapes) {
      EXPECT_FALSE(shape.label.empty());
      EXPECT_FALSE(shape.framework.empty());
      EXPECT_FALSE(shape.phase.empty());
      ASSERT_EQ(shape.deployed.size(), 1u);
      EXPECT_EQ(shape.deployed[0].hardware, "XPU-A");
    }
  }
  EXPECT_EQ(shapes, 440u);
  EXPECT_NEAR(importance, 1.09478, 1e-5);
  EXPECT_EQ(catalogue.operators.front().name, "unified_attention");
  EXPECT_EQ(catalogue.operators.back().name, "layer_norm");
}

TEST(Catalogue, SaysTheSameWhenWrittenAndReadAgain) {
  const Catalogue catalogue = built_in_catalogue();
  const std::string text = catalogue_text(catalogue);
  const Result<Catalogue> again = read_catalogue(text, "again");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(catalogue_text(*again), text);
  const Shape& shape = again->operators[0].shapes[1];
  EXPECT_EQ(shape.parameters, catalogue.operators[0].shapes[1].parameters);
  EXPECT_EQ(shape.deployed[0].t_ns, 2893500);
  EXPECT_EQ(shape.tensor_parallel, 4);
}

TEST(Catalogue, ListsShapesByIdAsNumbers) {
  const Result<Catalogue> catalogue =
      read_catalogue(with_shapes(R"({"id": 10}, {"id": "9"}, {"id": "x"})"), "mine.json");
  ASSERT_TRUE(catalogue) << catalogue.error().message;
  const std::vector<Shape>& shapes = catalogue->operators[0].shapes;
  EXPECT_EQ(shapes[0].id, "9");
  EXPECT_EQ(shapes[1].id, "10");
  EXPECT_EQ(shapes[2].id, "x");
}

TEST(Catalogue, NamesTheNearestOperator) {
  const Catalogue catalogue = built_in_catalogue();
  const Result<const Operator*> typo = find_operator(catalogue, "rmsnorm");
  ASSERT_FALSE(typo);
  EXPECT_NE(typo.error().message.find("did you mean rms_norm?"), std::string::npos)
      << typo.error().message;
  const Result<const Operator*> by_id = find_operator(catalogue, "atrex_027");
  ASSERT_TRUE(by_id);
  EXPECT_EQ((*by_id)->name, "rms_norm");
  EXPECT_FALSE(find_shape(**by_id, "999"));
}

TEST(Catalogue, SaysWhatIsWrongWithAFile) {
  EXPECT_NE(message("{").find("not JSON"), std::string::npos);
  EXPECT_NE(message("[]").find("not a catalogue"), std::string::npos);
  EXPECT_NE(message(R"({"format": "tactus catalogue 9"})").find("not a catalogue"),
            std::string::npos);
  EXPECT_NE(
      message(with_shapes(R"({"id": "0", "params": {"tokens": -1}})")).find("tokens of params"),
      std::string::npos);
  EXPECT_NE(
      message(with_shapes(R"({"id": "0", "params": {"tokens": 1e300}})")).find("whole number"),
      std::string::npos);
  EXPECT_NE(message(with_shapes(R"({"id": "0", "dtype": "bf17"})")).find("bf17"),
            std::string::npos);
  EXPECT_NE(message(with_shapes(R"({"id": "0"}, {"id": "0"})")).find("two shapes"),
            std::string::npos);
  EXPECT_NE(message(with_shapes(R"({"id": "0", "deployed": [{"t_us": 0}]})")).find("above 0"),
            std::string::npos);
  EXPECT_NE(message(with_shapes("7")).find("an object was expected"), std::string::npos);
  EXPECT_NE(message(with_shapes(R"({"id": "0", "sequences": [[1]]})")).find("pairs"),
            std::string::npos);
}

}  // namespace
}  // namespace tactus
