#include "bindings/c/failure.hpp"

#include <filesystem>
#include <ios>
#include <new>
#include <stdexcept>
#include <system_error>

#include "bindings/c/json_text.hpp"
#include "emu/snapshot/archive.hpp"
#include "host/error.hpp"
#include "loops/interpret.hpp"
#include "loops/program.hpp"
#include "report/json.hpp"

namespace kerr::c {

namespace {

using Json = report::Json;
using arch::Category;

kerr_category category_of(Category category) {
  switch (category) {
    case Category::UndefinedBehavior:
    case Category::UnpredictableValue:
    case Category::Unsupported:
    case Category::Misaligned:
    case Category::OutOfBounds: return KERR_FAULT;
    case Category::Deadlock: return KERR_DEADLOCK;
    case Category::Timeout: return KERR_TIMEOUT;
    case Category::HostError:
    case Category::Protocol: break;
  }
  return KERR_DEVICE;
}

ErrorObject made(kerr_category category, const std::string& text, Json more = Json::object(),
                 const std::string& report = {}) {
  Json json = {{"category", name_of(category)}, {"text", text}, {"report", report}};
  json.update(more);
  return {category, valid_utf8(text), json.dump(-1)};
}

}  // namespace

void invalid_argument(std::string text) { throw Failure(KERR_INVALID_ARGUMENT, std::move(text)); }

const char* name_of(int category) {
  switch (category) {
    case KERR_OK: return "Ok";
    case KERR_INVALID_ARGUMENT: return "InvalidArgument";
    case KERR_INVALID_HANDLE: return "InvalidHandle";
    case KERR_PROGRAM: return "Program";
    case KERR_BAD_BLOB: return "BadBlob";
    case KERR_UNSUPPORTED: return "Unsupported";
    case KERR_OUT_OF_MEMORY: return "OutOfMemory";
    case KERR_FAULT: return "Fault";
    case KERR_DEADLOCK: return "Deadlock";
    case KERR_TIMEOUT: return "Timeout";
    case KERR_INTERRUPTED: return "Interrupted";
    case KERR_BUSY: return "Busy";
    case KERR_WRONG_PROCESS: return "WrongProcess";
    case KERR_IO: return "Io";
    case KERR_DEVICE: return "Device";
    case KERR_INTERNAL: return "Internal";
    default: return "Unknown";
  }
}

ErrorObject describe(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const Failure& e) {
    return made(e.category(), e.what());
  } catch (const host::OutOfDeviceMemory& e) {
    return made(KERR_OUT_OF_MEMORY, e.sentence(), {{"memory", "device"}});
  } catch (const host::DeviceError& e) {
    return made(category_of(e.category()), e.sentence(), {{"device_category", host::category_name(e.category())}},
                e.report());
  } catch (const loops::ProgramError& e) {
    return made(KERR_PROGRAM, e.what(), {{"line", e.line}, {"column", e.column}});
  } catch (const loops::RunError& e) {
    return made(KERR_FAULT, e.what(), e.line == 0 ? Json::object() : Json{{"line", e.line}});
  } catch (const emu::SnapshotError& e) {
    return made(KERR_IO, e.what());
  } catch (const std::bad_alloc&) {
    return made(KERR_OUT_OF_MEMORY, "the host has no memory left for this", {{"memory", "host"}});
  } catch (const std::length_error&) {
    return made(KERR_OUT_OF_MEMORY, "the host has no memory left for this", {{"memory", "host"}});
  } catch (const std::system_error& e) {  // files, threads that cannot be started
    return made(KERR_IO, e.what());
  } catch (const std::invalid_argument& e) {
    return made(KERR_INVALID_ARGUMENT, e.what());
  } catch (const std::exception& e) {
    return made(KERR_INTERNAL, e.what());
  } catch (...) {
    return made(KERR_INTERNAL, "something was thrown that is no exception");
  }
}

}  // namespace kerr::c
