import CLibxml2

/// A failure inside the parser, and its position.
struct ParseFailure {
  var kind: XMLError.Kind
  var reason: String
  var position: SourcePosition

  init(kind: XMLError.Kind, reason: String, position: SourcePosition) {
    self.kind = kind
    self.reason = reason
    self.position = position
  }

  init(_ error: XMLError) {
    self.init(kind: error.kind, reason: error.reason, position: SourcePosition(line: error.line, column: error.column))
  }

  var error: XMLError { XMLError(kind, line: position.line, column: position.column, reason) }
}

/// A line and a column of a document, both from 1.
struct SourcePosition {
  var line = 1
  var column = 1

  init(line: Int = 1, column: Int = 1) {
    self.line = line
    self.column = column
  }

  /// Computes the position of a byte in a document whose encoding extends ASCII.
  ///
  /// Lines end with LF, CR LF or CR. Columns count characters in UTF-8 and bytes in other encodings.
  init(offset: Int, in bytes: UnsafeRawBufferPointer) {
    var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let end = min(max(offset, start), bytes.count)
    for index in start..<end {
      let byte = bytes[index]
      guard byte == 0x0A || (byte == 0x0D && !(index + 1 < bytes.count && bytes[index + 1] == 0x0A)) else { continue }
      line += 1
      start = index + 1
    }
    column = 1 + bytes[start..<max(start, end)].count { $0 & 0xC0 != 0x80 }
  }
}

extension ParseFailure {
  /// Creates a failure from libxml2's report.
  ///
  /// Nil for warnings and for reports about validity only. A document can cause many of those, and computing a position
  /// takes time that grows with the document, so it is computed for a failure only.
  init?(_ report: UnsafePointer<xmlError>?, at position: @autoclosure () -> SourcePosition) {
    guard let report = report?.pointee, report.level.rawValue >= XML_ERR_ERROR.rawValue else { return nil }
    let domain = UInt32(truncatingIfNeeded: report.domain)
    // A document can violate its own document type definition and still be well-formed. The codes are those of validity
    // (`XML_DTD_…`), which newer versions of libxml2 also report as the parser's.
    guard domain != XML_FROM_VALID.rawValue, domain != XML_FROM_DTD.rawValue, !(500..<600).contains(report.code) else {
      return nil
    }
    kind = Self.kind(code: UInt32(truncatingIfNeeded: report.code), domain: domain)
    self.position = position()
    reason = report.message.map { Self.sentence(String(cString: $0)) } ?? "the document is not well-formed"
  }

  private static func kind(code: UInt32, domain: UInt32) -> XMLError.Kind {
    switch code {
    case XML_ERR_NO_MEMORY.rawValue: return .outOfMemory
    case XML_ERR_TAG_NOT_FINISHED.rawValue: return .truncated
    case XML_ERR_ENTITY_LOOP.rawValue: return .expansion
    case XML_ERR_UNDECLARED_ENTITY.rawValue, XML_WAR_UNDECLARED_ENTITY.rawValue: return .undeclaredEntity
    case XML_ERR_NAME_TOO_LONG.rawValue: return .tooLarge
    case XML_ERR_INVALID_ENCODING.rawValue, XML_ERR_UNSUPPORTED_ENCODING.rawValue, XML_ERR_UNKNOWN_ENCODING.rawValue,
      XML_I18N_CONV_FAILED.rawValue, XML_I18N_NO_HANDLER.rawValue, XML_IO_ENCODER.rawValue:
      return .encoding
    default: break
    }
    switch domain {
    case XML_FROM_NAMESPACE.rawValue: return .namespace
    case XML_FROM_I18N.rawValue: return .encoding
    default: return .malformed
    }
  }

  /// Returns libxml2's message on one line without control characters.
  ///
  /// A terminal could interpret control characters.
  private static func sentence(_ message: String) -> String {
    let clean = message.unicodeScalars.prefix(240).map { scalar in
      scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) ? " " : Character(scalar)
    }
    var text = String(clean)
    while text.last == " " { text.removeLast() }
    return text
  }
}
