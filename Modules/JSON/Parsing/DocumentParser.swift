/// Reads one JSON document in one pass, without recursion.
///
/// Values are built on stacks: the parts of an open array or object lie on top, and when it is closed they are moved
/// into its storage of exactly their count.
struct DocumentParser: ~Copyable {
  private struct Frame {
    let isObject: Bool
    let values: Int
    let names: Int
  }

  struct Name {
    var text: String
    let start: UnsafePointer<UInt8>
  }

  let start: UnsafePointer<UInt8>
  let end: UnsafePointer<UInt8>
  let options: JSONParsingOptions
  let seed: UInt64
  let cache: NameCache
  var values = ParserStack<JSONValue>(capacity: 64)
  var names = ParserStack<Name>(capacity: 32)
  var hashes = ParserStack<UInt32>(capacity: 32)
  private var frames = ParserStack<Frame>(capacity: 16)

  private init(start: UnsafePointer<UInt8>, count: Int, options: JSONParsingOptions) {
    self.start = start
    end = start + count
    self.options = options
    seed = NameHash.seed
    cache = NameCache(documentBytes: count)
  }

  /// Reads all of `bytes` as one document.
  static func parse(
    _ bytes: UnsafeRawBufferPointer, options: JSONParsingOptions
  ) throws(ParseFailure) -> JSONValue {
    guard bytes.count <= options.maximumBytes else {
      throw ParseFailure(kind: .tooManyBytes, offset: max(options.maximumBytes, 0))
    }
    guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
      throw ParseFailure(kind: .empty, offset: 0)
    }
    var parser = DocumentParser(start: start, count: bytes.count, options: options)
    return try parser.document()
  }

  private mutating func document() throws(ParseFailure) -> JSONValue {
    var cursor = start
    if end - cursor >= 3, cursor[0] == 0xEF, cursor[1] == 0xBB, cursor[2] == 0xBF {
      guard options.allowsByteOrderMark else { throw failure(.byteOrderMark, cursor) }
      cursor += 3
    }
    skipWhiteSpace(&cursor)
    guard cursor < end else { throw failure(.empty, cursor) }
    repeat {
      try value(&cursor)
    } while try !closeAndAdvance(&cursor)
    skipWhiteSpace(&cursor)
    guard cursor == end else { throw failure(.trailingContent, cursor) }
    return values.take(from: 0).moveElement(from: 0)
  }

  /// Reads a value that is no container or an empty one, or opens containers up to the first such value.
  @inline(__always)
  private mutating func value(_ cursor: inout UnsafePointer<UInt8>) throws(ParseFailure) {
    while true {
      guard cursor < end else { throw failure(.unexpectedEnd, cursor) }
      switch cursor.pointee {
      case UInt8(ascii: "\""):
        values.push(.string(try string(&cursor)))
        return
      case UInt8(ascii: "{"):
        try checkDepth(cursor)
        cursor += 1
        skipWhiteSpace(&cursor)
        if cursor < end, cursor.pointee == UInt8(ascii: "}") {
          cursor += 1
          values.push(.object(JSONObject()))
          return
        }
        frames.push(Frame(isObject: true, values: values.count, names: names.count))
        try name(&cursor)
      case UInt8(ascii: "["):
        try checkDepth(cursor)
        cursor += 1
        skipWhiteSpace(&cursor)
        if cursor < end, cursor.pointee == UInt8(ascii: "]") {
          cursor += 1
          values.push(.array([]))
          return
        }
        frames.push(Frame(isObject: false, values: values.count, names: names.count))
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        values.push(.number(try number(&cursor)))
        return
      case UInt8(ascii: "t"):
        try word("true", &cursor)
        values.push(.bool(true))
        return
      case UInt8(ascii: "f"):
        try word("false", &cursor)
        values.push(.bool(false))
        return
      case UInt8(ascii: "n"):
        try word("null", &cursor)
        values.push(.null)
        return
      default:
        throw failure(.unexpectedCharacter, cursor)
      }
    }
  }

  /// Closes containers that end behind a value; true at the end of the outermost, else the next value follows.
  @inline(__always)
  private mutating func closeAndAdvance(_ cursor: inout UnsafePointer<UInt8>) throws(ParseFailure) -> Bool {
    while frames.count > 0 {
      let frame = frames.base[frames.count - 1]
      skipWhiteSpace(&cursor)
      guard cursor < end else { throw failure(.unexpectedEnd, cursor) }
      let byte = cursor.pointee
      if byte == UInt8(ascii: ",") {
        cursor += 1
        skipWhiteSpace(&cursor)
        if frame.isObject { try name(&cursor) }
        return false
      }
      if frame.isObject {
        guard byte == UInt8(ascii: "}") else { throw failure(.unexpectedCharacter, cursor) }
        let object = try closeObject(values: frame.values, names: frame.names)
        values.push(.object(object))
      } else {
        guard byte == UInt8(ascii: "]") else { throw failure(.unexpectedCharacter, cursor) }
        let elements = values.take(from: frame.values)
        let array = [JSONValue](unsafeUninitializedCapacity: elements.count) { storage, count in
          count = storage.moveInitialize(fromContentsOf: elements)
        }
        values.push(.array(array))
      }
      cursor += 1
      _ = frames.take(from: frames.count - 1)
    }
    return true
  }

  /// Reads a member's name and the colon, up to the value.
  @inline(__always)
  private mutating func name(_ cursor: inout UnsafePointer<UInt8>) throws(ParseFailure) {
    guard cursor < end else { throw failure(.unexpectedEnd, cursor) }
    guard cursor.pointee == UInt8(ascii: "\"") else { throw failure(.unexpectedCharacter, cursor) }
    let nameStart = cursor
    let (text, hash) = try nameText(&cursor)
    names.push(Name(text: text, start: nameStart))
    hashes.push(hash)
    skipWhiteSpace(&cursor)
    guard cursor < end else { throw failure(.unexpectedEnd, cursor) }
    guard cursor.pointee == UInt8(ascii: ":") else { throw failure(.unexpectedCharacter, cursor) }
    cursor += 1
    skipWhiteSpace(&cursor)
  }

  @inline(__always)
  private func number(_ cursor: inout UnsafePointer<UInt8>) throws(ParseFailure) -> JSONNumber {
    do {
      return try NumberScanner.scan(&cursor, end: end, limit: options.maximumNumberBytes)
    } catch {
      throw failure(error.kind, cursor)
    }
  }

  @inline(__always)
  private func word(_ word: StaticString, _ cursor: inout UnsafePointer<UInt8>) throws(ParseFailure) {
    let text = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    for byte in text {
      guard cursor < end else { throw failure(.unexpectedEnd, cursor) }
      guard cursor.pointee == byte else { throw failure(.unexpectedCharacter, cursor) }
      cursor += 1
    }
  }

  @inline(__always)
  private func checkDepth(_ cursor: UnsafePointer<UInt8>) throws(ParseFailure) {
    guard frames.count < options.maximumDepth else { throw failure(.tooDeep, cursor) }
  }

  @inline(__always)
  private func skipWhiteSpace(_ cursor: inout UnsafePointer<UInt8>) {
    guard cursor < end, cursor.pointee <= 0x20 else { return }
    skipWhiteSpaceRun(&cursor)
  }

  @inline(__always)
  private func skipWhiteSpaceRun(_ cursor: inout UnsafePointer<UInt8>) {
    while cursor < end {
      switch cursor.pointee {
      case 0x20, 0x0A, 0x0D, 0x09: cursor += 1
      default: return
      }
      // Indentation comes in runs of spaces.
      while end - cursor >= 8, WordScan.load(cursor) == WordScan.ones &* 0x20 { cursor += 8 }
    }
  }

  @inline(never)
  func failure(_ kind: JSONError.Kind, _ cursor: UnsafePointer<UInt8>) -> ParseFailure {
    ParseFailure(kind: kind, offset: cursor - start)
  }
}
