// What is expected is what NumPy 1.24.2 prints for float32, int32 and int64 arrays.
#include "graph/npy/show.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace kerr::graph::npy {
namespace {

std::string shown(uint32_t rows, std::vector<float> values, uint32_t batch = 1) {
  const auto columns = static_cast<uint32_t>(values.size() / rows);
  return show(Tensor{rows, columns, Format::Fp32, std::move(values)}, batch);
}

std::vector<float> counted(size_t count, float divisor = 1) {
  std::vector<float> all(count);
  for (size_t i = 0; i < count; ++i) all[i] = static_cast<float>(i) / divisor;
  return all;
}

std::string counted_integers(uint32_t rows, uint32_t columns, uint32_t batch = 1) {
  std::vector<int32_t> all(size_t{rows} * columns);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int32_t>(i);
  return show(integer_tensor(rows, columns, std::move(all)), batch);
}

constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNaN = std::numeric_limits<float>::quiet_NaN();

TEST(NpyShow, PutsPointsBelowEachOther) {
  EXPECT_EQ(shown(2, {1, 2.5F, -0.25F, 100}), "[[  1.     2.5 ]\n [ -0.25 100.  ]]");
  EXPECT_EQ(shown(1, {3}), "[[3.]]");
  EXPECT_EQ(shown(1, {0, -0.0F}), "[[ 0. -0.]]");
}

TEST(NpyShow, HasAtMostEightDigitsBehindThePointAndAllBeforeIt) {
  EXPECT_EQ(shown(1, {0.0123456789F, 12.3456789F, 1.1F}), "[[ 0.01234568 12.345679    1.1       ]]");
  EXPECT_EQ(shown(1, {67108872, 99999992, 1e6F}), "[[67108872. 99999992.  1000000.]]");
}

TEST(NpyShow, UsesExponentsWhereSizesDiffer) {
  EXPECT_EQ(shown(1, {1000, 1}), "[[1000.    1.]]");
  EXPECT_EQ(shown(1, {1001, 1}), "[[1.001e+03 1.000e+00]]");
  EXPECT_EQ(shown(1, {0.1F, 1e-6F, 1.2345678e5F}), "[[1.0000000e-01 1.0000000e-06 1.2345678e+05]]");
  EXPECT_EQ(shown(1, {1e-45F, 3.4028235e38F}), "[[1.4012985e-45 3.4028235e+38]]");
}

TEST(NpyShow, MakesRoomForNaNAndInfinity) {
  EXPECT_EQ(shown(1, {kNaN, 1, 2.5F}), "[[nan 1.  2.5]]");
  EXPECT_EQ(shown(1, {kNaN, kInfinity}), "[[nan inf]]");
  EXPECT_EQ(shown(1, {1, -kInfinity}), "[[  1. -inf]]");
  EXPECT_EQ(shown(1, {kNaN, 1e-9F, -1e9F, kInfinity, 0}), "[[    nan  1.e-09 -1.e+09     inf  0.e+00]]");
}

TEST(NpyShow, CutsLongLines) {
  EXPECT_EQ(shown(1, counted(30, 7)),
            "[[0.         0.14285715 0.2857143  0.42857143 0.5714286  0.71428573\n"
            "  0.85714287 1.         1.1428572  1.2857143  1.4285715  1.5714285\n"
            "  1.7142857  1.8571428  2.         2.142857   2.2857144  2.4285715\n"
            "  2.5714285  2.7142856  2.857143   3.         3.142857   3.2857144\n"
            "  3.4285715  3.5714285  3.7142856  3.857143   4.         4.142857  ]]");
}

TEST(NpyShow, LeavesOutTheMiddleOfMoreThanAThousandNumbers) {
  EXPECT_EQ(shown(40, counted(1600, 7)),
            "[[0.0000000e+00 1.4285715e-01 2.8571430e-01 ... 5.2857141e+00\n"
            "  5.4285712e+00 5.5714288e+00]\n"
            " [5.7142859e+00 5.8571429e+00 6.0000000e+00 ... 1.1000000e+01\n"
            "  1.1142858e+01 1.1285714e+01]\n"
            " [1.1428572e+01 1.1571428e+01 1.1714286e+01 ... 1.6714285e+01\n"
            "  1.6857143e+01 1.7000000e+01]\n"
            " ...\n"
            " [2.1142857e+02 2.1157143e+02 2.1171428e+02 ... 2.1671428e+02\n"
            "  2.1685715e+02 2.1700000e+02]\n"
            " [2.1714285e+02 2.1728572e+02 2.1742857e+02 ... 2.2242857e+02\n"
            "  2.2257143e+02 2.2271428e+02]\n"
            " [2.2285715e+02 2.2300000e+02 2.2314285e+02 ... 2.2814285e+02\n"
            "  2.2828572e+02 2.2842857e+02]]");
  EXPECT_EQ(shown(1500, counted(1500)),
            "[[0.000e+00]\n [1.000e+00]\n [2.000e+00]\n ...\n [1.497e+03]\n [1.498e+03]\n [1.499e+03]]");
  EXPECT_EQ(shown(1, counted(1500)), "[[0.000e+00 1.000e+00 2.000e+00 ... 1.497e+03 1.498e+03 1.499e+03]]");
  EXPECT_EQ(counted_integers(6, 200),
            "[[   0    1    2 ...  197  198  199]\n"
            " [ 200  201  202 ...  397  398  399]\n"
            " [ 400  401  402 ...  597  598  599]\n"
            " [ 600  601  602 ...  797  798  799]\n"
            " [ 800  801  802 ...  997  998  999]\n"
            " [1000 1001 1002 ... 1197 1198 1199]]");
}

TEST(NpyShow, ShowsABatchAsThreeAxes) {
  EXPECT_EQ(shown(6, counted(24), 2),
            "[[[ 0.  1.  2.  3.]\n  [ 4.  5.  6.  7.]\n  [ 8.  9. 10. 11.]]\n\n"
            " [[12. 13. 14. 15.]\n  [16. 17. 18. 19.]\n  [20. 21. 22. 23.]]]");
  EXPECT_EQ(counted_integers(16, 100, 8),
            "[[[   0    1    2 ...   97   98   99]\n  [ 100  101  102 ...  197  198  199]]\n\n"
            " [[ 200  201  202 ...  297  298  299]\n  [ 300  301  302 ...  397  398  399]]\n\n"
            " [[ 400  401  402 ...  497  498  499]\n  [ 500  501  502 ...  597  598  599]]\n\n"
            " ...\n\n"
            " [[1000 1001 1002 ... 1097 1098 1099]\n  [1100 1101 1102 ... 1197 1198 1199]]\n\n"
            " [[1200 1201 1202 ... 1297 1298 1299]\n  [1300 1301 1302 ... 1397 1398 1399]]\n\n"
            " [[1400 1401 1402 ... 1497 1498 1499]\n  [1500 1501 1502 ... 1597 1598 1599]]]");
}

TEST(NpyShow, AlignsIntegers) {
  EXPECT_EQ(show(integer_tensor(2, 3, {1, -20, 300, 4, 5, std::numeric_limits<int32_t>::min()})),
            "[[          1         -20         300]\n [          4           5 -2147483648]]");
}

}  // namespace
}  // namespace kerr::graph::npy
