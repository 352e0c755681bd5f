/// A library that does the work, in the way its documentation shows first and with its own defaults.
public protocol Peer: Sendable {
  /// Returns the number of bytes of a body.
  ///
  /// - Throws: Any error, also for a status other than 200.
  func bytes(of url: String) async throws -> Int
  /// Returns a body as text.
  func text(of url: String) async throws -> String
  /// Returns the value of a body in JSON.
  func record(of url: String) async throws -> Record
  /// Downloads a body to a file that does not exist yet.
  func download(_ url: String, to path: String) async throws
}

/// A body that is not what the server has.
public struct WrongAnswer: Error, CustomStringConvertible {
  /// A sentence that says what was wrong.
  public let description: String

  /// Creates an error.
  public init(_ description: String) { self.description = description }
}
