/* All that a recording holds of the world outside: it may be launched as long as that is the same. */
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

namespace goza::ksp {

class Footprint {
public:
  void add(const void *p) { words_.push_back(reinterpret_cast<std::uintptr_t>(p)); }
  void add(std::uint64_t number) { words_.push_back(number); }
  void add(const std::shared_ptr<const void> &object) { objects_.push_back(object); } // itself, not another that has come to lie in its place

  bool operator==(const Footprint &other) const
  {
    if (words_ != other.words_ || objects_.size() != other.objects_.size()) return false;
    for (std::size_t k = 0; k < objects_.size(); k++)
      if (objects_[k].owner_before(other.objects_[k]) || other.objects_[k].owner_before(objects_[k])) return false;
    return true;
  }

private:
  std::vector<std::uint64_t>             words_;
  std::vector<std::weak_ptr<const void>> objects_;
};

} // namespace goza::ksp
