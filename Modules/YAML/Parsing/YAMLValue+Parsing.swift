public import FoundationEssentials

extension YAMLValue {
  /// Reads the one document of a YAML text.
  ///
  /// The text is UTF-8, or UTF-16 or UTF-32 as its first bytes tell (YAML 1.2 §5.2). The grammar is that of libyaml, YAML
  /// 1.1 and 1.2, with checks for what it takes and YAML 1.2 refuses; scalars are resolved by `options.schema`.
  ///
  /// - Throws: ``YAMLError`` with kind, line and column when there is no document or more than one, when the text is no
  ///   YAML, or goes beyond a limit of `options`. No input traps.
  public init(
    parsing bytes: UnsafeRawBufferPointer, options: YAMLParsingOptions = YAMLParsingOptions()
  ) throws(YAMLError) {
    let documents = try Self.documents(bytes, options: options, onlyOne: true)
    guard let document = documents.first else { throw YAMLError(.empty, at: Mark()) }
    self = document
  }

  /// Reads the one document of a YAML text from `Data`; see ``init(parsing:options:)-(UnsafeRawBufferPointer,_)``.
  public init(parsing data: Data, options: YAMLParsingOptions = YAMLParsingOptions()) throws(YAMLError) {
    self = try data.withUnsafeBytes { bytes in
      Result.of { () throws(YAMLError) in try Self(parsing: bytes, options: options) }
    }.get()
  }

  /// Reads the one document of a YAML text from an array of bytes.
  public init(parsing bytes: [UInt8], options: YAMLParsingOptions = YAMLParsingOptions()) throws(YAMLError) {
    self = try bytes.withUnsafeBytes { bytes in
      Result.of { () throws(YAMLError) in try Self(parsing: bytes, options: options) }
    }.get()
  }

  /// Reads the one document of a YAML text from a string.
  public init(parsing text: String, options: YAMLParsingOptions = YAMLParsingOptions()) throws(YAMLError) {
    var text = text
    self = try text.withUTF8 { bytes in
      Result.of { () throws(YAMLError) in try Self(parsing: UnsafeRawBufferPointer(bytes), options: options) }
    }.get()
  }

  /// Reads all documents of a YAML stream; none of an empty one.
  ///
  /// - Throws: ``YAMLError`` as ``init(parsing:options:)-(UnsafeRawBufferPointer,_)`` does, of any number of documents.
  public static func documents(
    parsing bytes: UnsafeRawBufferPointer, options: YAMLParsingOptions = YAMLParsingOptions()
  ) throws(YAMLError) -> [YAMLValue] {
    try documents(bytes, options: options, onlyOne: false)
  }

  /// Reads all documents of a YAML stream from `Data`.
  public static func documents(
    parsing data: Data, options: YAMLParsingOptions = YAMLParsingOptions()
  ) throws(YAMLError) -> [YAMLValue] {
    try data.withUnsafeBytes { bytes in
      Result.of { () throws(YAMLError) in try documents(bytes, options: options, onlyOne: false) }
    }.get()
  }

  /// Reads all documents of a YAML stream from a string.
  public static func documents(
    parsing text: String, options: YAMLParsingOptions = YAMLParsingOptions()
  ) throws(YAMLError) -> [YAMLValue] {
    var text = text
    return try text.withUTF8 { bytes in
      Result.of { () throws(YAMLError) in
        try documents(UnsafeRawBufferPointer(bytes), options: options, onlyOne: false)
      }
    }.get()
  }

  private static let mostTagDirectives = 1000

  private static func documents(
    _ raw: UnsafeRawBufferPointer, options: YAMLParsingOptions, onlyOne: Bool
  ) throws(YAMLError) -> [YAMLValue] {
    guard raw.count <= options.maximumBytes else { throw YAMLError(.tooManyBytes, at: Mark()) }
    return try SourceEncoding.withUTF8(raw.bindMemory(to: UInt8.self)) { (bytes, isASCII) throws(YAMLError) in
      guard !SourceText.hasTagDirectives(beyond: mostTagDirectives, bytes) else {
        throw YAMLError(.tooManyDirectives, at: Mark())
      }
      guard !isASCII, options.schema != .yaml11, let shielded = LineBreakShield.shielding(bytes) else {
        return try compose(bytes, isASCII: isASCII, isShielded: false, options, onlyOne: onlyOne)
      }
      return try shielded.withUnsafeBufferPointer { bytes in
        Result.of { () throws(YAMLError) in
          try compose(bytes, isASCII: false, isShielded: true, options, onlyOne: onlyOne)
        }
      }.get()
    }
  }

  private static func compose(
    _ bytes: UnsafeBufferPointer<UInt8>, isASCII: Bool, isShielded: Bool, _ options: YAMLParsingOptions, onlyOne: Bool
  ) throws(YAMLError) -> [YAMLValue] {
    let events = try EventReader(bytes)
    try events.advance()
    var composer = DocumentComposer(bytes, events, isASCII: isASCII, isShielded: isShielded, options: options)
    var documents: [YAMLValue] = []
    while let document = try composer.next() {
      documents.append(document)
      guard onlyOne else { continue }
      if try composer.beginDocument() { throw YAMLError(.moreThanOneDocument, at: composer.mark) }
      return documents
    }
    return documents
  }
}

extension Result where Failure == YAMLError {
  /// Carries a typed error through a closure of the standard library.
  static func of(_ body: () throws(YAMLError) -> Success) -> Result {
    do throws(YAMLError) {
      return .success(try body())
    } catch {
      return .failure(error)
    }
  }
}
