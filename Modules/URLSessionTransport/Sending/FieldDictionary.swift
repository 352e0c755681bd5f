import CurlewCore
import HTTPTypes

/// Header fields in Foundation's form: a dictionary without order.
///
/// Its names are unique. Three properties of Foundation and libcurl, each with a test, preserve what a dictionary loses.
/// Foundation sends a value unchanged, so the app's fields travel in order, and repeated ones separately, as lines of one
/// value. libcurl drops a field whose value is one space, together with the default field of that name. A name in the
/// dictionary keeps Foundation from adding its own field.
enum FieldDictionary {
  /// Fields that Foundation or libcurl create or examine.
  private static let made = [
    "accept", "accept-encoding", "accept-language", "connection", "content-length", "content-type", "host",
    "transfer-encoding", "user-agent",
  ]
  /// The value that makes libcurl omit a field.
  private static let absent = " "

  /// Returns the fields of a request.
  ///
  /// - Parameter closes: Whether the connection must not be reused.
  /// - Throws: `NetworkError` of kind `unsupported` for a field that Foundation cannot send unchanged.
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
    // A range refers to the bytes as stored, so no coding is offered.
    let codings = own["accept-encoding"]?.joined(separator: "\r\nAccept-Encoding: ")
    fields["Accept-Encoding"] = codings ?? (request.headerFields[.range] == nil ? nil : absent)
    frame(request, &fields)
    return fields
  }

  /// Declares the length of the content.
  ///
  /// Otherwise libcurl would send a stream in chunks, and would declare missing content as zero bytes.
  private static func frame(_ request: Request, _ fields: inout [String: String]) {
    if !request.body.isEmpty, let length = request.body.length {
      fields["Content-Length"] = String(length)
      fields["Transfer-Encoding"] = absent
    } else {
      let expectsContent = [.post, .put, .patch].contains(request.method)
      fields["Content-Length"] = expectsContent ? "0" : absent
    }
  }

  /// Returns the value as text; libcurl sends the same bytes.
  private static func text(of field: HTTPField) throws(NetworkError) -> String {
    let bytes = field.withUnsafeBytesOfValue { Array($0) }
    // A line break inside a value would add another field.
    guard !bytes.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
      throw NetworkError(.invalidRequest, stage: .preparing, message: "A field's value holds a control character.")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .unsupported("Foundation sends no field whose value is not UTF-8 (\(field.name.rawName)).")
    }
    return text
  }
}
