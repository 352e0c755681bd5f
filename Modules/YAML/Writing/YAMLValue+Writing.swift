public import FoundationEssentials

extension YAMLValue {
  /// The value as YAML text in UTF-8, which ends with a line feed.
  ///
  /// It reads back as the same value under the core schema, and under YAML 1.1's: strings that either would take for
  /// something else are quoted. The stack does not grow with the depth of the value.
  public func data(_ format: YAMLFormat = .block) -> Data {
    Data(YAMLWriter.document(self, format))
  }

  /// The value as YAML text; see ``data(_:)``.
  public func text(_ format: YAMLFormat = .block) -> String {
    String(decoding: YAMLWriter.document(self, format), as: UTF8.self)
  }

  /// Documents as one YAML stream in UTF-8, each after a line of `---`.
  public static func data(documents: some Sequence<YAMLValue>, _ format: YAMLFormat = .block) -> Data {
    var format = format
    format.startsDocuments = true
    var data = Data()
    for document in documents { data.append(contentsOf: YAMLWriter.document(document, format)) }
    return data
  }
}
