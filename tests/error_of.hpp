// The text of the error that a call ends with.
#pragma once
#include <string>

#include <axisgrad/autograd/error.hpp>

/// What f throws, "no error" when it does not.
template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const axisgrad::Error& e) {
    return e.what();
  }
  return "no error";
}
