import CurlewCore
import CurlewSerialization
import FoundationEssentials

/// The media types that count as CSV, and what a head says of the text.
enum CSVMediaTypes {
  static let accepted: [MediaType] =
    [.csv, MediaType(type: "application", subtype: "csv")].compactMap { $0 }

  /// Returns the body in UTF-8, and the options with what the media type says of the header (RFC 4180 §3).
  static func read(
    _ head: ResponseHead?, _ body: Data, _ options: CSVOptions
  ) throws(CharsetError) -> (Data, CSVOptions) {
    var options = options
    switch head?.mediaType?["header"] {
    case "present": options.hasHeader = true
    case "absent": options.hasHeader = false
    default: break
    }
    guard let charset = head?.charset, charset != .utf8, charset != .usASCII else { return (body, options) }
    return (Data(try CharsetDecoder.string(body, as: charset).utf8), options)
  }

  /// The type of a body that is sent, with what it says of the header.
  static func sent(_ options: CSVOptions) -> MediaType {
    MediaType.csv.setting("header", to: options.hasHeader ? "present" : "absent") ?? .csv
  }
}
