#include "emu/snapshot/file_sink.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace kerr::emu {

FileSink::FileSink(std::string path) : path_(std::move(path)), target_(path_) {
  if (char* const resolved = ::realpath(path_.c_str(), nullptr)) {  // a link stays, and what it names is written
    target_ = resolved;
    std::free(resolved);
  }
  struct stat old {};
  const bool exists = ::stat(target_.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) {
    errno = EISDIR;
    fail("written");
  }
  if (exists && ::access(target_.c_str(), W_OK) != 0) fail("written");
  if (exists && !S_ISREG(old.st_mode)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail("written");
    return;
  }
  open_part();
  if (exists) (void)::fchmod(descriptor_, old.st_mode & 07777);
}

// Two processes with one name must not share the file: whoever has the lock writes it. The one who had it may have
// renamed the file between our open() and our lock, so the name is looked at again.
void FileSink::open_part() {
  part_ = part_of(target_);
  while (true) {
    descriptor_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && (errno == EISDIR || errno == ELOOP))
      throw SnapshotError(fmt::format("'{}' cannot be created, as '{}' is no file", path_, part_));
    if (descriptor_ < 0) fail("created");
    struct stat opened = {}, named = {};
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(descriptor_);
      descriptor_ = -1;
      throw SnapshotError(
          fmt::format("'{}' cannot be written: another process is writing it now (as '{}')", path_, part_));
    }
    if (::fstat(descriptor_, &opened) == 0 && ::stat(part_.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
        opened.st_ino == named.st_ino)
      break;
    ::close(descriptor_);
  }
  if (::ftruncate(descriptor_, 0) != 0) fail("created");
}

FileSink::~FileSink() {
  if (descriptor_ < 0) return;
  if (!part_.empty()) ::unlink(part_.c_str());
  ::close(descriptor_);
}

void FileSink::write(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ::ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("written");
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

void FileSink::finish() {
  if (!part_.empty() && ::rename(part_.c_str(), target_.c_str()) != 0) fail("written");
  part_.clear();
  const bool closed = ::close(descriptor_) == 0;
  descriptor_ = -1;
  if (!closed) fail("written");
}

void FileSink::fail(const char* what) const {
  throw SnapshotError(fmt::format("'{}' cannot be {}: {}", path_, what, std::strerror(errno)));
}

}  // namespace kerr::emu
