#if Postgres
import FoundationEssentials

/// A failed call of a server.
struct PostgresError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The server's code of the error (SQLSTATE); empty when there is no connection.
  var state: String
  /// What the server or the library says, without secrets.
  var message: String

  /// Creates the error of a connection that could not be made, or was lost.
  static func noConnection(_ message: String) -> PostgresError { PostgresError(state: "", message: message) }

  /// The error of a call whose caller was cancelled before anything was sent; no server sends its state.
  static let cancelled = PostgresError(state: "curlew-cancelled", message: "the call was cancelled")

  /// Whether the connection is gone, so that nobody knows whether the call was carried out.
  ///
  /// Class 08 are connection errors, 57P01 to 57P05 an end of the server or of the session.
  var isConnectionLost: Bool { state.isEmpty || state.hasPrefix("08") || state.hasPrefix("57P") }

  /// Whether the same call can succeed a little later.
  ///
  /// 53200 and 53300 are too little memory and too many connections. 40001 and 40P01 are conflicts with another transaction, 55P03
  /// is a lock that another one holds for longer than `lock_timeout`, and 57014 a statement that an operator or
  /// `statement_timeout` has cancelled.
  var isTransient: Bool {
    isConnectionLost || ["53200", "53300", "40001", "40P01", "55P03", "57014"].contains(state)
  }

  var description: String { state.isEmpty ? message : "\(message) (SQLSTATE \(state))" }
}

extension PostgresError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  var errorDescription: String? { description }
}
#endif
