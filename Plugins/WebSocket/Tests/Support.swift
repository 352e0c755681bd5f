import FoundationEssentials

@testable import CurlewWebSocket

/// Writes the frames of a peer, byte by byte, right or wrong.
struct RawFrame {
  var first: UInt8
  var payload: [UInt8]
  var mask: [UInt8]?
  /// The length as written; nil writes the shortest form.
  var lengthBytes: [UInt8]?

  init(
    _ opcode: UInt8, _ payload: [UInt8] = [], fin: Bool = true, rsv: UInt8 = 0, mask: [UInt8]? = nil,
    lengthBytes: [UInt8]? = nil
  ) {
    first = (fin ? 0x80 : 0) | rsv << 4 | opcode
    self.payload = payload
    self.mask = mask
    self.lengthBytes = lengthBytes
  }

  var bytes: [UInt8] {
    var bytes = [first]
    var length = lengthBytes ?? Self.length(payload.count)
    if mask != nil { length[0] |= 0x80 }
    bytes += length
    guard let mask else { return bytes + payload }
    return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
  }

  private static func length(_ count: Int) -> [UInt8] {
    if count <= 125 { return [UInt8(count)] }
    if count <= 65_535 { return [126, UInt8(count >> 8), UInt8(count & 255)] }
    return [127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
  }
}

/// What a reader made of bytes.
struct Reading: Equatable {
  var events: [MessageReader.Event] = []
  var violation: WebSocketViolation?

  /// Reads bytes in pieces that end at the given places.
  init(
    _ bytes: [UInt8], cutAt places: [Int] = [], role: WebSocketRole = .client,
    limits: WebSocketLimits = WebSocketLimits(), compression: DeflateParameters? = nil
  ) throws {
    var reader = try MessageReader(role, limits, compression)
    var start = 0
    do throws(WebSocketViolation) {
      for end in places + [bytes.count] {
        try Array(bytes[start..<end]).withRawBytes { (piece) throws(WebSocketViolation) in
          try reader.read(piece, into: &events)
        }
        start = end
      }
    } catch {
      violation = error
    }
  }
}

/// A generator whose numbers are the same in each run (splitmix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

extension [UInt8] {
  init(_ text: String) { self = Array(text.utf8) }
}
