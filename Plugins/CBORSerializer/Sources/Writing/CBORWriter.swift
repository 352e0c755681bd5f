public import FoundationEssentials

/// How values are written.
public enum CBORFormat: Sendable, Hashable {
  /// The shortest form of each item (RFC 8949 §4.1); the entries of maps keep their order.
  case preferred
  /// The core deterministic encoding (RFC 8949 §4.2.1): also with the entries of maps sorted by the bytes of their keys.
  ///
  /// Equal values have equal bytes, also from other programs.
  case deterministic
}

/// Writes values as bytes.
struct CBORWriter {
  private(set) var bytes: [UInt8] = []
  private let format: CBORFormat
  /// How many more levels of keys may stand inside the current item.
  private var keyLevelsLeft = CBOROptions.deepestKeys

  init(_ format: CBORFormat) { self.format = format }

  /// - Throws: ``CBORError`` of kind `tooDeep`, or `duplicateKey` for a map; the offset is that in the bytes written so far.
  mutating func write(_ value: CBORValue, depthLeft: Int = CBOROptions.deepest) throws(CBORError) {
    switch value {
    case .unsigned(let number): head(0, number)
    case .negative(let number): head(1, number)
    case .bytes(let data):
      head(2, UInt64(data.count))
      bytes += data
    case .text(let text):
      head(3, UInt64(text.utf8.count))
      bytes += text.utf8
    case .array(let elements):
      let left = try enter(depthLeft)
      head(4, UInt64(elements.count))
      for element in elements { try write(element, depthLeft: left) }
    case .map(let entries): try write(entries, depthLeft: try enter(depthLeft))
    case .tagged(let tag, let value):
      let left = try enter(depthLeft)
      head(6, tag)
      try write(value, depthLeft: left)
    case .bool(let value): bytes.append(value ? 0xF5 : 0xF4)
    case .null: bytes.append(0xF6)
    case .undefined: bytes.append(0xF7)
    case .simple(let number):
      // 20 to 23 have cases of their own, and 24 to 31 do not exist (§3.3).
      guard !(20...31).contains(number) else { throw CBORError(.invalidSimpleValue, at: bytes.count) }
      head(7, UInt64(number))
    case .float(let number): bytes += Self.float(number)
    }
  }

  private func enter(_ depthLeft: Int) throws(CBORError) -> Int {
    guard depthLeft > 0 else { throw CBORError(.tooDeep, at: bytes.count) }
    return depthLeft - 1
  }

  private mutating func write(_ entries: [CBORValue.Entry], depthLeft: Int) throws(CBORError) {
    guard entries.isEmpty || keyLevelsLeft > 0 else { throw CBORError(.tooDeep, at: bytes.count) }
    guard Set(entries.map(\.key)).count == entries.count else { throw CBORError(.duplicateKey, at: bytes.count) }
    head(5, UInt64(entries.count))
    guard format == .deterministic else {
      for entry in entries {
        keyLevelsLeft -= 1
        try write(entry.key, depthLeft: depthLeft)
        keyLevelsLeft += 1
        try write(entry.value, depthLeft: depthLeft)
      }
      return
    }
    var keyed: [(key: [UInt8], value: CBORValue)] = []
    for entry in entries {
      var writer = CBORWriter(format)
      writer.keyLevelsLeft = keyLevelsLeft - 1
      try writer.write(entry.key, depthLeft: depthLeft)
      keyed.append((writer.bytes, entry.value))
    }
    keyed.sort { $0.key.lexicographicallyPrecedes($1.key) }
    for (key, value) in keyed {
      bytes += key
      try write(value, depthLeft: depthLeft)
    }
  }

  private mutating func head(_ major: UInt8, _ argument: UInt64) {
    let info = Self.info(of: argument)
    bytes.append(major << 5 | info)
    guard info >= 24 else { return }
    let width = 1 << Int(info - 24)
    for shift in stride(from: (width - 1) * 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: argument >> shift))
    }
  }

  /// Returns the low bits of an initial byte for the shortest form of an argument.
  static func info(of argument: UInt64) -> UInt8 {
    switch argument {
    case 0..<24: UInt8(argument)
    case 0...0xFF: 24
    case 0...0xFFFF: 25
    case 0...0xFFFF_FFFF: 26
    default: 27
    }
  }

  /// Returns the shortest form of a number that keeps its value; NaN without a payload.
  static func float(_ number: Double) -> [UInt8] {
    if number.isNaN { return [0xF9, 0x7E, 0x00] }
    if Double(Float16(number)) == number { return [0xF9] + bigEndian(Float16(number).bitPattern) }
    if Double(Float(number)) == number { return [0xFA] + bigEndian(Float(number).bitPattern) }
    return [0xFB] + bigEndian(number.bitPattern)
  }

  private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    stride(from: number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}

extension CBORValue {
  /// Returns the value as bytes.
  ///
  /// - Throws: ``CBORError`` of kind `tooDeep` beyond 512 levels, or 8 levels of keys inside keys, `duplicateKey` for a map with the same key twice, and
  ///   `invalidSimpleValue` for the simple values 20 to 31.
  public func data(_ format: CBORFormat = .preferred) throws(CBORError) -> Data {
    var writer = CBORWriter(format)
    try writer.write(self)
    return Data(writer.bytes)
  }
}
