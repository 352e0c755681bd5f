public import FoundationEssentials

extension YAMLValue {
  /// Parses a YAML text with one document.
  ///
  /// The text is UTF-8, or UTF-16 or UTF-32 if its first bytes say so (YAML 1.2 §5.2). libyaml defines the grammar,
  /// YAML 1.1 and 1.2; additional checks reject what only libyaml accepts. Scalars are resolved by `options.schema`.
  ///
  /// Some valid YAML is rejected, because libyaml does not support it:
  ///
  /// | what | instead |
  /// |---|---|
  /// | a mapping with an empty key, `: value` | `null: value` |
  /// | in a flow mapping, a colon on the line after its key, or a quoted key over several lines | one line |
  /// | in a flow collection, a plain scalar that begins with `:` or `?`, or `?` without white space behind it | quotes |
  /// | a name of an anchor with other characters than ASCII letters, digits, `-` and `_` | another name |
  /// | a tab between indentation and content | spaces |
  /// | a block scalar whose first line begins with a tab | an indentation indicator |
  /// | a document without `---` after one that ends with `...` | `---` |
  /// | half of a surrogate pair, `"\ud83d"` alone; U+007F, U+FFFE and U+FFFF | – |
  /// | an implicit key of more than 1,024 characters | `? key` |
  ///
  /// - Throws: ``YAMLError`` with kind, line and column when there is no document or more than one, or when the text is
  ///   not valid YAML or exceeds a limit of `options`. No input traps.
  public init(
    parsing bytes: UnsafeRawBufferPointer, options: YAMLParsingOptions = YAMLParsingOptions()
  ) throws(YAMLError) {
    let documents = try Self.documents(bytes, options: options, onlyOne: true)
    guard let document = documents.first else { throw YAMLError(.empty, at: Mark()) }
    self = document
  }

  /// Parses a YAML text with one document in a `Data`.
  ///
  /// See ``init(parsing:options:)-(UnsafeRawBufferPointer,_)``.
  public init(parsing data: Data, options: YAMLParsingOptions = YAMLParsingOptions()) throws(YAMLError) {
    self = try data.withUnsafeBytes { bytes in
      Result.of { () throws(YAMLError) in try Self(parsing: bytes, options: options) }
    }.get()
  }

  /// Parses a YAML text with one document in an array of bytes.
  public init(parsing bytes: [UInt8], options: YAMLParsingOptions = YAMLParsingOptions()) throws(YAMLError) {
    self = try bytes.withUnsafeBytes { bytes in
      Result.of { () throws(YAMLError) in try Self(parsing: bytes, options: options) }
    }.get()
  }

  /// Parses a YAML text with one document in a string.
  public init(parsing text: String, options: YAMLParsingOptions = YAMLParsingOptions()) throws(YAMLError) {
    var text = text
    self = try text.withUTF8 { bytes in
      Result.of { () throws(YAMLError) in try Self(parsing: UnsafeRawBufferPointer(bytes), options: options) }
    }.get()
  }

  /// Parses all documents of a YAML stream; an empty stream has none.
  ///
  /// - Throws: ``YAMLError`` as ``init(parsing:options:)-(UnsafeRawBufferPointer,_)`` does, except for the number of
  ///   documents.
  public static func documents(
    parsing bytes: UnsafeRawBufferPointer, options: YAMLParsingOptions = YAMLParsingOptions()
  ) throws(YAMLError) -> [YAMLValue] {
    try documents(bytes, options: options, onlyOne: false)
  }

  /// Parses all documents of a YAML stream in a `Data`.
  public static func documents(
    parsing data: Data, options: YAMLParsingOptions = YAMLParsingOptions()
  ) throws(YAMLError) -> [YAMLValue] {
    try data.withUnsafeBytes { bytes in
      Result.of { () throws(YAMLError) in try documents(bytes, options: options, onlyOne: false) }
    }.get()
  }

  /// Parses all documents of a YAML stream in a string.
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
      let keepsLineBreaks = !isASCII && options.schema != .yaml11
      guard let prepared = PreparedText(bytes, keepsLineBreaks: keepsLineBreaks) else {
        return try compose(bytes, isASCII: isASCII, hasStandIns: false, options, onlyOne: onlyOne)
      }
      return try prepared.bytes.withUnsafeBufferPointer { bytes in
        Result.of { () throws(YAMLError) in
          try compose(
            bytes, isASCII: isASCII && !prepared.hasStandIns, hasStandIns: prepared.hasStandIns, options,
            onlyOne: onlyOne)
        }
      }.get()
    }
  }

  private static func compose(
    _ bytes: UnsafeBufferPointer<UInt8>, isASCII: Bool, hasStandIns: Bool, _ options: YAMLParsingOptions, onlyOne: Bool
  ) throws(YAMLError) -> [YAMLValue] {
    let events = try EventReader(bytes)
    try events.advance()
    var composer = DocumentComposer(bytes, events, isASCII: isASCII, hasStandIns: hasStandIns, options: options)
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
  /// Runs a throwing closure and returns its result or its typed error.
  static func of(_ body: () throws(YAMLError) -> Success) -> Result {
    do throws(YAMLError) {
      return .success(try body())
    } catch {
      return .failure(error)
    }
  }
}
