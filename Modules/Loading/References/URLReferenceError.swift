package import CurlewCore
import FoundationEssentials

/// The reason why a URL reference has no URL.
package enum URLReferenceError: Error, Hashable, CustomStringConvertible {
  case tooLong
  case controlCharacter
  case backslash
  case scheme(String)
  case noHost
  case relative
  case malformed
  case origin(InvalidOriginError)

  /// The reason as the end of a sentence: "The path has control characters".
  package var reason: String {
    switch self {
    case .tooLong: "is longer than \(URLReference.limit) bytes"
    case .controlCharacter: "has control characters"
    case .backslash: "has a backslash, which URL parsers read differently"
    case .scheme(let scheme): "has a scheme (\(scheme)) that is neither http nor https"
    case .noHost: "has no host"
    case .relative: "is relative and there is no base URL"
    case .malformed: "is not a URL"
    case .origin(let error): "leads to no server: \(error.description)"
    }
  }

  /// The reason as a sentence.
  package var description: String { "The URL reference \(reason)." }
}

extension URLReferenceError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  package var errorDescription: String? { description }
}
