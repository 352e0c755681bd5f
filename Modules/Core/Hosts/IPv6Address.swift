/// An IPv6 address.
///
/// It is read as in the URL Standard's "IPv6 parser" and written as in RFC 5952.
struct IPv6Address {
  private let pieces: [UInt16]

  /// Reads an address in brackets.
  init(bracketed bytes: [UInt8]) throws(HostNameError) {
    guard bytes.count > 2, bytes.last == UInt8(ascii: "]") else { throw HostNameError(.invalidIPv6Address) }
    let address = bytes[1..<(bytes.count - 1)]
    let zone = address.firstIndex(of: UInt8(ascii: "%"))
    guard let pieces = Self.pieces(Array(address[..<(zone ?? address.endIndex)])) else {
      throw HostNameError(.invalidIPv6Address)
    }
    guard zone == nil else { throw HostNameError(.zoneIdentifier) }
    self.pieces = pieces
  }

  private static func pieces(_ bytes: [UInt8]) -> [UInt16]? {
    var pieces: [UInt16] = []
    var gap: Int?
    var place = 0
    if bytes.first == UInt8(ascii: ":") {
      guard bytes.count > 1, bytes[1] == UInt8(ascii: ":") else { return nil }
      gap = 0
      place = 2
    }
    while place < bytes.count {
      guard pieces.count < 8 else { return nil }
      if bytes[place] == UInt8(ascii: ":") {
        guard gap == nil else { return nil }
        gap = pieces.count
        place += 1
        continue
      }
      let start = place
      var value: UInt16 = 0
      while place < bytes.count, place - start < 4, let digit = FieldSyntax.hexValue(bytes[place]) {
        value = value << 4 | UInt16(digit)
        place += 1
      }
      if place < bytes.count, bytes[place] == UInt8(ascii: ".") {
        guard let pair = dottedDecimal(bytes[start...]) else { return nil }
        pieces += pair
        place = bytes.count
        break
      }
      guard place > start else { return nil }
      pieces.append(value)
      guard place < bytes.count else { break }
      guard bytes[place] == UInt8(ascii: ":"), place + 1 < bytes.count else { return nil }
      place += 1
    }
    guard pieces.count <= 8, gap != nil ? pieces.count < 8 : pieces.count == 8 else { return nil }
    if let gap {
      pieces.insert(contentsOf: repeatElement(0, count: 8 - pieces.count), at: gap)
    }
    return pieces
  }

  /// Reads the last 32 bits in dotted decimal, without leading zeros.
  private static func dottedDecimal(_ bytes: ArraySlice<UInt8>) -> [UInt16]? {
    let numbers = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard numbers.count == 4 else { return nil }
    var octets: [UInt16] = []
    for number in numbers {
      guard (1...3).contains(number.count), number.count == 1 || number.first != UInt8(ascii: "0") else { return nil }
      var value: UInt16 = 0
      for byte in number {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        value = value * 10 + UInt16(byte - UInt8(ascii: "0"))
      }
      guard value <= 255 else { return nil }
      octets.append(value)
    }
    return [octets[0] << 8 | octets[1], octets[2] << 8 | octets[3]]
  }

  /// The text in the form of RFC 5952.
  ///
  /// It omits the longest run of two or more zeros, or the first of equal runs (§4). An IPv4-mapped address ends in dotted
  /// decimal (§5).
  var text: String {
    if pieces[..<5].allSatisfy({ $0 == 0 }), pieces[5] == 0xFFFF {
      let octets = pieces[6...].flatMap { [$0 >> 8, $0 & 0xFF] }
      return "::ffff:" + octets.map { String($0) }.joined(separator: ".")
    }
    var longest = 0..<0
    var place = 0
    while place < pieces.count {
      let run = pieces[place...].prefix { $0 == 0 }
      if run.count > max(1, longest.count) { longest = place..<(place + run.count) }
      place += max(1, run.count)
    }
    let hex = pieces.map { String($0, radix: 16) }
    guard !longest.isEmpty else { return hex.joined(separator: ":") }
    return hex[..<longest.lowerBound].joined(separator: ":") + "::" + hex[longest.upperBound...].joined(separator: ":")
  }
}
