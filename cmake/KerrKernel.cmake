# kerr_add_kernel(): kernels in C++ for the harts of a core, compiled with riscv64-unknown-elf-g++ (Debian: gcc-riscv64-unknown-elf).
# docs/guide/kernels-in-cpp.md
#
#   kerr_add_kernel(reader reader.cpp HART ncrisc NOC 0 COMPILE_ARGS 1 2 3)   # reader.elf
#   kerr_add_kernel(add add.cpp HART compute FORMATS 0=bf16 16=fp32)          # add.unpack.elf, add.math.elf, add.pack.elf
#   kerr_use_kernels(my_program reader add)     # builds them first; KERR_KERNEL_reader is the path of reader.elf,
#                                               # KERR_KERNEL_add that of the three without .unpack.elf ...
#
# HART brisc | ncrisc | compute; NOC 0 | 1 (default: 0 for brisc, 1 for ncrisc). COMPILE_ARGS and NAMED_COMPILE_ARGS (name=value)
# are what get_compile_time_arg_val() and get_named_compile_time_arg_val() give; DEFINES are macros; INCLUDES are folders of headers;
# OPTIONS go to the compiler. FORMATS (id=format, or one format for all), FIDELITY (lofi, hifi2, hifi3, hifi4) and FP32_DEST are
# facts of compute kernels.

set(KERR_KERNEL_FLAGS -std=c++20 -march=rv32im_zicsr_zba_zbb -mabi=ilp32 -mcmodel=medany -mno-relax -O2 -g -ffreestanding
    -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-use-cxa-atexit -fno-strict-aliasing -fno-asynchronous-unwind-tables
    -fno-tree-loop-distribute-patterns -ffunction-sections -fdata-sections -msmall-data-limit=0 --param=min-pagesize=0
    -Wall -Wno-unused-variable -Wno-unused-but-set-variable CACHE INTERNAL "")

function(kerr_find_kernel_compiler name)
  find_program(KERR_RISCV_CXX riscv64-unknown-elf-g++)
  if(NOT KERR_RISCV_CXX)
    message(FATAL_ERROR "kernel '${name}': riscv64-unknown-elf-g++ is not there, which compiles kernels (Debian: apt-get install "
                        "gcc-riscv64-unknown-elf), or say where it is with -DKERR_RISCV_CXX=<path>")
  endif()
endfunction()

# What the compiler is told of every kernel for a hart.
function(kerr_hart_flags out hart noc)
  get_property(include GLOBAL PROPERTY KERR_INCLUDE)  # headers, below kerr/
  set(flags ${KERR_KERNEL_FLAGS} -ffile-prefix-map=${include}/= -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=
      -isystem ${include} -isystem ${include}/kerr/device/vendor -isystem ${include}/kerr/device/std -DKERR_HART=${hart}
      -DNOC_INDEX=${noc})
  if(hart LESS 2)  # tt-metal's kernels of data movement include nothing
    list(APPEND flags -include kerr/device/dataflow.hpp)
  endif()
  set(${out} ${flags} PARENT_SCOPE)
endfunction()

# One ELF file for one hart.
function(kerr_kernel_elf name elf hart noc local_base local_room)
  cmake_parse_arguments(PARSE_ARGV 6 ARG "" "" "SOURCES;FLAGS")
  get_property(device GLOBAL PROPERTY KERR_DEVICE)    # start-up code and linker script
  get_property(headers GLOBAL PROPERTY KERR_DEVICE_HEADERS)  # in Kerr's own build, where they may change
  set(hart_names brisc ncrisc unpack math pack)
  list(GET hart_names ${hart} hart_name)
  kerr_hart_flags(flags ${hart} ${noc})
  list(APPEND flags ${ARG_FLAGS})
  set(objects)
  foreach(source ${ARG_SOURCES})
    get_filename_component(stem ${source} NAME_WE)
    set(object ${elf}.${stem}.o)
    get_filename_component(source ${source} ABSOLUTE)
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${KERR_RISCV_CXX} ${flags} -MD -MF ${object}.d -c ${source} -o ${object}
      DEPENDS ${source} ${headers} DEPFILE ${object}.d COMMENT "Compiling kernel ${name} for ${hart_name}" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  # -march=rv32im: the compiler's own library has no variant with more.
  add_custom_command(OUTPUT ${elf}
    COMMAND ${KERR_RISCV_CXX} ${KERR_KERNEL_FLAGS} -march=rv32im -nostdlib -nostartfiles ${device}/start.S ${device}/runtime.cpp ${objects} -lgcc
            -Wl,--emit-relocs,--gc-sections,--build-id=none,--no-warn-rwx-segments,-z,max-page-size=16
            -Wl,--defsym=LOCAL_BASE=${local_base} -Wl,--defsym=LOCAL_ROOM=${local_room} -T ${device}/kernel.ld -o ${elf}
    DEPENDS ${objects} ${device}/start.S ${device}/runtime.cpp ${device}/kernel.ld
    COMMENT "Linking kernel ${name} for ${hart_name}" VERBATIM)
endfunction()

function(kerr_add_kernel name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "FP32_DEST" "HART;NOC;FIDELITY"
                        "COMPILE_ARGS;NAMED_COMPILE_ARGS;DEFINES;INCLUDES;OPTIONS;FORMATS")
  kerr_find_kernel_compiler(${name})
  set(sources ${ARG_UNPARSED_ARGUMENTS})
  if(NOT sources)
    message(FATAL_ERROR "kernel '${name}' has no sources: kerr_add_kernel(${name} ${name}.cpp HART ...)")
  endif()
  foreach(source ${sources})
    get_filename_component(path ${source} ABSOLUTE)
    if(NOT EXISTS ${path})
      message(FATAL_ERROR "kernel '${name}': there is no file ${source} (options of kerr_add_kernel are HART, NOC, COMPILE_ARGS, "
                          "NAMED_COMPILE_ARGS, DEFINES, INCLUDES, OPTIONS, FORMATS, FIDELITY and FP32_DEST)")
    endif()
  endforeach()
  if(NOT ARG_HART MATCHES "^(brisc|ncrisc|compute)$")
    message(FATAL_ERROR "kernel '${name}': HART is '${ARG_HART}'; wanted is brisc, ncrisc or compute")
  endif()
  if(NOT DEFINED ARG_NOC)
    set(ARG_NOC 0)
    if(ARG_HART STREQUAL ncrisc)
      set(ARG_NOC 1)
    endif()
  elseif(NOT ARG_NOC MATCHES "^[01]$")
    message(FATAL_ERROR "kernel '${name}': NOC is '${ARG_NOC}'; wanted is 0 or 1")
  endif()

  set(flags)
  foreach(define ${ARG_DEFINES})
    list(APPEND flags -D${define})
  endforeach()
  foreach(folder ${ARG_INCLUDES})
    get_filename_component(folder ${folder} ABSOLUTE)
    list(APPEND flags -I${folder})
  endforeach()
  if(ARG_COMPILE_ARGS)
    list(JOIN ARG_COMPILE_ARGS "," arguments)
    list(APPEND flags "-DKERNEL_COMPILE_TIME_ARGS=${arguments}")
    set(index 0)
    foreach(value ${ARG_COMPILE_ARGS})
      list(APPEND flags "-DKERNEL_COMPILE_TIME_ARG_${index}=${value}")
      if(value MATCHES "^(0x[0-9a-fA-F]+|[0-9]+)$")  # what get_compile_time_arg_val() of device/arguments.hpp finds
        list(APPEND flags "-DKERR_ARGUMENT_${index}=~,${value}u")
      endif()
      math(EXPR index "${index} + 1")
    endforeach()
  endif()
  set(named)
  foreach(argument ${ARG_NAMED_COMPILE_ARGS})
    if(NOT argument MATCHES "^([^=]+)=(.+)$")
      message(FATAL_ERROR "kernel '${name}': NAMED_COMPILE_ARGS has '${argument}'; wanted is name=value")
    endif()
    list(APPEND named "{\"${CMAKE_MATCH_1}\",${CMAKE_MATCH_2}}")
  endforeach()
  if(named)
    list(JOIN named "," named)
    list(APPEND flags "-DKERNEL_COMPILE_TIME_ARG_MAP=${named}")
  endif()
  set(formats)
  foreach(format ${ARG_FORMATS})
    set(known "fp32|fp16|tf32|bf16|bfp8a|bfp4a|bfp8|bfp4|bfp2|int32|uint32|uint16|int8|uint8|fp8")
    if(format MATCHES "^([0-9]+)=(${known})$" AND CMAKE_MATCH_1 LESS 32)
      list(APPEND formats "{${CMAKE_MATCH_1},${CMAKE_MATCH_2}}")
    elseif(format MATCHES "^(${known})$")
      list(APPEND formats "{kEveryBuffer,${format}}")
    else()
      message(FATAL_ERROR "kernel '${name}': FORMATS has '${format}'; wanted is id=format or a format for all circular buffers, of ${known}")
    endif()
  endforeach()
  if(formats)
    list(JOIN formats "," formats)
    list(APPEND flags "-DKERR_FORMATS=${formats}")
  endif()
  set(phases 4)
  if(DEFINED ARG_FIDELITY)
    string(TOLOWER "${ARG_FIDELITY}" fidelity)
    if(NOT fidelity MATCHES "^(lofi|hifi[234])$")
      message(FATAL_ERROR "kernel '${name}': FIDELITY is '${ARG_FIDELITY}'; wanted is lofi, hifi2, hifi3 or hifi4")
    endif()
    string(REPLACE lofi 1 phases ${fidelity})
    string(REPLACE hifi "" phases ${phases})
  endif()
  set(fp32 0)
  if(ARG_FP32_DEST)
    set(fp32 1)
  endif()
  list(APPEND flags -DKERR_FIDELITY_PHASES=${phases} -DKERR_FP32_DEST=${fp32})
  list(APPEND flags -DARCH_BLACKHOLE=1 -DKERNEL_BUILD=1 ${ARG_OPTIONS})

  # Variables of BRISC and NCRISC lie above those of the base firmware of every board.
  set(base ${CMAKE_CURRENT_BINARY_DIR}/${name})
  if(ARG_HART STREQUAL brisc)
    set(elves ${base}.elf)
    kerr_kernel_elf(${name} ${base}.elf 0 ${ARG_NOC} 0xFFB00A00 0x1200 SOURCES ${sources}
                    FLAGS ${flags} -DCOMPILE_FOR_BRISC)
  elseif(ARG_HART STREQUAL ncrisc)
    set(elves ${base}.elf)
    kerr_kernel_elf(${name} ${base}.elf 1 ${ARG_NOC} 0xFFB00A00 0x1200 SOURCES ${sources}
                    FLAGS ${flags} -DCOMPILE_FOR_NCRISC)
  else()
    set(elves ${base}.unpack.elf ${base}.math.elf ${base}.pack.elf)
    # The macros by which tt-metal's kernels tell the three apart.
    kerr_kernel_elf(${name} ${base}.unpack.elf 2 0 0xFFB00420 0x800 SOURCES ${sources}
                    FLAGS ${flags} -DCOMPILE_FOR_TRISC=0 -DTRISC_UNPACK -DUCK_CHLKC_UNPACK)
    kerr_kernel_elf(${name} ${base}.math.elf 3 0 0xFFB00420 0x800 SOURCES ${sources}
                    FLAGS ${flags} -DCOMPILE_FOR_TRISC=1 -DTRISC_MATH -DUCK_CHLKC_MATH)
    kerr_kernel_elf(${name} ${base}.pack.elf 4 0 0xFFB00420 0x800 SOURCES ${sources}
                    FLAGS ${flags} -DCOMPILE_FOR_TRISC=2 -DTRISC_PACK -DUCK_CHLKC_PACK)
  endif()
  add_custom_target(${name} DEPENDS ${elves})
  if(TARGET kerr_headers)
    add_dependencies(${name} kerr_headers kerr_device_words)
  endif()
  set_target_properties(${name} PROPERTIES KERR_HART ${ARG_HART} KERR_ELF "${elves}" KERR_KERNEL ${base})
endfunction()

# kerr_use_kernels(TARGET kernel ...): builds the kernels before the target, which gets KERR_KERNEL_<kernel> as a string: the path of
# the ELF file, or for compute the path of the three without ".unpack.elf", ".math.elf" and ".pack.elf" (image::read_compute()).
function(kerr_use_kernels target)
  foreach(kernel ${ARGN})
    if(NOT TARGET ${kernel})
      message(FATAL_ERROR "kerr_use_kernels(${target} ...): '${kernel}' is no kernel; kerr_add_kernel(${kernel} ...) makes one")
    endif()
    get_target_property(path ${kernel} KERR_KERNEL)
    get_target_property(hart ${kernel} KERR_HART)
    if(NOT hart STREQUAL compute)
      set(path ${path}.elf)
    endif()
    string(MAKE_C_IDENTIFIER ${kernel} identifier)
    target_compile_definitions(${target} PRIVATE KERR_KERNEL_${identifier}="${path}")
    add_dependencies(${target} ${kernel})
  endforeach()
endfunction()
