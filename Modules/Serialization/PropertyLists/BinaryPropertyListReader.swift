import FoundationEssentials

/// Reads `bplist00`: objects found by offset, referring to each other by number.
///
/// References may form a circle or a tree whose expansion is exponential; limits on depth and on the values made end both.
struct BinaryPropertyListReader {
  private let bytes: [UInt8]
  private let limits: PropertyList.Limits
  private var offsetSize = 0
  private var referenceSize = 0
  private var count = 0
  private var table = 0
  private var made = 0
  private var madeBytes = 0

  init(_ bytes: [UInt8], _ limits: PropertyList.Limits) {
    self.bytes = bytes
    self.limits = limits
  }

  mutating func read() throws(PropertyListError) -> PropertyList {
    let trailer = bytes.count - 32
    guard trailer >= 8, bytes[6] == UInt8(ascii: "0") else { throw error(.truncated, bytes.count) }
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else { throw error(.malformed, trailer + 6) }
    count = try integer(trailer + 8, 8)
    let top = try integer(trailer + 16, 8)
    table = try integer(trailer + 24, 8)
    guard table >= 8, table <= trailer, count >= 1, count <= (trailer - table) / offsetSize else {
      throw error(.malformed, trailer + 8)
    }
    return try object(top, depth: 0)
  }

  private mutating func object(_ number: Int, depth: Int) throws(PropertyListError) -> PropertyList {
    guard number < count else { throw error(.malformed, table) }
    let start = try integer(table + number * offsetSize, offsetSize)
    guard start >= 8, start < table else { throw error(.malformed, table + number * offsetSize) }
    made += 1
    guard made <= limits.values else { throw error(.tooLarge, start) }
    let marker = bytes[start]
    let low = Int(marker & 15)
    switch marker >> 4 {
    case 0:
      guard marker == 8 || marker == 9 else { throw error(.malformed, start) }
      return .bool(marker == 9)
    case 1: return .integer(try wholeNumber(start, low))
    case 2: return .real(try real(start, low))
    case 3:
      guard low == 3 else { throw error(.malformed, start) }
      return .date(Date(timeIntervalSinceReferenceDate: try real(start, 3)))
    case 4: return .data(Data(try content(start, 1)))
    case 5:
      let run = try content(start, 1)
      guard run.allSatisfy({ $0 < 128 }) else { throw error(.malformed, start) }
      return .string(String(decoding: run, as: UTF8.self))
    case 6: return .string(try wideText(start))
    case 8:
      guard low < 8 else { throw error(.malformed, start) }
      try check(start + 1, low + 1)
      return .uid(bytes[(start + 1)..<(start + 2 + low)].reduce(0) { $0 << 8 | UInt64($1) })
    case 0xA, 0xC: return .array(try elements(start, depth))
    case 0xD: return .dictionary(try members(start, depth))
    default: throw error(.malformed, start)
    }
  }

  private mutating func elements(_ start: Int, _ depth: Int) throws(PropertyListError) -> [PropertyList] {
    guard depth < limits.depth else { throw error(.tooDeep, start) }
    let references = try run(start, referenceSize).startIndex
    let count = try length(start).count
    var elements: [PropertyList] = []
    for index in 0..<count {
      elements.append(try object(try integer(references + index * referenceSize, referenceSize), depth: depth + 1))
    }
    return elements
  }

  private mutating func members(_ start: Int, _ depth: Int) throws(PropertyListError) -> [PropertyList.Member] {
    guard depth < limits.depth else { throw error(.tooDeep, start) }
    let names = try run(start, 2 * referenceSize).startIndex
    let count = try length(start).count
    let values = names + count * referenceSize
    var members: [PropertyList.Member] = []
    for index in 0..<count {
      let name = try object(try integer(names + index * referenceSize, referenceSize), depth: depth + 1)
      guard case .string(let name) = name else { throw error(.malformed, start) }
      let value = try object(try integer(values + index * referenceSize, referenceSize), depth: depth + 1)
      members.append(PropertyList.Member(name, value))
    }
    return members
  }

  /// How many items an object has, and where they begin.
  private func length(_ start: Int) throws(PropertyListError) -> (count: Int, first: Int) {
    let low = Int(bytes[start] & 15)
    guard low == 15 else { return (low, start + 1) }
    try check(start + 1, 1)
    let marker = bytes[start + 1]
    guard marker >> 4 == 1, marker & 15 <= 3 else { throw error(.malformed, start + 1) }
    let size = 1 << Int(marker & 15)
    return (try integer(start + 2, size), start + 2 + size)
  }

  /// An object's items, all of them before the offset table.
  private func run(_ start: Int, _ size: Int) throws(PropertyListError) -> ArraySlice<UInt8> {
    let (count, first) = try length(start)
    guard first <= table, count <= (table - first) / size else { throw error(.truncated, start) }
    return bytes[first..<(first + count * size)]
  }

  /// An object's items, counted: many references to one large text must not make more than is allowed.
  private mutating func content(_ start: Int, _ size: Int) throws(PropertyListError) -> ArraySlice<UInt8> {
    let run = try run(start, size)
    madeBytes += run.count
    guard madeBytes <= limits.bytes else { throw error(.tooLarge, start) }
    return run
  }

  private mutating func wideText(_ start: Int) throws(PropertyListError) -> String {
    let run = try content(start, 2)
    let units = stride(from: run.startIndex, to: run.endIndex, by: 2).map { UInt16(run[$0]) << 8 | UInt16(run[$0 + 1]) }
    guard let text = String(validating: units, as: UTF16.self) else { throw error(.malformed, start) }
    return text
  }

  private func wholeNumber(_ start: Int, _ low: Int) throws(PropertyListError) -> Int128 {
    guard low <= 4 else { throw error(.malformed, start) }
    let size = 1 << low
    try check(start + 1, size)
    // Shorter ones are unsigned; eight and sixteen bytes are signed.
    let negative = size >= 8 && bytes[start + 1] >= 128
    let value = bytes[(start + 1)...].prefix(size).reduce(negative ? Int128(-1) : 0) { $0 << 8 | Int128($1) }
    guard value >= Int128(Int64.min), value <= Int128(UInt64.max) else { throw error(.malformed, start) }
    return value
  }

  private func real(_ start: Int, _ low: Int) throws(PropertyListError) -> Double {
    guard low == 2 || low == 3 else { throw error(.malformed, start) }
    try check(start + 1, 1 << low)
    let bits = bytes[(start + 1)...].prefix(1 << low).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return low == 3 ? Double(bitPattern: bits) : Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
  }

  private func check(_ start: Int, _ size: Int) throws(PropertyListError) {
    guard start <= table, size <= table - start else { throw error(.truncated, start) }
  }

  /// A big-endian number of one to eight bytes; those too large for anything here are refused.
  private func integer(_ start: Int, _ size: Int) throws(PropertyListError) -> Int {
    guard start >= 0, start <= bytes.count, size <= bytes.count - start else { throw error(.truncated, bytes.count) }
    let value = bytes[start..<(start + size)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard value <= UInt64(Int32.max) else { throw error(.malformed, start) }
    return Int(value)
  }

  private func error(_ kind: PropertyListError.Kind, _ offset: Int) -> PropertyListError {
    PropertyListError(kind, at: offset)
  }
}
