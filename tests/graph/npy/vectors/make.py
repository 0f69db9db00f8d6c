# Made the files beside this one, with NumPy 1.24.2.
import numpy as np
from numpy.lib import format

numbers = np.array([[0, 1, 2], [100, 5, 6]])
for name in ["<f2", "<f4", "<f8", ">f2", ">f4", ">f8", "i1", "<i2", "<i4", "<i8", ">i2", ">i4", ">i8",
             "u1", "<u2", "<u4", "<u8", ">u8"]:
    np.save(name.replace("<", "little_").replace(">", "big_"), numbers.astype(name))
np.save("column_major", np.asfortranarray(numbers.astype("<f4")))
np.save("column_major_batch", np.asfortranarray(np.arange(24, dtype="<i4").reshape(2, 3, 4)))
np.save("bool", np.array([[True, False], [False, True]]))
np.save("scalar", np.float64(2.5))
np.save("row", np.array([1, 2, 3], dtype="<i4"))
np.save("batch", np.arange(24, dtype="<i4").reshape(2, 3, 4))
np.save("special", np.array([np.nan, np.inf, -np.inf, 6e-8, 65504, -0.0], dtype="<f2"))
np.save("complex", np.array([1j]))
np.save("objects", np.array([None]))
np.save("records", np.array([(1, 2.5)], dtype=[("a", "<i4"), ("b", "<f4")]))
for version in [(2, 0), (3, 0)]:
    with open(f"version_{version[0]}.npy", "wb") as file:
        format.write_array(file, numbers.astype("<f4"), version)
