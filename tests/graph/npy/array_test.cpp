// .npy files as NumPy writes them, as others may write them, and as nobody should.
#include "graph/npy/array.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "tests/graph/npy/vectors.hpp"

namespace kerr::graph::npy {
namespace {

std::vector<double> numbers(const Array& array) {
  std::vector<double> all(array.elements());
  for (size_t i = 0; i < all.size(); ++i) all[i] = array.number(i);
  return all;
}

// A file of version 1.0 with this dictionary, and so many bytes of zeros behind it.
std::string file_with(const std::string& dictionary, size_t bytes) {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(dictionary.size() & 0xFF);
  file += static_cast<char>(dictionary.size() >> 8);
  return file + dictionary + std::string(bytes, '\0');
}

TEST(NpyArray, HoldsTheNumbersOfEveryTypeInEitherByteOrder) {
  const std::vector<double> expected{0, 1, 2, 100, 5, 6};
  for (const char* name : {"little_f2", "little_f4", "little_f8", "big_f2", "big_f4", "big_f8", "i1", "little_i2",
                           "little_i4", "little_i8", "big_i2", "big_i4", "big_i8", "u1", "little_u2", "little_u4",
                           "little_u8", "big_u8", "column_major", "version_2", "version_3"}) {
    const Array array = load(vector_path(name));
    EXPECT_EQ(numbers(array), expected) << name;
    EXPECT_EQ(array.header().shape_text(), "(2, 3)") << name;
    EXPECT_EQ(array.header().column_major, name == std::string("column_major")) << name;
  }
  EXPECT_EQ(load(vector_path("big_f8")).header().type.name(), "float64");
  EXPECT_EQ(load(vector_path("u1")).header().type.name(), "uint8");
  EXPECT_EQ(load(vector_path("bool")).header().type.name(), "bool");
  EXPECT_EQ(numbers(load(vector_path("bool"))), (std::vector<double>{1, 0, 0, 1}));
}

TEST(NpyArray, HasThePlainBytesOfItsNumbersInRowMajorOrder) {
  for (const char* size : {"f2", "f4", "f8", "i2", "i4", "i8", "u8"})
    EXPECT_EQ(load(vector_path(std::string("big_") + size)).plain_bytes(),
              load(vector_path(std::string("little_") + size)).plain_bytes())
        << size;
  EXPECT_EQ(load(vector_path("column_major_batch")).plain_bytes(), load(vector_path("batch")).plain_bytes());
  EXPECT_EQ(load(vector_path("i1")).plain_bytes(),
            (std::vector<std::byte>{std::byte{0}, std::byte{1}, std::byte{2}, std::byte{100}, std::byte{5}, std::byte{6}}));
}

TEST(NpyArray, HasAnyNumberOfAxes) {
  EXPECT_EQ(load(vector_path("scalar")).header().shape_text(), "()");
  EXPECT_EQ(numbers(load(vector_path("scalar"))), std::vector<double>{2.5});
  EXPECT_EQ(load(vector_path("row")).header().shape_text(), "(3,)");
  const Array rows = load(vector_path("batch")), columns = load(vector_path("column_major_batch"));
  EXPECT_EQ(rows.header().shape_text(), "(2, 3, 4)");
  EXPECT_TRUE(columns.header().column_major);
  for (uint64_t i = 0; i < 24; ++i) {
    EXPECT_EQ(rows.number(i), static_cast<double>(i));
    EXPECT_EQ(columns.number(i), static_cast<double>(i));
  }
}

TEST(NpyArray, HalvesHaveInfinityNaNAndDenormals) {
  const Array array = load(vector_path("special"));
  EXPECT_TRUE(std::isnan(array.number(0)));
  EXPECT_EQ(array.number(1), INFINITY);
  EXPECT_EQ(array.number(2), -INFINITY);
  EXPECT_EQ(array.number(3), 0x1p-24);
  EXPECT_EQ(array.number(4), 65504);
  EXPECT_TRUE(std::signbit(array.number(5)));
}

TEST(NpyArray, ReadsAHeaderAsPythonWould) {
  for (const char* dictionary : {R"({"shape": (2L, 1L), "descr": "|u1", "fortran_order": False})",
                                 "{'fortran_order':False,'shape':(2,1,),'descr':'u1',}\n",
                                 "  { 'shape' : ( 2 , 1 ) , 'fortran_order' : True , 'descr' : '=u1' } \t\n"})
    EXPECT_EQ(refusal(file_with(dictionary, 2)), "") << dictionary;
}

TEST(NpyArray, RefusesWhatItCannotRead) {
  const std::string good = vector_bytes("little_f4");
  const struct {
    std::string file;
    const char* sentence;
  } wrong[] = {
      {"", "'x.npy' was cut off: it ends in its header, or is no .npy file"},
      {"hello, world", "is no .npy file"},
      {"PK\x03\x04 and so on", "is an archive (.npz): save one array with numpy.save"},
      {good.substr(0, 9), "was cut off: it ends in its header"},
      {good.substr(0, 60), "was cut off: it ends in its header"},
      {good.substr(0, good.size() - 1), "was cut off: (2, 3) numbers of float32 are 24 bytes, and it has 23 of them"},
      {good + "x", "goes on behind its (2, 3) numbers of float32"},
      {std::string("\x93NUMPY\x04\x00", 8) + good.substr(8), "is of version 4.0"},
      {std::string("\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF", 12), "has a header of 4294967295 bytes"},
      {vector_bytes("complex"), "'<c16', which are complex"},
      {vector_bytes("objects"), "which are Python objects"},
      {vector_bytes("records"), "holds records"},
      {file_with("{'descr': '<V2', 'fortran_order': False, 'shape': (1,)}", 2), "as files of bfloat16 have it"},
      {file_with("{'descr': '<f3', 'fortran_order': False, 'shape': (1,)}", 3), "has numbers of type '<f3'"},
      {file_with("{'descr': '<f16', 'fortran_order': False, 'shape': (1,)}", 16), "has numbers of type '<f16'"},
      {file_with("{'descr': '', 'fortran_order': False, 'shape': (1,)}", 16), "has numbers of type ''"},
      {file_with("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", 4), "a size of 0 or more is missing"},
      {file_with("{'descr': '<f4', 'fortran_order': False, 'shape': (1)}", 4), "its shape is a number and no tuple"},
      {file_with("{'descr': '<f4', 'fortran_order': False, 'shape': 1}", 4), "'(' before the shape is missing"},
      {file_with("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", 4), "True or False is missing"},
      {file_with("{'descr': '<f4', 'shape': (1,)}", 4), "'fortran_order' is missing"},
      {file_with("{'descr': '<f4', 'descr': '<f4', 'shape': (1,)}", 4), "'descr' is given twice"},
      {file_with("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", 4), "has no key 'x'"},
      {file_with("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} + 1", 4), "the end of the header is missing"},
      {file_with("{'descr': '<f4", 4), "the end of a string is missing"},
      {file_with("", 4), "'{' at its begin is missing"},
      {file_with("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3)}", 0), "has no numbers: its shape is (0, 3)"},
  };
  for (const auto& [file, sentence] : wrong)
    EXPECT_NE(refusal(file).find(sentence), std::string::npos) << sentence << "\n" << refusal(file);
}

TEST(NpyArray, TakesNoMemoryForWhatAShapePromises) {
  const auto shape = [](const std::string& text) {
    return refusal(file_with("{'descr': '<f8', 'fortran_order': False, 'shape': " + text + "}", 64));
  };
  EXPECT_NE(shape("(4294967296, 4294967296)").find("a shape that no memory holds"), std::string::npos);
  EXPECT_NE(shape("(99999999999999999999999,)").find("a shape that no memory holds"), std::string::npos);
  EXPECT_NE(shape("(0, 99999999999999999999999)").find("a shape that no memory holds"), std::string::npos);
  EXPECT_NE(shape("(9223372036854775807, 0, 9223372036854775807)").find("has no numbers"), std::string::npos);
  EXPECT_NE(shape("(1000000, 1000000)").find("more than 268435456 numbers"), std::string::npos);
  EXPECT_NE(shape("(16384, 16384)").find("are 2147483648 bytes, and it has 64 of them"), std::string::npos);
  std::string axes = "(1";
  for (int i = 0; i < 64; ++i) axes += ",1";
  EXPECT_NE(shape(axes + ")").find("more than 64 axes"), std::string::npos);
}

TEST(NpyArray, SaysWhyAFileCannotBeRead) {
  EXPECT_THROW(
      {
        try {
          load("/no/such/file.npy");
        } catch (const std::invalid_argument& error) {
          EXPECT_STREQ(error.what(), "'/no/such/file.npy' cannot be read: No such file or directory");
          throw;
        }
      },
      std::invalid_argument);
  EXPECT_THROW(load("/"), std::invalid_argument);
}

}  // namespace
}  // namespace kerr::graph::npy
