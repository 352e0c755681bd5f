import FoundationEssentials

/// The archived form of a URL: text that must parse to the same URL.
struct ArchivedURL: Codable {
  var url: URL

  init(_ url: URL) { self.url = url }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), let url = URL(string: text), url.absoluteString == text
    else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "The text is not a URL.")
    }
    self.url = url
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(url.absoluteString)
  }
}
