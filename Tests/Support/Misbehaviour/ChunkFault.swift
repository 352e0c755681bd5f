package import CurlewTestSupport

/// Ways to break the chunked coding (RFC 9112 §7.1).
package enum ChunkFault: String, Sendable, CaseIterable {
  /// A size of −5.
  case negativeSize
  /// A size of 16 hexadecimal digits, more than any body will have.
  case hugeSize
  /// A size that no 64-bit number holds and that wraps to 5.
  case overflowingSize
  /// A size that is no number.
  case garbageSize
  /// An empty size line.
  case emptySize
  /// A size with 0x before it.
  case prefixedSize
  /// A line break missing after the chunk's data.
  case missingLineBreak
  /// Other bytes in the place of the line break after the data.
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

  /// What is sent behind a head that promises the chunked coding: one good chunk with `hello`, then the fault.
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
  /// 200 in a chunked coding that is broken after `hello`, and the connection closed.
  package static func chunkFault(_ fault: ChunkFault) -> OriginReply {
    OriginReply([.head(200, ["Transfer-Encoding": "chunked"])] + fault.steps).closing()
  }
}
