import FoundationEssentials

/// Writes `bplist00`, each value as an object of its own.
struct BinaryPropertyListWriter {
  private var bytes = Array("bplist00".utf8)
  private var offsets: [Int] = []
  private var referenceSize = 1

  mutating func document(_ value: PropertyList) throws(PropertyListError) -> Data {
    let count = try Self.count(value, depth: 0)
    referenceSize = Self.size(count)
    let top = try write(value)
    let table = bytes.count
    let offsetSize = Self.size(table)
    for offset in offsets { append(UInt64(offset), offsetSize) }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    for number in [offsets.count, top, table] { append(UInt64(number), 8) }
    return Data(bytes)
  }

  /// Returns the number of objects that a value needs.
  private static func count(_ value: PropertyList, depth: Int) throws(PropertyListError) -> Int {
    guard depth <= 512 else { throw PropertyListError(.tooDeep, "containers are nested deeper than 512 levels") }
    var count = 1
    switch value {
    case .array(let elements):
      for element in elements { count += try Self.count(element, depth: depth + 1) }
    case .dictionary(let members):
      for member in members { count += 1 + (try Self.count(member.value, depth: depth + 1)) }
    default: break
    }
    return count
  }

  /// Returns the bytes that hold numbers up to the given one: 1, 2, 4 or 8.
  private static func size(_ number: Int) -> Int {
    number < 1 << 8 ? 1 : number < 1 << 16 ? 2 : number < 1 << 32 ? 4 : 8
  }

  private mutating func append(_ number: UInt64, _ size: Int) {
    for shift in stride(from: 8 * (size - 1), through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
    }
  }

  private mutating func begin() -> Int {
    offsets.append(bytes.count)
    return offsets.count - 1
  }

  private mutating func mark(_ kind: UInt8, _ count: Int) {
    guard count >= 15 else {
      bytes.append(kind << 4 | UInt8(count))
      return
    }
    let size = Self.size(count)
    bytes += [kind << 4 | 15, 0x10 | UInt8(size.trailingZeroBitCount)]
    append(UInt64(count), size)
  }

  /// Writes an object after its contents, and returns its number.
  private mutating func write(_ value: PropertyList) throws(PropertyListError) -> Int {
    switch value {
    case .array(let elements):
      var references: [Int] = []
      for (index, element) in elements.enumerated() { references.append(try write(element, in: "\(index)")) }
      return container(0xA, references.count, references)
    case .dictionary(let members):
      var names: [Int] = []
      var values: [Int] = []
      for member in members { names.append(try write(.string(member.name))) }
      for member in members { values.append(try write(member.value, in: member.name)) }
      return container(0xD, members.count, names + values)
    default: break
    }
    let number = begin()
    switch value {
    case .bool(let value): bytes.append(value ? 9 : 8)
    case .integer(let value): try append(value)
    case .real(let value):
      bytes.append(0x23)
      append(value.bitPattern, 8)
    case .date(let date):
      guard PropertyListDate.isSupported(date.timeIntervalSinceReferenceDate) else {
        throw PropertyListError(
          .unrepresentable, "a date is out of range; a binary property list holds dates within 2^53 seconds of 2001")
      }
      bytes.append(0x33)
      append(date.timeIntervalSinceReferenceDate.bitPattern, 8)
    case .data(let data):
      mark(4, data.count)
      bytes += data
    case .uid(let value):
      bytes.append(0x87)
      append(value, 8)
    case .string(let text) where text.utf8.allSatisfy({ $0 < 128 }):
      mark(5, text.utf8.count)
      bytes += text.utf8
    case .string(let text):
      mark(6, text.utf16.count)
      for unit in text.utf16 { append(UInt64(unit), 2) }
    case .array, .dictionary: break
    }
    return number
  }

  /// Writes a value of a container; an error says which.
  private mutating func write(
    _ value: PropertyList, in place: @autoclosure () -> String
  ) throws(PropertyListError) -> Int {
    do { return try write(value) } catch { throw error.inside(place()) }
  }

  private mutating func container(_ kind: UInt8, _ count: Int, _ references: [Int]) -> Int {
    let number = begin()
    mark(kind, count)
    for reference in references { append(UInt64(reference), referenceSize) }
    return number
  }

  private mutating func append(_ number: Int128) throws(PropertyListError) {
    if let small = UInt8(exactly: number) {
      bytes += [0x10, small]
    } else if let small = UInt16(exactly: number) {
      bytes.append(0x11)
      append(UInt64(small), 2)
    } else if let small = UInt32(exactly: number) {
      bytes.append(0x12)
      append(UInt64(small), 4)
    } else if let small = Int64(exactly: number) {
      bytes.append(0x13)
      append(UInt64(bitPattern: small), 8)
    } else if let large = UInt64(exactly: number) {
      bytes.append(0x14)
      append(0, 8)
      append(large, 8)
    } else {
      throw PropertyListError(
        .unrepresentable, "an integer is out of range; a property list holds Int64.min to UInt64.max")
    }
  }
}
