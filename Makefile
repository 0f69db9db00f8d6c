# make demo   installs what is missing, builds the command, and runs a verified matmul on an emulated P100A
# make test   builds and runs all tests            make test-asan / test-tsan   the same under sanitizers
# make python the package for Python in build/release/python (tinygrad runs on it), for PYTHONPATH or pip install
# make bench  runs the benchmarks                 make deb    makes a Debian package of command, library and headers
.PHONY: all setup page build demo python test test-long test-asan test-tsan bench deb format clean

all: build

setup:
	@sh scripts/setup.sh

# The page of kerr report, and a browser for its tests: where they cannot be had the build goes on without.
page: setup
	@sh scripts/page.sh --try

build: page
	@sh scripts/build.sh release

demo: setup
	@sh scripts/build.sh release kerr
	build/release/kerr matmul 512 512 512

python: setup
	@sh scripts/build.sh release kerr_python

test: build
	ctest --test-dir build/release --output-on-failure -j $$(nproc)

test-long: build
	KERR_RANDOM_COMMANDS=1000000 build/release/tests/firmware/test_firmware --gtest_filter='RandomCommands.*'
	build/release/kerr matmul 2048 2048 2048
	build/release/kerr matmul 4096 4096 4096
	build/release/kerr matmul 5120 5632 4096
	KERR_LONG_ROWS=1 build/release/tests/timing/test_timing
	KERR_LONG_ROWS=1 build/release/tests/timing/test_timing_rows
	KERR_LONG_ROWS=1 build/release/tests/timing/test_timing_cpp_cost

test-asan: setup
	@sh scripts/build.sh debug
	ctest --test-dir build/debug --output-on-failure -j $$(nproc)

test-tsan: setup
	@sh scripts/build.sh tsan
	ctest --test-dir build/tsan --output-on-failure -j $$(nproc)

bench: build
	build/release/kerr-bench

deb: page
	@sh scripts/build.sh release kerr_installed
	cpack --config build/release/CPackConfig.cmake -B build/release

format:
	git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

clean:
	rm -rf build
