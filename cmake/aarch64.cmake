# Cross compiles for aarch64 with Debian's g++-aarch64-linux-gnu, and runs what is built by qemu-user. Needs, after
# dpkg --add-architecture arm64: libfmt-dev, libhwy-dev, libzstd-dev, libxxhash-dev, libgtest-dev, librapidcheck-dev, each with :arm64
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-L;/usr/aarch64-linux-gnu)
# GCC 12 crashes on its own header of SVE, for which Highway would compile too.
set(CMAKE_CXX_FLAGS_INIT -DHWY_COMPILE_ONLY_STATIC)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
