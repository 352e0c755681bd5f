import CurlewCore

/// Reads one JSON document in one pass, without recursion.
///
/// Values are built on stacks: the parts of an open array or object lie on top, and when it closes they move into
/// storage of exactly the right size.
struct DocumentParser: ~Copyable {
  private struct Frame {
    let isObject: Bool
    let values: Int
    let names: Int
    /// The cache slot of the name of the member whose value is this container.
    let lastName: UInt32
  }

  struct Name {
    var text: String
    let start: UnsafePointer<UInt8>
  }

  let reader: DocumentReader
  let duplicateNames: JSONParsingOptions.DuplicateNames
  private let maximumDepth: Int
  private let seed: UInt64
  private var cache: NameCache
  var values = ParserStack<JSONValue>(capacity: 64)
  var names = ParserStack<Name>(capacity: 32)
  var hashes = ParserStack<UInt32>(capacity: 32)
  private var frames = ParserStack<Frame>(capacity: 16)

  private init(start: UnsafePointer<UInt8>, count: Int, options: JSONParsingOptions) {
    reader = DocumentReader(start: start, count: count, options: options)
    duplicateNames = options.duplicateNames
    maximumDepth = options.maximumDepth
    seed = NameHash.seed
    cache = NameCache(documentBytes: count)
  }

  /// Parses all of `bytes` as one document.
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
    return try parser.document(allowsByteOrderMark: options.allowsByteOrderMark)
  }

  private mutating func document(allowsByteOrderMark: Bool) throws(ParseFailure) -> JSONValue {
    let reader = reader
    var cursor = reader.start
    if reader.end - cursor >= 3, cursor[0] == 0xEF, cursor[1] == 0xBB, cursor[2] == 0xBF {
      guard allowsByteOrderMark else { throw reader.failure(.byteOrderMark, cursor) }
      cursor += 3
    }
    reader.skipWhiteSpace(&cursor)
    guard cursor < reader.end else { throw reader.failure(.empty, cursor) }
    repeat {
      try value(&cursor, reader)
    } while try !closeAndAdvance(&cursor, reader)
    reader.skipWhiteSpace(&cursor)
    guard cursor == reader.end else { throw reader.failure(.trailingContent, cursor) }
    return values.pop()
  }

  /// Reads up to the first scalar or empty container, and opens those around it.
  private mutating func value(
    _ cursor: inout UnsafePointer<UInt8>, _ reader: DocumentReader
  ) throws(ParseFailure) {
    while true {
      guard cursor < reader.end else { throw reader.failure(.unexpectedEnd, cursor) }
      switch cursor.pointee {
      case UInt8(ascii: "\""):
        values.push(.string(try reader.string(&cursor)))
        return
      case UInt8(ascii: "{"):
        try checkDepth(cursor)
        cursor += 1
        reader.skipWhiteSpace(&cursor)
        if cursor < reader.end, cursor.pointee == UInt8(ascii: "}") {
          cursor += 1
          values.push(.object(JSONObject()))
          return
        }
        frames.push(Frame(isObject: true, values: values.count, names: names.count, lastName: cache.last))
        try name(&cursor, reader)
      case UInt8(ascii: "["):
        try checkDepth(cursor)
        cursor += 1
        reader.skipWhiteSpace(&cursor)
        if cursor < reader.end, cursor.pointee == UInt8(ascii: "]") {
          cursor += 1
          values.push(.array([]))
          return
        }
        frames.push(Frame(isObject: false, values: values.count, names: names.count, lastName: cache.last))
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        values.push(.number(try reader.number(&cursor)))
        return
      case UInt8(ascii: "t"):
        try reader.word("true", &cursor)
        values.push(.bool(true))
        return
      case UInt8(ascii: "f"):
        try reader.word("false", &cursor)
        values.push(.bool(false))
        return
      case UInt8(ascii: "n"):
        try reader.word("null", &cursor)
        values.push(.null)
        return
      default:
        throw reader.failure(expected: "a value", cursor)
      }
    }
  }

  /// Closes the containers that end after a value.
  ///
  /// - Returns: True at the end of the outermost container; false if another value follows.
  private mutating func closeAndAdvance(
    _ cursor: inout UnsafePointer<UInt8>, _ reader: DocumentReader
  ) throws(ParseFailure) -> Bool {
    while frames.count > 0 {
      let frame = frames.top
      reader.skipWhiteSpace(&cursor)
      guard cursor < reader.end else { throw reader.failure(.unexpectedEnd, cursor) }
      let byte = cursor.pointee
      if byte == UInt8(ascii: ",") {
        cursor += 1
        reader.skipWhiteSpace(&cursor)
        if frame.isObject { try name(&cursor, reader) }
        return false
      }
      if frame.isObject {
        guard byte == UInt8(ascii: "}") else {
          throw reader.failure(expected: "`,` or `}` after a member of an object", cursor)
        }
        let object = try closeObject(values: frame.values, names: frame.names)
        values.push(.object(object))
        cache.last = frame.lastName
      } else {
        guard byte == UInt8(ascii: "]") else {
          throw reader.failure(expected: "`,` or `]` after an element of an array", cursor)
        }
        let elements = [JSONValue](values.take(from: frame.values))
        values.push(.array(elements))
      }
      cursor += 1
      _ = frames.pop()
    }
    return true
  }

  /// Reads a member's name and the colon.
  private mutating func name(
    _ cursor: inout UnsafePointer<UInt8>, _ reader: DocumentReader
  ) throws(ParseFailure) {
    guard cursor < reader.end else { throw reader.failure(.unexpectedEnd, cursor) }
    guard cursor.pointee == UInt8(ascii: "\"") else {
      throw reader.failure(expected: "the name of a member in double quotes", cursor)
    }
    let nameStart = cursor
    let (text, hash) = try nameText(&cursor, reader)
    names.push(Name(text: text, start: nameStart))
    hashes.push(hash)
    reader.skipWhiteSpace(&cursor)
    guard cursor < reader.end else { throw reader.failure(.unexpectedEnd, cursor) }
    guard cursor.pointee == UInt8(ascii: ":") else {
      throw reader.failure(expected: "`:` after the name of a member", cursor)
    }
    cursor += 1
    reader.skipWhiteSpace(&cursor)
  }

  private func checkDepth(_ cursor: UnsafePointer<UInt8>) throws(ParseFailure) {
    guard frames.count < maximumDepth else { throw reader.failure(.tooDeep, cursor) }
  }

  private mutating func nameText(
    _ cursor: inout UnsafePointer<UInt8>, _ reader: DocumentReader
  ) throws(ParseFailure) -> (String, UInt32) {
    if let known = cache.expectedName(at: cursor + 1, end: reader.end, depth: frames.count) {
      cursor += known.pointee.count + 2
      return (known.pointee.name, known.pointee.hash)
    }
    let start = cursor
    let raw = try reader.rawString(&cursor)
    guard !raw.hasEscapes else {
      let text = try reader.text(of: raw)
      guard !text.isSlowToCompare else { throw reader.failure(.tooManyMarks, start) }
      return (text, NameHash.hash(text))
    }
    let hash = NameHash.hash(UnsafeRawPointer(raw.start), count: raw.count, seed: seed)
    if let known = cache.name(at: raw.start, count: raw.count, hash: hash, depth: frames.count) { return (known, hash) }
    let text = try reader.text(of: raw)
    guard raw.isASCII || !text.isSlowToCompare else { throw reader.failure(.tooManyMarks, start) }
    cache.insert(text, at: raw.start, count: raw.count, hash: hash, depth: frames.count)
    return (text, hash)
  }
}

extension DocumentParser {
  /// Creates an object from the names and values above the given stack positions.
  mutating func closeObject(values valueStart: Int, names nameStart: Int) throws(ParseFailure) -> JSONObject {
    let objectHashes = hashes.take(from: nameStart)
    let count = objectHashes.underestimatedCount
    // Usually all hashes differ, and comparing a few of them is cheap.
    let mayHaveDuplicates = count > NameIndex.scanLimit || Self.hasEqualHashes(objectHashes.position, count: count)
    let objectNames = names.take(from: nameStart)
    let starts = mayHaveDuplicates && duplicateNames == .refuse ? objectNames.starts : []
    let members = [JSONObject.Member](
      TakenMembers(names: objectNames, hashes: objectHashes, values: values.take(from: valueStart)))
    guard mayHaveDuplicates else { return JSONObject(members: members, index: NameIndex()) }
    var object = JSONObject(members: members, index: NameIndex(members))
    guard let repeated = object.firstRepeatedName else { return object }
    guard duplicateNames != .keepAll else {
      object.index.hasRepeatedNames = true
      return object
    }
    guard duplicateNames != .refuse else { throw reader.failure(.duplicateName, starts[repeated]) }
    var resolved = JSONObject()
    for member in members {
      if let known = resolved.position(of: member.name, hash: member.hash) {
        if duplicateNames == .keepLast { resolved.members[known].value = member.value }
      } else {
        resolved.append(member.name, member.value, hash: member.hash)
      }
    }
    return resolved
  }

  private static func hasEqualHashes(_ hashes: UnsafePointer<UInt32>, count: Int) -> Bool {
    var place = 1
    var equal: UInt32 = 0
    while place < count {
      let hash = hashes[place]
      for other in 0..<place { equal |= hashes[other] == hash ? 1 : 0 }
      place += 1
    }
    return equal != 0
  }
}

extension TakenElements where Element == DocumentParser.Name {
  /// The position of each name in the text.
  fileprivate var starts: [UnsafePointer<UInt8>] {
    (0..<underestimatedCount).map { position[$0].start }
  }
}

/// Combines names and values into members while they move into an object.
private struct TakenMembers: Sequence, IteratorProtocol {
  var names: TakenElements<DocumentParser.Name>
  var hashes: TakenElements<UInt32>
  var values: TakenElements<JSONValue>

  var underestimatedCount: Int { names.underestimatedCount }

  mutating func next() -> JSONObject.Member? {
    guard let name = names.next(), let hash = hashes.next(), let value = values.next() else { return nil }
    return JSONObject.Member(name: name.text, value: value, hash: hash)
  }
}
