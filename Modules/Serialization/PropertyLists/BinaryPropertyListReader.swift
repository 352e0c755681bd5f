import FoundationEssentials

/// Reads `bplist00`, whose objects refer to each other by number.
///
/// References may be circular or expand exponentially; limits on the depth and the number of values stop both.
struct BinaryPropertyListReader {
  private let bytes: [UInt8]
  private let limits: PropertyList.Limits
  private var offsetSize = 0
  private var referenceSize = 0
  private var count = 0
  private var table = 0
  private var made = 0
  private var madeBytes = 0
  /// The most bytes of texts and data, counted for each reference.
  private let mostBytes: Int
  /// The longer texts by the numbers of their objects, so that references to one share its memory.
  private var texts: [Int: String] = [:]

  /// The shortest text that has memory of its own.
  private static let longText = 16

  init(_ bytes: [UInt8], _ limits: PropertyList.Limits) {
    self.bytes = bytes
    self.limits = limits
    let (expanded, overflow) = bytes.count.multipliedReportingOverflow(by: PropertyList.Limits.expansion)
    mostBytes = overflow ? limits.bytes : min(limits.bytes, max(expanded, PropertyList.Limits.leastExpansion))
  }

  mutating func read() throws(PropertyListError) -> PropertyList {
    let trailer = bytes.count - 32
    guard trailer >= 8, bytes[6] == UInt8(ascii: "0") else { throw error(.truncated, bytes.count) }
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else {
      throw error(.malformed, trailer + 6, "the trailer must declare offsets and references of 1 to 8 bytes")
    }
    count = try integer(trailer + 8, 8)
    let top = try integer(trailer + 16, 8)
    table = try integer(trailer + 24, 8)
    guard table >= 8, table <= trailer, count >= 1, count <= (trailer - table) / offsetSize else {
      throw error(.malformed, trailer + 8, "the offset table exceeds the file")
    }
    return try object(top, depth: 0)
  }

  private mutating func object(_ number: Int, depth: Int) throws(PropertyListError) -> PropertyList {
    guard number < count else { throw error(.malformed, table, "a reference names an object that does not exist") }
    let start = try integer(table + number * offsetSize, offsetSize)
    guard start >= 8, start < table else {
      throw error(.malformed, table + number * offsetSize, "the offset of an object is outside of the objects")
    }
    made += 1
    guard made <= limits.values else {
      throw error(.tooLarge, start, "the list has more than \(limits.values) values")
    }
    let marker = bytes[start]
    let low = Int(marker & 15)
    switch marker >> 4 {
    case 0:
      guard marker == 8 || marker == 9 else { throw error(.malformed, start, Self.unknown) }
      return .bool(marker == 9)
    case 1: return .integer(try wholeNumber(start, low))
    case 2: return .real(try real(start, low))
    case 3:
      guard low == 3 else { throw error(.malformed, start, "a date is not 8 bytes long") }
      let seconds = try real(start, 3)
      guard PropertyListDate.isSupported(seconds) else {
        throw error(.malformed, start, "a date is NaN or more than 2^53 seconds from 2001")
      }
      return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case 4: return .data(Data(try content(start, 1)))
    case 5:
      let run = try content(start, 1)
      guard run.allSatisfy({ $0 < 128 }) else {
        throw error(.malformed, start, "an ASCII string contains bytes above 127")
      }
      return .string(shared(number) { String(decoding: run, as: UTF8.self) })
    case 6:
      let text = try wideText(start)
      return .string(shared(number) { text })
    case 8:
      guard low < 8 else { throw error(.malformed, start, "a reference of a keyed archive is longer than 8 bytes") }
      try check(start + 1, low + 1)
      return .uid(bytes[(start + 1)..<(start + 2 + low)].reduce(0) { $0 << 8 | UInt64($1) })
    case 0xA, 0xC: return .array(try elements(start, depth))
    case 0xD: return .dictionary(try members(start, depth))
    default: throw error(.malformed, start, Self.unknown)
    }
  }

  private mutating func shared(_ number: Int, _ make: () -> String) -> String {
    if let known = texts[number] { return known }
    let text = make()
    if text.utf8.count >= Self.longText { texts[number] = text }
    return text
  }

  private mutating func elements(_ start: Int, _ depth: Int) throws(PropertyListError) -> [PropertyList] {
    guard depth < limits.depth else { throw error(.tooDeep, start, tooDeep) }
    let references = try run(start, referenceSize).startIndex
    let count = try length(start).count
    var elements: [PropertyList] = []
    for index in 0..<count {
      elements.append(try object(try integer(references + index * referenceSize, referenceSize), depth: depth + 1))
    }
    return elements
  }

  private mutating func members(_ start: Int, _ depth: Int) throws(PropertyListError) -> [PropertyList.Member] {
    guard depth < limits.depth else { throw error(.tooDeep, start, tooDeep) }
    let names = try run(start, 2 * referenceSize).startIndex
    let count = try length(start).count
    let values = names + count * referenceSize
    var members: [PropertyList.Member] = []
    for index in 0..<count {
      let name = try object(try integer(names + index * referenceSize, referenceSize), depth: depth + 1)
      guard case .string(let name) = name else {
        throw error(.malformed, start, "the key of a dictionary is not a string")
      }
      let value = try object(try integer(values + index * referenceSize, referenceSize), depth: depth + 1)
      members.append(PropertyList.Member(name, value))
    }
    return members
  }

  /// Returns an object's item count and the offset of the first item.
  private func length(_ start: Int) throws(PropertyListError) -> (count: Int, first: Int) {
    let low = Int(bytes[start] & 15)
    guard low == 15 else { return (low, start + 1) }
    try check(start + 1, 1)
    let marker = bytes[start + 1]
    guard marker >> 4 == 1, marker & 15 <= 3 else {
      throw error(.malformed, start + 1, "expected an integer with a length")
    }
    let size = 1 << Int(marker & 15)
    return (try integer(start + 2, size), start + 2 + size)
  }

  /// Returns an object's bytes, which must end before the offset table.
  private func run(_ start: Int, _ size: Int) throws(PropertyListError) -> ArraySlice<UInt8> {
    let (count, first) = try length(start)
    guard first <= table, count <= (table - first) / size else { throw error(.truncated, start) }
    return bytes[first..<(first + count * size)]
  }

  /// Returns an object's bytes and counts them towards the limit.
  ///
  /// They count for each reference, because a small file can refer to one large text many times.
  private mutating func content(_ start: Int, _ size: Int) throws(PropertyListError) -> ArraySlice<UInt8> {
    let run = try run(start, size)
    madeBytes += run.count
    guard madeBytes <= mostBytes else {
      throw error(.tooLarge, start, "strings and data add up to more than \(mostBytes) bytes")
    }
    return run
  }

  private mutating func wideText(_ start: Int) throws(PropertyListError) -> String {
    let run = try content(start, 2)
    let units = stride(from: run.startIndex, to: run.endIndex, by: 2).map { UInt16(run[$0]) << 8 | UInt16(run[$0 + 1]) }
    guard let text = String(validating: units, as: UTF16.self) else {
      throw error(.malformed, start, "a string is not well-formed UTF-16")
    }
    return text
  }

  private func wholeNumber(_ start: Int, _ low: Int) throws(PropertyListError) -> Int128 {
    guard low <= 4 else { throw error(.malformed, start, "an integer is longer than 16 bytes") }
    let size = 1 << low
    try check(start + 1, size)
    // Shorter integers are unsigned; those of eight and sixteen bytes are signed.
    let negative = size >= 8 && bytes[start + 1] >= 128
    let value = bytes[(start + 1)...].prefix(size).reduce(negative ? Int128(-1) : 0) { $0 << 8 | Int128($1) }
    guard value >= Int128(Int64.min), value <= Int128(UInt64.max) else {
      throw error(.malformed, start, "an integer is outside Int64.min to UInt64.max")
    }
    return value
  }

  private func real(_ start: Int, _ low: Int) throws(PropertyListError) -> Double {
    guard low == 2 || low == 3 else { throw error(.malformed, start, "a real number is not 4 or 8 bytes long") }
    try check(start + 1, 1 << low)
    let bits = bytes[(start + 1)...].prefix(1 << low).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return low == 3 ? Double(bitPattern: bits) : Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
  }

  private func check(_ start: Int, _ size: Int) throws(PropertyListError) {
    guard start <= table, size <= table - start else { throw error(.truncated, start) }
  }

  /// Returns a big-endian number of one to eight bytes; throws if it is too large.
  private func integer(_ start: Int, _ size: Int) throws(PropertyListError) -> Int {
    guard start >= 0, start <= bytes.count, size <= bytes.count - start else { throw error(.truncated, bytes.count) }
    let value = bytes[start..<(start + size)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard value <= UInt64(Int32.max) else {
      throw error(.malformed, start, "an offset or a length is larger than 2^31 - 1")
    }
    return Int(value)
  }

  private static let unknown = "expected the marker byte of an object, found an unknown one"

  private var tooDeep: String { "containers are nested deeper than \(limits.depth) levels" }

  private func error(
    _ kind: PropertyListError.Kind, _ offset: Int, _ reason: String? = nil
  ) -> PropertyListError {
    PropertyListError(kind, at: offset, reason)
  }
}
