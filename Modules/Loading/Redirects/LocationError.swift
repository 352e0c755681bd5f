import CurlewCore

/// Why a `Location` leads nowhere.
enum LocationError: Error, CustomStringConvertible {
  case tooLong
  case controlCharacter
  case backslash
  case scheme(String)
  case noHost
  case malformed
  case origin(InvalidOriginError)

  var description: String {
    switch self {
    case .tooLong: "The redirect's Location is longer than \(LocationReference.limit) bytes."
    case .controlCharacter: "The redirect's Location has control characters."
    case .backslash: "The redirect's Location has a backslash, which URL parsers read differently."
    case .scheme(let scheme): "The redirect leads to another scheme (\(scheme)) than http and https."
    case .noHost: "The redirect's Location has no host."
    case .malformed: "The redirect's Location is not a URL."
    case .origin(let error): "The redirect cannot be followed: \(error.description)"
    }
  }
}
