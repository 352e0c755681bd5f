import Curlew
import FoundationEssentials

/// Reads a table in tab-separated values: each row is a dictionary with the names of the first line as keys.
///
/// A field contains neither tabs nor line breaks, so that nothing is quoted (the registration of
/// `text/tab-separated-values` with IANA).
struct TSVResponseSerializer: ResponseSerializer {
  var validation = ResponseValidation(mediaTypes: [.tsv])

  func serialize(_ head: ResponseHead?, _ body: Data) throws -> [[String: String]] {
    let text = try CharsetDecoder.string(body, as: head?.charset ?? .utf8)
    let lines = text.split(whereSeparator: \.isNewline).map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
    guard let names = lines.first else { return [] }
    guard Set(names).count == names.count else { throw TSVError(line: 1, problem: "a name occurs twice") }
    return try lines.enumerated().dropFirst().map { index, fields in
      guard fields.count == names.count else {
        throw TSVError(line: index + 1, problem: "found \(fields.count) fields, expected \(names.count)")
      }
      return Dictionary(uniqueKeysWithValues: zip(names, fields))
    }
  }
}

/// Lets a call say `.tsv`: `session.get("sightings", .tsv)`.
extension ResponseSerializer where Self == TSVResponseSerializer {
  static var tsv: TSVResponseSerializer { TSVResponseSerializer() }
}

/// The line at which a table is malformed, and why.
struct TSVError: Error, Equatable, CustomStringConvertible {
  var line: Int
  var problem: String
  var description: String { "line \(line): \(problem)" }
}

extension MediaType {
  /// `text/tab-separated-values`
  static let tsv = MediaType(type: "text", subtype: "tab-separated-values") ?? .plainText
}
