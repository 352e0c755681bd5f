import CurlewCore
import HTTPTypes

/// Header fields as Foundation takes them: a dictionary, whose order is chance and whose names are unique.
///
/// Three properties of Foundation and libcurl keep what a dictionary loses, and each is held by a test. Foundation sends
/// a value as it is, so the app's fields travel in order, repeated ones apart, as the lines of one value. libcurl drops
/// a field whose value is one space, together with the default of that name. A name in the dictionary keeps Foundation
/// from adding its own.
enum FieldDictionary {
  /// Fields that Foundation or libcurl make themselves, or look at.
  private static let made = [
    "accept", "accept-encoding", "accept-language", "connection", "content-length", "content-type", "host",
    "transfer-encoding", "user-agent",
  ]
  /// What libcurl is told to leave out.
  private static let absent = " "

  /// The fields of a request.
  ///
  /// - Parameter closes: Whether the connection must not be used again.
  /// - Throws: `NetworkError` of kind `unsupported` for what Foundation cannot send as it is.
  static func make(_ request: Request, closes: Bool) throws(NetworkError) -> [String: String] {
    var lines: [(name: String, value: String)] = []
    var own: [String: [String]] = [:]
    for field in request.headerFields {
      let value = try text(of: field)
      let name = field.name.canonicalName
      switch name {
      case "expect":
        throw .unsupported("Foundation cannot wait for 100 Continue.", .expectContinue)
      case "content-length": continue
      case _ where made.contains(name): own[name, default: []].append(value)
      default: lines.append((field.name.rawName, value))
      }
    }
    var fields: [String: String] = [:]
    if let first = lines.first {
      fields[first.name] = lines.dropFirst().reduce(first.value) { $0 + "\r\n\($1.name): \($1.value)" }
    }
    if closes { own["connection", default: []].insert("close", at: 0) }
    for name in ["Accept", "Accept-Language", "Connection", "Content-Type", "User-Agent"] {
      fields[name] = own[name.lowercased()]?.joined(separator: "\r\n\(name): ") ?? absent
    }
    fields["Host"] = own["host"]?.first
    // A range is of the bytes as they are stored: no coding is offered.
    let codings = own["accept-encoding"]?.joined(separator: "\r\nAccept-Encoding: ")
    fields["Accept-Encoding"] = codings ?? (request.headerFields[.range] == nil ? nil : absent)
    frame(request, &fields)
    return fields
  }

  /// Says how long the content is; libcurl would send a stream in chunks, and announce nothing as zero bytes.
  private static func frame(_ request: Request, _ fields: inout [String: String]) {
    if !request.body.isEmpty, let length = request.body.length {
      fields["Content-Length"] = String(length)
      fields["Transfer-Encoding"] = absent
    } else {
      let expectsContent = [.post, .put, .patch].contains(request.method)
      fields["Content-Length"] = expectsContent ? "0" : absent
    }
  }

  /// The value as text; libcurl gets the same bytes.
  private static func text(of field: HTTPField) throws(NetworkError) -> String {
    let bytes = field.withUnsafeBytesOfValue { Array($0) }
    // Nothing may end a line early: lines are how fields are told apart here.
    guard !bytes.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
      throw NetworkError(.invalidRequest, stage: .preparing, message: "A field's value holds a control character.")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .unsupported("Foundation sends no field whose value is not UTF-8 (\(field.name.rawName)).")
    }
    return text
  }
}
