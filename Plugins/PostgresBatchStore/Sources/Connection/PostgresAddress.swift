#if Postgres
import CLibpq
import CurlewBatch
import CurlewCore

/// The address of a database, which can contain a password.
///
/// Its description has no secrets. Neither the address nor a text of libpq that may quote it is shown: libpq repeats a malformed
/// address in its message.
struct PostgresAddress: Sendable, CustomStringConvertible {
  /// The address, for libpq alone.
  let text: String
  /// The server and the database, without user and password.
  let description: String
  private let secrets: [String]

  /// Reads an address.
  ///
  /// - Parameter text: `postgres://USER:PASSWORD@HOST:PORT/DATABASE?OPTION=VALUE`, or a list of `KEYWORD=VALUE`. What it does not say
  ///   is taken from libpq's environment variables, password file and service file.
  /// - Throws: `BatchError` of kind `storeUnreadable` when it is malformed.
  init(_ text: String) throws(BatchError) {
    var message: UnsafeMutablePointer<CChar>?
    guard !text.utf8.contains(0), let options = PQconninfoParse(text, &message) else {
      PQfreemem(message)
      throw BatchError(
        .storeUnreadable,
        "The address of the PostgreSQL server is malformed; write postgres://USER@HOST:PORT/DATABASE, with every special "
          + "character of a password percent-encoded.")
    }
    defer { PQconninfoFree(options) }
    var values: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
      option += 1
    }
    self.text = text
    secrets = ["password", "sslpassword"].compactMap { values[$0] }.filter { !$0.isEmpty } + [text]
    let host = values["host"] ?? values["hostaddr"] ?? "the local server"
    let port = values["port"].map { ":\($0)" } ?? ""
    let database = values["dbname"].map { ", database \($0)" } ?? ""
    description = Self.line(host + port + database)
  }

  /// Returns a text of libpq in one line, or a general one if it contains a secret.
  func withoutSecrets(_ message: String) -> String {
    guard !secrets.contains(where: { message.contains($0) }) else { return "the connection failed" }
    return Self.line(message)
  }

  private static func line(_ text: String) -> String {
    let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingPrefix { $0 == " " || $0 == "\t" } }
    return lines.joined(separator: "; ").unicodeScalars.prefix(500).map { $0.escaped(asASCII: false) }.joined()
  }
}

extension PostgresAddress: CustomReflectable {
  /// The server and the database, without user and password.
  var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
#endif
