package import CurlewTestSupport

/// Ways to break the chunked coding (RFC 9112 §7.1).
package enum ChunkFault: String, Sendable, CaseIterable {
  /// A size of −5.
  case negativeSize
  /// A size of 16 hexadecimal digits, larger than any body.
  case hugeSize
  /// A size that overflows 64 bits and would wrap to 5.
  case overflowingSize
  /// A size that is not a number.
  case garbageSize
  /// An empty size line.
  case emptySize
  /// A size with the prefix 0x.
  case prefixedSize
  /// A chunk without the line break after its data.
  case missingLineBreak
  /// Other bytes instead of the line break after the data.
  case wrongLineBreak
  /// The connection closed inside a size line.
  case cutInSize
  /// The connection closed inside the data of a chunk.
  case cutInData
  /// The connection closed before the last chunk.
  case noLastChunk
  /// The connection closed before the empty line after the last chunk.
  case noFinalLine
  /// A chunk extension of 1 MB.
  case endlessExtension
  /// A trailer of 10 MB.
  case endlessTrailer

  /// The bytes after the head: one valid chunk with `hello`, then the fault.
  var steps: [OriginStep] {
    let good = OriginStep.chunk("hello")
    return switch self {
    case .negativeSize: [good, .body("-5\r\nhello\r\n0\r\n\r\n")]
    case .hugeSize: [good, .body("7fffffffffffffff\r\nhello"), .cut]
    case .overflowingSize: [good, .body("10000000000000005\r\nhello\r\n0\r\n\r\n")]
    case .garbageSize: [good, .body("xyz\r\nhello\r\n0\r\n\r\n")]
    case .emptySize: [good, .body("\r\nhello\r\n0\r\n\r\n")]
    case .prefixedSize: [good, .body("0x5\r\nhello\r\n0\r\n\r\n")]
    case .missingLineBreak: [good, .body("5\r\nhello0\r\n\r\n")]
    case .wrongLineBreak: [good, .body("5\r\nhelloXX0\r\n\r\n")]
    case .cutInSize: [good, .body("5"), .cut]
    case .cutInData: [good, .body("5\r\nhel"), .cut]
    case .noLastChunk: [good, .cut]
    case .noFinalLine: [good, .body("0\r\n"), .cut]
    case .endlessExtension:
      [good, .body("5;a="), .repeated("xxxxxxxxxxxxxxxx", times: 65_536), .body("\r\nhello\r\n0\r\n\r\n")]
    case .endlessTrailer: [good, .body("0\r\n"), .repeated("X-Trailer: 0123456789\r\n", times: 450_000), .body("\r\n")]
    }
  }
}

extension OriginReply {
  /// Returns a 200 whose chunked coding is broken after `hello`, then a close.
  package static func chunkFault(_ fault: ChunkFault) -> OriginReply {
    OriginReply([.head(200, ["Transfer-Encoding": "chunked"])] + fault.steps).closing()
  }
}
