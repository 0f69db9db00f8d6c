/* Kerr from C, and from any language that can call C: an emulated Blackhole (or a card) as a device with buffers and
 * programs. docs/reference/c-library.md has an example and says more.
 *
 * Results. Every function returns a kerr_category: KERR_OK (0), or what went wrong. If `error` is not NULL, it is
 * set to NULL or to an error object, which its owner gives to kerr_error_free(). Out parameters other than `error` are
 * left alone by a call that fails. No function ends the process, throws, prints, or changes signal handlers, the
 * locale or the floating-point state.
 *
 * Handles are no addresses: one that was closed or freed, or is of another kind, is an error (KERR_INVALID_HANDLE),
 * always. NULL is never a handle. Closing a device makes its buffers, programs and tensors such handles.
 *
 * Strings are UTF-8 and end with 0. Options are JSON objects; NULL and "" are {}; a key that is not known is an
 * error. What a function hands out as `char**` or `void**` goes back by kerr_free().
 *
 * Threads. Every function may be called by any thread. Calls to one device wait for each other; devices do not wait
 * for one another. kerr_device_interrupt() alone comes through while another call runs. A progress callback may call
 * that, kerr_buffer_free(), kerr_program_free(), kerr_tensor_free() and what needs no device; everything else answers
 * KERR_BUSY.
 *
 * Processes. A device belongs to the process that opened it: in a child of fork() its handles answer
 * KERR_WRONG_PROCESS. */
#ifndef KERR_H_
#define KERR_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define KERR_API __attribute__((visibility("default")))
#else
#define KERR_API
#endif

/* Raised when a function changes its meaning or goes; the number in libkerr.so.N. Compare it with kerr_version()'s. */
#define KERR_ABI 1

typedef enum kerr_category {
  KERR_OK = 0,
  KERR_INVALID_ARGUMENT = 1, /* an argument or an option makes no sense */
  KERR_INVALID_HANDLE = 2,   /* closed, freed, of another kind, or never one */
  KERR_PROGRAM = 3,          /* the text is no loop program: line and column are in the report */
  KERR_BAD_BLOB = 4,         /* of another version or board, or damaged: compile again */
  KERR_UNSUPPORTED = 5,      /* Kerr, or this device, does not do that */
  KERR_OUT_OF_MEMORY = 6,    /* of the device or of the host: the report says which */
  KERR_FAULT = 7,            /* the program did what the chip does not define, or what its text does not allow */
  KERR_DEADLOCK = 8,         /* nothing on the device could move any more */
  KERR_TIMEOUT = 9,          /* the launch took longer than it may */
  KERR_INTERRUPTED = 10,     /* kerr_device_interrupt(), or a progress callback that did not return 0 */
  KERR_BUSY = 11,            /* called from within a progress callback */
  KERR_WRONG_PROCESS = 12,   /* the device was opened by another process */
  KERR_IO = 13,              /* a file cannot be read or written */
  KERR_DEVICE = 14,          /* the device cannot be had, or does not answer as it must */
  KERR_INTERNAL = 15         /* a mistake of Kerr's own */
} kerr_category;
/* After KERR_FAULT, KERR_DEADLOCK, KERR_TIMEOUT and KERR_INTERRUPTED the device has been reset and can be used.
 * Buffers keep their addresses and contents; what the call had to write is undefined. */

typedef struct kerr_error_s* kerr_error;
typedef struct kerr_device_s* kerr_device;
typedef struct kerr_buffer_s* kerr_buffer;
typedef struct kerr_program_s* kerr_program;
typedef struct kerr_tensor_s* kerr_tensor;

/* ---- the library ------------------------------------------------------------------------------------------------- */

/* "0.1.0". `abi`: gets KERR_ABI as the library was built with it; may be NULL. */
KERR_API const char* kerr_version(int* abi);
/* "Timeout"; "Unknown" of a number that is none. */
KERR_API const char* kerr_category_name(int category);
/* Gives back what a function has handed out; NULL is nothing to do. KERR_INVALID_ARGUMENT if it is not such a thing,
 * or not any more. */
KERR_API int kerr_free(void* memory);

/* A handle that is no error gives KERR_INVALID_HANDLE, and texts that say so. Texts live until kerr_error_free(). */
KERR_API int kerr_error_category(kerr_error error);
KERR_API const char* kerr_error_text(kerr_error error); /* a sentence */
/* {"category": "Fault", "text": ..., "report": the device's own account, lines, "device_category": "Misaligned",
 * "line": 3, "column": 8}: the last three where they apply. "memory" of KERR_OUT_OF_MEMORY: "device" or "host". */
KERR_API const char* kerr_error_json(kerr_error error);
KERR_API int kerr_error_free(kerr_error error); /* NULL is nothing to do */

/* What there is to open: {"emulated": ["p100a", "p150"], "cards": [{"address", "driver", "usable", "problem",
 * "advice", ...}]}. */
KERR_API int kerr_devices(char** json, kerr_error* error);

/* ---- devices ----------------------------------------------------------------------------------------------------- */

/* Options: "board": "p100a" (default) or "p150"; "card": a PCI address or a number of kerr_devices(), or "library":
 * a file with the libttsim ABI, instead of an emulated board; "threads": of the emulator, default all CPUs;
 * "timing": "relaxed" (default) or "exact"; "strict": true; "icache": "coherent", "exact" or "check"; "noc_reorder":
 * a seed; "watch": "nothing" (default) or "timeline" (in exact timing); "path": as of kerr_compile() for every program
 * that is loaded, however it was compiled; "check": "definition" interprets every launch once more, "paths" repeats by
 * scalar code what was done by tiles, and KERR_INTERNAL names the first difference, if there is one; "max_harts": of a
 * launch, 1 to 236, default in relaxed timing 8 for each thread of the emulator, else all; "progress_ms": from callback
 * to callback, default 100; "timeout_ms": of launches that name none; "record": a file, as kerr_record_begin() before
 * anything has happened. */
KERR_API int kerr_device_open(const char* options, kerr_device* device, kerr_error* error);
KERR_API int kerr_device_close(kerr_device device, kerr_error* error);
/* {"board", "kind", "timing", "threads", "max_harts", "clock_mhz", "workers", "dram_banks", "path", "memory": {"bytes",
 * "used", "scratch", "free", "largest"}, "buffers", "programs", "tensors", "resets", "launches": {"tiles", "scalar",
 * "definition", "products"}}. `largest`: bytes of the largest buffer that fits. `scratch`: those of `used` that launches
 * by tiles keep, and give back when memory is short. `products`: multiply-adds that tiles have made. */
KERR_API int kerr_device_info(kerr_device device, char** json, kerr_error* error);
/* As after a fault: tiles and firmware start again, buffers and programs stay as they are. */
KERR_API int kerr_device_reset(kerr_device device, kerr_error* error);
/* Returns when everything that was asked for before is done. Today each call has done its work when it returns. */
KERR_API int kerr_device_synchronize(kerr_device device, kerr_error* error);
/* `cycles`: device time so far. `ns`: the same in nanoseconds; -1 where cycles are no time (relaxed timing). Either
 * may be NULL. */
KERR_API int kerr_device_clock(kerr_device device, uint64_t* cycles, int64_t* ns, kerr_error* error);

/* Called on the thread of the call, about every "progress_ms" milliseconds of wall time for as long as a call to the
 * device takes. `json`: {"what": "launch add", "seconds": 1.5, "cycles": 400000}, and of an expression also "done", how
 * many of its programs have run, and "total". 0: go on; anything else ends the call with KERR_INTERRUPTED. */
typedef int (*kerr_progress)(const char* json, void* user);
/* `callback` NULL: none. */
KERR_API int kerr_device_set_progress(kerr_device device, kerr_progress callback, void* user, kerr_error* error);
/* Ends the call that runs on the device now, or does nothing. Never waits. Not async-signal-safe: a signal handler
 * tells another thread. */
KERR_API int kerr_device_interrupt(kerr_device device, kerr_error* error);

/* ---- buffers: bytes of the device's DRAM, flat ------------------------------------------------------------------- */

/* `bytes`: 1 to 4294967295. Contents are zero or what was there. */
KERR_API int kerr_buffer_alloc(kerr_device device, uint64_t bytes, kerr_buffer* buffer, kerr_error* error);
KERR_API int kerr_buffer_free(kerr_buffer buffer, kerr_error* error);
KERR_API int kerr_buffer_write(kerr_buffer buffer, uint64_t offset, const void* data, uint64_t bytes,
                               kerr_error* error);
KERR_API int kerr_buffer_read(kerr_buffer buffer, uint64_t offset, void* data, uint64_t bytes, kerr_error* error);
/* Within a buffer or between two, of one device or of two. Overlapping ranges are copied as memmove() does. */
KERR_API int kerr_buffer_copy(kerr_buffer to, uint64_t to_offset, kerr_buffer from, uint64_t from_offset,
                              uint64_t bytes, kerr_error* error);
/* `pattern` again and again; the last one may be cut. `pattern_bytes`: 1 to 4096. */
KERR_API int kerr_buffer_fill(kerr_buffer buffer, uint64_t offset, uint64_t bytes, const void* pattern,
                              uint64_t pattern_bytes, kerr_error* error);

/* Where bytes lie: page p is at address + p / banks * page_bytes of DRAM bank p % banks, the layout that kernels of
 * one's own are given addresses of (docs/reference/c-library.md "Memory"). */
typedef struct kerr_place {
  uint64_t address, bytes;
  uint32_t page_bytes, banks;
} kerr_place;
KERR_API int kerr_buffer_place(kerr_buffer buffer, kerr_place* place, kerr_error* error);

/* ---- loop programs (docs/reference/loop-programs.md) ------------------------------------------------------------- */

/* Needs no device, uses no global state. `board`: "p100a" or "p150". Options: "path": "auto" (default): "tiles", the
 * vector or matrix unit, where that is expected to be quicker, else "scalar", but "definition" for a program whose code
 * the harts cannot hold; "tiles": wherever they can; "math": "bounded" (default) or "exact": tiles only where they give
 * the definition's bits; "check_bounds": true; "max_harts": 1 to 236. */
KERR_API int kerr_compile(const char* board, const char* text, const char* options, void** blob, size_t* blob_bytes,
                          kerr_error* error);
/* {"name", "board", "path", "abi", "version", "parameters": [{"name", "type", "count", "bytes"}], "variables":
 * [{"name", "type", "min", "max"}], "text": the program, "explanation": path, remarks and code for people}. */
KERR_API int kerr_blob_explain(const void* blob, size_t blob_bytes, char** json, kerr_error* error);
KERR_API int kerr_program_load(kerr_device device, const void* blob, size_t blob_bytes, kerr_program* program,
                               kerr_error* error);
KERR_API int kerr_program_free(kerr_program program, kerr_error* error);

/* A part of a buffer. Several of a launch may overlap. */
typedef struct kerr_view {
  kerr_buffer buffer;
  uint64_t offset, bytes;
} kerr_view;

/* Runs to the end. `views`: one for each "param" line of the program, in their order, at least as long as the
 * parameter; of the program's device. `numbers`: one for each "var" line. Options: "timeout_ms": of wall time; 0:
 * none. Without it the device's own, else 30 s and half a second for each million instructions of its loops, as far as
 * their turns are known, but at most an hour. `ns`: device time, -1 where there is none (relaxed timing, the
 * definition); may be NULL. */
KERR_API int kerr_launch(kerr_program program, const kerr_view* views, size_t view_count, const int64_t* numbers,
                         size_t number_count, const char* options, int64_t* ns, kerr_error* error);

/* ---- matrices of the host, computed on the device ---------------------------------------------------------------- */

/* Row-major, without gaps. `type`: "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "uint16",
 * "int32", "bool". 1 x 1 is a number; 1 x n and n x 1 are repeated where a larger matrix is wanted. */
typedef struct kerr_matrix {
  const char* name; /* in the expression; of results and of kerr_matmul(): NULL */
  const char* type;
  void* data; /* of results: for kerr_free() */
  uint64_t rows, columns;
} kerr_matrix;

/* What `expression` makes of the operands (docs/guide/expressions.md). Results are "float32", or an integer type.
 * Options: "format": of floats on the device: "fp32", "fp16", "bf16" (default), "bfp8", "bfp4"; "fidelity": "lofi",
 * "hifi2" (default), "hifi3", "hifi4"; "accumulate": "bf16" or "fp32"; "cores": at most; "timeout_ms": as of
 * kerr_launch(); "check": true compares with float64; "explain": true runs nothing, and `result` is left alone.
 * `report`: {"stages": [...], "device_cycles", "ns", "agreement": {...}}; may be NULL. */
KERR_API int kerr_eval(kerr_device device, const char* expression, const kerr_matrix* operands, size_t operand_count,
                       const char* options, kerr_matrix* result, char** report, kerr_error* error);
/* a @ b. Options and report as of kerr_eval(). */
KERR_API int kerr_matmul(kerr_device device, const kerr_matrix* a, const kerr_matrix* b, const char* options,
                         kerr_matrix* result, char** report, kerr_error* error);

/* ---- matrices that stay on the device ---------------------------------------------------------------------------- */

/* Options: "format": of floats on the device, as of kerr_eval(). Integers keep their type; bools become a float. */
KERR_API int kerr_tensor_make(kerr_device device, const kerr_matrix* matrix, const char* options, kerr_tensor* tensor,
                              kerr_error* error);
KERR_API int kerr_tensor_free(kerr_tensor tensor, kerr_error* error);
/* All numbers, row-major. `type`: "float32" of floats, exactly; "bfloat16" of a tensor in that format; of integers their
 * own. `bytes`: rows * columns * bytes of the type. */
KERR_API int kerr_tensor_read(kerr_tensor tensor, const char* type, void* data, uint64_t bytes, kerr_error* error);

typedef struct kerr_tensor_info {
  uint64_t rows, columns;
  const char* format; /* "bf16", "int32": a name that stays valid */
  kerr_place place;   /* of its tiles, a page each */
} kerr_tensor_info;
KERR_API int kerr_tensor_describe(kerr_tensor tensor, kerr_tensor_info* info, kerr_error* error);

typedef struct kerr_operand {
  const char* name;
  kerr_tensor tensor;        /* of this device; or NULL: */
  const kerr_matrix* matrix; /* of the host; its own name does not count */
} kerr_operand;

/* As kerr_eval(), but operands may be on the device already, and the result stays there. Such operands keep their
 * formats; "format" is of all else. */
KERR_API int kerr_tensor_eval(kerr_device device, const char* expression, const kerr_operand* operands,
                              size_t operand_count, const char* options, kerr_tensor* result, char** report,
                              kerr_error* error);

/* ---- kernels of one's own: assembler text, raw code -------------------------------------------------------------- */

/* A file that a program names. */
typedef struct kerr_file {
  const char* name;
  const void* data;
  uint64_t bytes;
} kerr_file;

/* Runs a program as `kerr run FILE.toml` does (docs/guide/run.md), on this device, beside what is there. `program`: the
 * text of such a file. Files that it names are those of `files` if one has that name, else they are read from the
 * option "folder". Options: "folder": without it no file is read; "name": of the program, for messages; "timeout_ms":
 * as of kerr_launch(); without it the limit is the program's "cycles". Registers cannot be dumped; "bare" and ELF files
 * are refused. `report`: {"name", "device_cycles", "ns", "cores": [[1, 2]], "dumps": [{"text": "numbers:u32", "core": [1, 2]
 * or null, "address", "bytes": hexadecimal digits}]}. */
KERR_API int kerr_run(kerr_device device, const char* program, const kerr_file* files, size_t file_count,
                      const char* options, char** report, kerr_error* error);

/* ---- what happened on an emulated device ------------------------------------------------------------------------- */

/* From cycle `begin` to `end`, of a device opened with "watch": "timeline"; 0, 0: all so far. Writes a file that
 * ui.perfetto.dev opens. */
KERR_API int kerr_timeline(kerr_device device, uint64_t begin, uint64_t end, const char* path, kerr_error* error);
/* How busy cores, units, links and banks were, as `kerr matmul --utilisation --json` has it. */
KERR_API int kerr_utilisation(kerr_device device, uint64_t begin, uint64_t end, char** json, kerr_error* error);
/* The busiest links and cores as a picture, as `kerr matmul --heat-map` draws it. `title` may be NULL. */
KERR_API int kerr_heat_map(kerr_device device, uint64_t begin, uint64_t end, const char* title, char** svg,
                           kerr_error* error);
/* The whole device to a file and back. Buffers that were there when it was saved have their contents of then. */
KERR_API int kerr_snapshot(kerr_device device, const char* path, kerr_error* error);
KERR_API int kerr_restore(kerr_device device, const char* path, kerr_error* error);
/* All that the device is told from now on, for `kerr replay FILE`; of a device that was used before, with a snapshot
 * that was taken after kerr_record_begin(). */
KERR_API int kerr_record_begin(kerr_device device, const char* path, kerr_error* error);
KERR_API int kerr_record_end(kerr_device device, kerr_error* error);

#ifdef __cplusplus
}
#endif

#endif /* KERR_H_ */
