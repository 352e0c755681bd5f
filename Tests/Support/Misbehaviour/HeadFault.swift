package import CurlewTestSupport

/// Ways to write a head that is unusual, broken or too large (RFC 9112 §4, §5).
package enum HeadFault: String, Sendable, CaseIterable {
  /// Status 200 without a phrase, but with the required space before it.
  case noReasonPhrase
  /// Status 200 without phrase and space, which many clients accept.
  case noReasonSpace
  /// A field folded over two lines (obs-fold).
  case foldedField
  /// Lines that end with LF alone.
  case bareLineFeeds
  /// A field of 200,000 bytes.
  case oversizedField
  /// 1,000,000 fields.
  case fieldFlood
  /// A zero inside a value.
  case zeroInValue
  /// A carriage return inside a value.
  case returnInValue
  /// A space between name and colon (RFC 9112 §5.1).
  case spaceBeforeColon
  /// A line without a colon.
  case noColon
  /// A field without a name.
  case emptyName
  /// Random bytes instead of the status line.
  case garbage
  /// A body without a head, as in HTTP/0.9.
  case noHead
  /// A status of four digits.
  case longStatus
  /// A status that is not a number.
  case wordStatus
  /// The unknown version HTTP/9.9.
  case unknownVersion
  /// The greeting of another protocol.
  case otherProtocol
  /// The connection closed inside the status line.
  case cutInStatusLine
  /// The connection closed before the empty line.
  case cutInFields

  /// The bytes of the reply; its body, if it has one, is `hello`.
  var steps: [OriginStep] {
    let length = "Content-Length: 5\r\n"
    return switch self {
    case .noReasonPhrase: [.raw("HTTP/1.1 200 \r\n\(length)\r\n"), .body("hello")]
    case .noReasonSpace: [.raw("HTTP/1.1 200\r\n\(length)\r\n"), .body("hello")]
    case .foldedField: [.raw("HTTP/1.1 200 OK\r\nX-Folded: one\r\n  two\r\n\(length)\r\n"), .body("hello")]
    case .bareLineFeeds: [.raw("HTTP/1.1 200 OK\nContent-Length: 5\n\n"), .body("hello")]
    case .oversizedField:
      [
        .raw("HTTP/1.1 200 OK\r\n\(length)X-Big: "), .repeated("0123456789", times: 20_000), .raw("\r\n\r\n"),
        .body("hello"),
      ]
    case .fieldFlood:
      [
        .raw("HTTP/1.1 200 OK\r\n\(length)"), .repeated("X-Flood: 0123456789\r\n", times: 1_000_000), .raw("\r\n"),
        .body("hello"),
      ]
    case .zeroInValue: [.raw("HTTP/1.1 200 OK\r\n\(length)X-Zero: a\0b\r\n\r\n"), .body("hello")]
    case .returnInValue: [.raw("HTTP/1.1 200 OK\r\n\(length)X-Return: a\rb\r\n\r\n"), .body("hello")]
    case .spaceBeforeColon: [.raw("HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\n"), .body("hello")]
    case .noColon: [.raw("HTTP/1.1 200 OK\r\n\(length)no colon here\r\n\r\n"), .body("hello")]
    case .emptyName: [.raw("HTTP/1.1 200 OK\r\n\(length): no name\r\n\r\n"), .body("hello")]
    case .garbage: [.raw(BytePattern.seeded(9).bytes(count: 4096))]
    case .noHead: [.raw("hello")]
    case .longStatus: [.raw("HTTP/1.1 2000 OK\r\n\(length)\r\n"), .body("hello")]
    case .wordStatus: [.raw("HTTP/1.1 OK 200\r\n\(length)\r\n"), .body("hello")]
    case .unknownVersion: [.raw("HTTP/9.9 200 OK\r\n\(length)\r\n"), .body("hello")]
    case .otherProtocol: [.raw("SSH-2.0-OpenSSH_9.2\r\n")]
    case .cutInStatusLine: [.raw("HTTP/1.1 20"), .cut]
    case .cutInFields: [.raw("HTTP/1.1 200 OK\r\nContent-Le"), .cut]
    }
  }
}

extension OriginReply {
  /// Returns an unusual or broken head, with the body `hello` if any, then a close.
  package static func headFault(_ fault: HeadFault) -> OriginReply {
    OriginReply(fault.steps).closing()
  }

  /// Returns a head with a field of this many bytes.
  package static func oversizedField(bytes: Int) -> OriginReply {
    let blocks = max(0, bytes) / 16
    return OriginReply(
      .raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Big: "), .repeated("0123456789abcdef", times: blocks),
      .raw("\r\n\r\n"), .body("hello")
    ).closing()
  }

  /// Returns a head with this many fields; `Int.max` never ends by itself.
  package static func fieldFlood(count: Int) -> OriginReply {
    OriginReply(
      .raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"), .repeated("X-Flood: 0123456789\r\n", times: count),
      .raw("\r\n"),
      .body("hello")
    ).closing()
  }
}
