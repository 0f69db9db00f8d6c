#include "bindings/c/handles.hpp"

#include <pthread.h>

#include <utility>

namespace kerr::c {

namespace {

// Generation << 32 | kind << 28 | place.
constexpr uint32_t kPlaces = 1u << 28;

uint32_t place_of(uint64_t handle) { return static_cast<uint32_t>(handle) & (kPlaces - 1); }

// Made when the library is loaded: no thread forks meanwhile.
[[maybe_unused]] const Handles& made_early = Handles::all();

}  // namespace

Handles& Handles::all() {
  static Handles* const handles = [] {
    pthread_atfork([] { all().lock(); }, [] { all().unlock(); }, [] { all().unlock(); });
    return new Handles;
  }();
  return *handles;
}

uint64_t Handles::put(Kind kind, std::shared_ptr<void> object, const void* owner) {
  std::lock_guard lock(mutex_);
  if (free_.empty()) {
    if (places_.size() == kPlaces) throw std::bad_alloc();
    if (free_.capacity() <= places_.size()) free_.reserve(2 * places_.size() + 16);  // to free a place takes no memory
    places_.emplace_back();
    free_.push_back(static_cast<uint32_t>(places_.size() - 1));
  }
  const uint32_t index = free_.back();
  free_.pop_back();
  Place& place = places_[index];
  place = {std::move(object), owner, place.generation + 1, kind};
  return uint64_t{place.generation} << 32 | static_cast<uint64_t>(kind) << 28 | index;
}

Handles::Place* Handles::at(Kind kind, uint64_t handle) {
  const uint32_t index = place_of(handle);
  if (index >= places_.size()) return nullptr;
  Place& place = places_[index];
  const bool same = place.object && place.kind == kind && handle >> 32 == place.generation &&
                    (handle >> 28 & 15) == static_cast<uint64_t>(kind);
  return same ? &place : nullptr;
}

std::shared_ptr<void> Handles::free_place(Place& place) {
  // A place that was used 2^32 times is not used again.
  if (place.generation != ~0u) free_.push_back(static_cast<uint32_t>(&place - places_.data()));
  place.owner = nullptr;
  return std::exchange(place.object, nullptr);
}

std::shared_ptr<void> Handles::find(Kind kind, uint64_t handle) {
  std::lock_guard lock(mutex_);
  const Place* place = at(kind, handle);
  return place != nullptr ? place->object : nullptr;
}

std::shared_ptr<void> Handles::take(Kind kind, uint64_t handle) {
  std::lock_guard lock(mutex_);
  Place* place = at(kind, handle);
  return place != nullptr ? free_place(*place) : nullptr;
}

std::vector<std::shared_ptr<void>> Handles::of(Kind kind, const void* owner) {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<void>> found;
  for (const Place& place : places_)
    if (place.object && place.kind == kind && place.owner == owner) found.push_back(place.object);
  return found;
}

void Handles::drop_all_of(const void* owner) {
  for (size_t i = 0;; ++i) {
    std::shared_ptr<void> object;  // goes when the lock is gone
    std::lock_guard lock(mutex_);
    while (i < places_.size() && !(places_[i].object && places_[i].owner == owner)) ++i;
    if (i >= places_.size()) return;
    object = free_place(places_[i]);
  }
}

}  // namespace kerr::c
