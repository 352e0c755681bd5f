import CurlewYAML
import FoundationEssentials
import FuzzKit

/// Fuzzes YAML streams, with each schema.
@main enum FuzzYAML: FuzzTarget {
  static func read(_ bytes: Data) {
    for schema in YAMLSchema.allCases {
      var options = YAMLParsingOptions()
      options.schema = schema
      options.maximumExpandedNodes = 10_000
      read(bytes, options)
    }
  }

  /// Checks that a valid stream survives writing, and that an error has a position.
  private static func read(_ bytes: Data, _ options: YAMLParsingOptions) {
    do throws(YAMLError) {
      let documents = try YAMLValue.documents(parsing: bytes, options: options)
      for format in [YAMLFormat.block, .flow] {
        var roomy = options
        roomy.maximumDepth = YAMLParsingOptions.greatestDepth
        // The failsafe and JSON schemas do not know every scalar that a tag can produce.
        if roomy.schema == .failsafe || roomy.schema == .json { roomy.schema = .core }
        roomy.mergeKeys = .never
        let text = YAMLValue.data(documents: documents, format)
        demand(
          (try? YAMLValue.documents(parsing: text, options: roomy)) == documents, "\(format.style) does not read back")
      }
      for document in documents {
        demand(document.hashValue == document.hashValue, "a value has two hashes")
        _ = try? YAMLValueDecoder().decode(AnyDecoded.self, from: document)
        _ = try? YAMLValueEncoder().encode(document)
      }
    } catch {
      demand(error.line > 0 && error.column > 0, "an error has no line")
      var small = options
      small.maximumDepth = 3
      demand((try? YAMLValue.documents(parsing: bytes, options: small)) == nil, "a lower limit accepts more")
    }
  }
}
