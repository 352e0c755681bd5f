import CurlewCore
import CurlewTestSupport

/// An answer of a server, byte for byte, and what a careful client makes of it.
struct RawAnswer: Sendable {
  enum Outcome: Sendable {
    /// A response with a status and a body.
    case body(String, status: Int = 200)
    /// An error of a kind at a stage.
    case fails(NetworkError.Kind, NetworkError.Stage)
    /// Either: the versions of libcurl differ, and both are right.
    case bodyOrFails(String, NetworkError.Kind, NetworkError.Stage)

    /// The error for bytes that are not HTTP, or can be read in two ways.
    static let violation = Outcome.fails(.protocolViolation, .awaitingHead)
    /// The error for a head that never became complete.
    static let lost = Outcome.fails(.connectionLost, .awaitingHead)
    /// The error for a body that never became complete.
    static let truncated = Outcome.fails(.truncatedBody, .receivingBody)
    /// The error for a body with broken chunks.
    static let badChunks = Outcome.fails(.protocolViolation, .receivingBody)
    static let tooLarge = Outcome.fails(.headerLimitExceeded, .awaitingHead)
  }

  let name: String
  let bytes: [UInt8]
  /// Whether the server closes the connection after the bytes.
  let closes: Bool
  let outcome: Outcome

  /// Creates an answer.
  ///
  /// - Parameter text: The bytes, each as the character of its number (ISO 8859-1).
  init(_ name: String, _ text: String, closes: Bool = false, _ outcome: Outcome) {
    self.name = name
    bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    self.closes = closes
    self.outcome = outcome
  }

  /// The reply of a scripted origin; the connection stays open for the next request unless it is closed.
  var reply: OriginReply {
    let reply = OriginReply(.raw(bytes))
    return closes ? reply.closing() : reply
  }
}
