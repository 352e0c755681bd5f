public import FoundationEssentials

extension YAMLValue {
  /// Returns the value as YAML text in UTF-8, with a final line feed.
  ///
  /// It reads back as the same value under the core schema and under YAML 1.1's: strings that either schema would
  /// resolve to something else are quoted. Stack use does not grow with the depth.
  public func data(_ format: YAMLFormat = .block) -> Data {
    Data(YAMLWriter.document(self, format))
  }

  /// Returns the value as YAML text; see ``data(_:)``.
  public func text(_ format: YAMLFormat = .block) -> String {
    String(decoding: YAMLWriter.document(self, format), as: UTF8.self)
  }

  /// Returns documents as one YAML stream in UTF-8, each after a line of `---`.
  public static func data(documents: some Sequence<YAMLValue>, _ format: YAMLFormat = .block) -> Data {
    var format = format
    format.startsDocuments = true
    var data = Data()
    for document in documents { data.append(contentsOf: YAMLWriter.document(document, format)) }
    return data
  }
}
