/// Applies explicit tags to nodes.
enum TagResolver {
  typealias Bytes = UnsafeBufferPointer<UInt8>

  enum Failure: Error {
    /// The content does not match the tag, or the tag is for another kind of node.
    case contentDoesNotFit
    case numberTooLong
  }

  /// Returns the value of a scalar with a tag of the schemas; nil for other tags.
  static func scalar(
    _ tag: String, _ bytes: Bytes, text: () -> String, schema: YAMLSchema, numberLimit: Int
  ) throws(Failure) -> YAMLValue? {
    if tag == CoreTag.nonSpecific { return .string(text()) }
    guard tag.hasPrefix(CoreTag.prefix) else { return nil }
    switch tag {
    case CoreTag.string, CoreTag.merge: return .string(text())
    case CoreTag.sequence, CoreTag.mapping: throw .contentDoesNotFit
    case CoreTag.null, CoreTag.bool, CoreTag.int, CoreTag.float: break
    default: return nil
    }
    // An explicit tag applies even under a schema that resolves fewer kinds by itself.
    let schema = schema == .yaml11 ? schema : .core
    let value: YAMLValue?
    do throws(ScalarResolver.NumberTooLong) {
      value = try ScalarResolver.value(bytes, schema: schema, numberLimit: numberLimit)
    } catch {
      throw .numberTooLong
    }
    switch (tag, value) {
    case (CoreTag.null, .null?), (CoreTag.bool, .bool?), (CoreTag.int, .int?), (CoreTag.float, .float?): return value
    case (CoreTag.float, .int(let value)?): return .float(YAMLFloat(checkedText: value.text + ".0"))
    default: throw .contentDoesNotFit
    }
  }

  /// Applies a tag to a sequence or mapping.
  static func collection(_ tag: String, _ value: YAMLValue) throws(Failure) -> YAMLValue {
    switch (tag, value) {
    case (CoreTag.sequence, .sequence), (CoreTag.mapping, .mapping), (CoreTag.nonSpecific, _): return value
    default:
      guard !CoreTag.implied.contains(tag), let tagged = YAMLTagged(tag, value) else { throw .contentDoesNotFit }
      return .tagged(tagged)
    }
  }
}
