/* A namespace a room (src/README.md): the same name in two rooms is two things. They are inline, so that a room above writes names of those below as they are;
   a name that two of them have is then ambiguous, and the compiler says so. */
#pragma once

namespace goza {

inline namespace parallel {
}
inline namespace mat {
}
inline namespace locality {
}
inline namespace choice {
}
inline namespace assembly {
}
inline namespace saamg {
}
inline namespace ksp {
}

} // namespace goza
