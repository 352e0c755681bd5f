/// Resolves plain scalars under a schema.
enum ScalarResolver {
  typealias Bytes = UnsafeBufferPointer<UInt8>

  /// The error for a number with more bytes than the limit.
  struct NumberTooLong: Error {}

  /// Returns the value of a plain scalar; nil when it is a string.
  static func value(_ bytes: Bytes, schema: YAMLSchema, numberLimit: Int) throws(NumberTooLong) -> YAMLValue? {
    guard let first = bytes.first else {
      if schema == .failsafe { return nil }
      return .null
    }
    switch first {
    case 0x2B, 0x2D, 0x2E, 0x30...0x39:
      guard let form = NumberForm.of(bytes, schema: schema) else { return nil }
      guard bytes.count <= numberLimit else { throw NumberTooLong() }
      return NumberResolver.value(form, bytes)
    case UInt8(ascii: "t"), UInt8(ascii: "T"), UInt8(ascii: "f"), UInt8(ascii: "F"), UInt8(ascii: "n"),
      UInt8(ascii: "N"), UInt8(ascii: "~"), UInt8(ascii: "y"), UInt8(ascii: "Y"), UInt8(ascii: "o"), UInt8(ascii: "O"):
      return bytes.count <= longestWord ? word(bytes, schema: schema) : nil
    default: return nil
    }
  }

  /// Returns the value of words like `null`, `~` and `true`; nil for other words.
  fileprivate static func word(_ bytes: Bytes, schema: YAMLSchema) -> YAMLValue? {
    if schema == .failsafe { return nil }
    if bytes.count == 1, bytes[0] == UInt8(ascii: "~"), schema != .json { return .null }
    // A word is in lower case, capitalized, or in upper case; JSON's are in lower case.
    var letters: UInt64 = 0
    var capitals = 0
    for byte in bytes {
      letters = letters << 8 | UInt64(byte | 0x20)
      if byte & 0x20 == 0 { capitals += 1 }
    }
    let isCapitalized = capitals == 1 && bytes[0] & 0x20 == 0
    guard capitals == 0 || schema != .json && (capitals == bytes.count || isCapitalized) else { return nil }
    switch letters {
    case nullWord: return .null
    case trueWord, yesWord, onWord: return letters == trueWord || schema == .yaml11 ? .bool(true) : .none
    case falseWord, noWord, offWord: return letters == falseWord || schema == .yaml11 ? .bool(false) : .none
    default: return nil
    }
  }

  /// The length of `false`.
  private static let longestWord = 5

  private static let nullWord = packed("null")
  private static let trueWord = packed("true")
  private static let falseWord = packed("false")
  private static let yesWord = packed("yes")
  private static let noWord = packed("no")
  private static let onWord = packed("on")
  private static let offWord = packed("off")

  /// Returns the letters of a short word as one number.
  private static func packed(_ word: StaticString) -> UInt64 {
    word.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt64($1) } }
  }
}

extension ScalarResolver {
  /// Returns whether a plain scalar is not a string, without computing its value.
  static func resolves(_ bytes: Bytes, schema: YAMLSchema) -> Bool {
    if NumberForm.of(bytes, schema: schema) != nil { return true }
    guard !bytes.isEmpty else { return schema != .failsafe }
    guard bytes.count <= longestWord else { return false }
    if case .some = word(bytes, schema: schema) { return true }
    return false
  }
}

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
