import CurlewCore
public import FoundationEssentials

/// Reads data items from bytes in memory.
struct CBORReader {
  private let bytes: [UInt8]
  private let options: CBOROptions
  private var index = 0
  private var itemsLeft: Int
  /// How many more levels of keys may stand inside the current item.
  private var keyLevelsLeft = CBOROptions.deepestKeys

  init(_ bytes: Data, _ options: CBOROptions) {
    self.bytes = [UInt8](bytes)
    self.options = options
    itemsLeft = options.maximumItems
  }

  /// Reads the only item.
  mutating func document() throws(CBORError) -> CBORValue {
    guard !bytes.isEmpty else { throw CBORError(.empty, at: 0) }
    let value = try item(depthLeft: min(options.maximumDepth, CBOROptions.deepest))
    guard index == bytes.count else { throw CBORError(.trailingContent, at: index) }
    return value
  }

  /// Reads the items of a sequence (RFC 8742).
  mutating func sequence() throws(CBORError) -> [CBORValue] {
    var values: [CBORValue] = []
    while index < bytes.count { values.append(try item(depthLeft: min(options.maximumDepth, CBOROptions.deepest))) }
    return values
  }

  // MARK: Heads

  /// The initial byte and the argument behind it (RFC 8949 §3).
  private struct Head {
    let major: UInt8
    /// The low five bits of the initial byte.
    let info: UInt8
    let argument: UInt64
    let offset: Int

    /// Whether it is an item of indefinite length, or a break.
    var isIndefinite: Bool { info == 31 }
    var isBreak: Bool { major == 7 && isIndefinite }
  }

  private mutating func head() throws(CBORError) -> Head {
    let offset = index
    guard index < bytes.count else { throw CBORError(.unexpectedEnd, at: bytes.count) }
    let initial = bytes[index]
    index += 1
    let (major, info) = (initial >> 5, initial & 0x1F)
    switch info {
    case 0...23: return Head(major: major, info: info, argument: UInt64(info), offset: offset)
    case 24...27:
      let width = 1 << Int(info - 24)
      guard bytes.count - index >= width else { throw CBORError(.unexpectedEnd, at: bytes.count) }
      var argument: UInt64 = 0
      for byte in bytes[index..<index + width] { argument = argument << 8 | UInt64(byte) }
      index += width
      // In major type 7, the widths are those of numbers, and are checked there.
      if options.requiresDeterministicEncoding, major != 7, CBORWriter.info(of: argument) != info {
        throw CBORError(.notDeterministic, at: offset)
      }
      return Head(major: major, info: info, argument: argument, offset: offset)
    case 31 where (2...5).contains(major) || major == 7:
      if options.requiresDeterministicEncoding, major != 7 { throw CBORError(.notDeterministic, at: offset) }
      return Head(major: major, info: info, argument: 0, offset: offset)
    default: throw CBORError(.reservedInitialByte, at: offset)
    }
  }

  // MARK: Items

  private mutating func item(depthLeft: Int) throws(CBORError) -> CBORValue {
    let head = try head()
    guard !head.isBreak else { throw CBORError(.unexpectedBreak, at: head.offset) }
    return try item(head, depthLeft: depthLeft)
  }

  private mutating func item(_ head: Head, depthLeft: Int) throws(CBORError) -> CBORValue {
    itemsLeft -= 1
    guard itemsLeft >= 0 else { throw CBORError(.tooManyItems, at: head.offset) }
    if (4...6).contains(head.major), depthLeft <= 0 { throw CBORError(.tooDeep, at: head.offset) }
    switch head.major {
    case 0: return .unsigned(head.argument)
    case 1: return .negative(head.argument)
    case 2: return .bytes(Data(try string(head)))
    case 3: return .text(try text(head))
    case 4: return .array(try elements(head, depthLeft: depthLeft - 1))
    case 5: return .map(try entries(head, depthLeft: depthLeft - 1))
    case 6: return .tagged(head.argument, try item(depthLeft: depthLeft - 1))
    default: return try simple(head)
    }
  }

  /// Returns the next item of an array or map; nil for the break at its end.
  private mutating func itemOrBreak(depthLeft: Int) throws(CBORError) -> CBORValue? {
    let head = try head()
    if head.isBreak { return nil }
    return try item(head, depthLeft: depthLeft)
  }

  /// Returns the count that a head states, if as many items of one byte could follow.
  private func count(_ head: Head, itemsEach: UInt64) throws(CBORError) -> Int {
    guard head.argument <= UInt64(bytes.count - index) / itemsEach else {
      throw CBORError(.unexpectedEnd, at: bytes.count)
    }
    return Int(head.argument)
  }

  private mutating func elements(_ head: Head, depthLeft: Int) throws(CBORError) -> [CBORValue] {
    var elements: [CBORValue] = []
    guard !head.isIndefinite else {
      while let element = try itemOrBreak(depthLeft: depthLeft) { elements.append(element) }
      return elements
    }
    let count = try count(head, itemsEach: 1)
    // What is stated may never come, so only a little is reserved.
    elements.reserveCapacity(min(count, 1024))
    for _ in 0..<count { elements.append(try item(depthLeft: depthLeft)) }
    return elements
  }

  private mutating func entries(_ head: Head, depthLeft: Int) throws(CBORError) -> [CBORValue.Entry] {
    var entries: [CBORValue.Entry] = []
    var keys = Set<CBORValue>()
    var lastKey: ArraySlice<UInt8>?
    var left = head.isIndefinite ? Int.max : try count(head, itemsEach: 2)
    while left > 0 {
      let start = index
      guard let key = try key(head, depthLeft: depthLeft) else { break }
      if case .text(let name) = key, name.isSlowToCompare { throw CBORError(.tooManyMarks, at: start) }
      guard keys.insert(key).inserted else { throw CBORError(.duplicateKey, at: start) }
      let encoded = bytes[start..<index]
      if options.requiresDeterministicEncoding, let lastKey, !lastKey.lexicographicallyPrecedes(encoded) {
        throw CBORError(.notDeterministic, at: start)
      }
      lastKey = encoded
      entries.append(CBORValue.Entry(key, try item(depthLeft: depthLeft)))
      left -= 1
    }
    return entries
  }

  /// Returns the next key of a map; nil for the break at its end.
  private mutating func key(_ map: Head, depthLeft: Int) throws(CBORError) -> CBORValue? {
    guard keyLevelsLeft > 0 else { throw CBORError(.tooDeep, at: map.offset) }
    keyLevelsLeft -= 1
    defer { keyLevelsLeft += 1 }
    return map.isIndefinite ? try itemOrBreak(depthLeft: depthLeft) : try item(depthLeft: depthLeft)
  }

  // MARK: Strings

  private mutating func string(_ head: Head) throws(CBORError) -> [UInt8] {
    guard head.isIndefinite else { return [UInt8](try piece(head, sizeLeft: options.maximumStringBytes)) }
    var string: [UInt8] = []
    while let chunk = try chunk(of: head, sizeLeft: options.maximumStringBytes - string.count) { string += chunk.bytes }
    return string
  }

  private mutating func text(_ head: Head) throws(CBORError) -> String {
    guard head.isIndefinite else {
      return try Self.text(try piece(head, sizeLeft: options.maximumStringBytes), at: head.offset)
    }
    var text = ""
    // Each chunk must be valid by itself (RFC 8949 §3.2.3).
    while let chunk = try chunk(of: head, sizeLeft: options.maximumStringBytes - text.utf8.count) {
      text += try Self.text(chunk.bytes, at: chunk.offset)
    }
    return text
  }

  private static func text(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(CBORError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw CBORError(.invalidUTF8, at: offset) }
    return text
  }

  private mutating func chunk(
    of string: Head, sizeLeft: Int
  ) throws(CBORError) -> (bytes: ArraySlice<UInt8>, offset: Int)? {
    let head = try head()
    if head.isBreak { return nil }
    guard head.major == string.major, !head.isIndefinite else { throw CBORError(.invalidChunk, at: head.offset) }
    itemsLeft -= 1
    guard itemsLeft >= 0 else { throw CBORError(.tooManyItems, at: head.offset) }
    return (try piece(head, sizeLeft: sizeLeft), head.offset)
  }

  private mutating func piece(_ head: Head, sizeLeft: Int) throws(CBORError) -> ArraySlice<UInt8> {
    guard head.argument <= UInt64(max(sizeLeft, 0)) else { throw CBORError(.stringTooLong, at: head.offset) }
    let length = try count(head, itemsEach: 1)
    defer { index += length }
    return bytes[index..<index + length]
  }

  // MARK: Simple values

  private func simple(_ head: Head) throws(CBORError) -> CBORValue {
    let number: Double
    switch head.info {
    case 20: return .bool(false)
    case 21: return .bool(true)
    case 22: return .null
    case 23: return .undefined
    case 0...19: return .simple(head.info)
    case 24:
      guard head.argument >= 32 else { throw CBORError(.invalidSimpleValue, at: head.offset) }
      return .simple(UInt8(head.argument))
    case 25: number = Double(Float16(bitPattern: UInt16(head.argument)))
    case 26: number = Double(Float(bitPattern: UInt32(head.argument)))
    default: number = Double(bitPattern: head.argument)
    }
    if options.requiresDeterministicEncoding, !CBORWriter.float(number).elementsEqual(bytes[head.offset..<index]) {
      throw CBORError(.notDeterministic, at: head.offset)
    }
    return .float(number)
  }
}

extension CBORValue {
  /// Reads one data item.
  ///
  /// - Throws: ``CBORError`` with the offset.
  public init(parsing bytes: Data, options: CBOROptions = CBOROptions()) throws(CBORError) {
    var reader = CBORReader(bytes, options)
    self = try reader.document()
  }

  /// Reads the items of a sequence (RFC 8742); no bytes are an empty one.
  ///
  /// - Throws: ``CBORError`` with the offset.
  public static func sequence(
    parsing bytes: Data, options: CBOROptions = CBOROptions()
  ) throws(CBORError) -> [CBORValue] {
    var reader = CBORReader(bytes, options)
    return try reader.sequence()
  }
}
