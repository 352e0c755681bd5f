/// Writes HTTP/2 frames (RFC 9113 §4) and uncompressed headers (RFC 7541 §6.2.2).
enum FrameWriter {
  /// The largest payload that every peer accepts.
  private static let mostBytes = 16_384

  /// The types of frames used here.
  enum Kind: UInt8 {
    case data = 0
    case headers = 1
    case reset = 3
    case settings = 4
    case ping = 6
    case goAway = 7
    case windowUpdate = 8
    case continuation = 9
  }

  static let endStream: UInt8 = 0x1
  static let acknowledgement: UInt8 = 0x1
  static let endHeaders: UInt8 = 0x4

  static func frame(_ kind: Kind, flags: UInt8 = 0, stream: Int, _ payload: [UInt8] = []) -> [UInt8] {
    frame(kind.rawValue, flags: flags, stream: stream, payload)
  }

  static func frame(_ kind: UInt8, flags: UInt8, stream: Int, _ payload: [UInt8]) -> [UInt8] {
    let length = UInt32(payload.count)
    return [UInt8(length >> 16 & 0xff), UInt8(length >> 8 & 0xff), UInt8(length & 0xff), kind, flags]
      + number(UInt32(stream)) + payload
  }

  static func number(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

  /// Returns a header section in as many frames as necessary.
  static func headers(_ block: [UInt8], stream: Int, ends: Bool) -> [UInt8] {
    var rest = block[...]
    var frames: [UInt8] = []
    var kind = Kind.headers
    repeat {
      let part = rest.prefix(mostBytes)
      rest = rest.dropFirst(mostBytes)
      var flags = rest.isEmpty ? endHeaders : 0
      if ends, kind == .headers { flags |= endStream }
      frames += frame(kind, flags: flags, stream: stream, Array(part))
      kind = .continuation
    } while !rest.isEmpty
    return frames
  }

  /// Returns content in as many frames as necessary.
  static func content(_ bytes: [UInt8], stream: Int, ends: Bool) -> [UInt8] {
    var rest = bytes[...]
    var frames: [UInt8] = []
    repeat {
      let part = rest.prefix(mostBytes)
      rest = rest.dropFirst(mostBytes)
      frames += frame(.data, flags: ends && rest.isEmpty ? endStream : 0, stream: stream, Array(part))
    } while !rest.isEmpty
    return frames
  }

  /// Returns fields as literals without indexing.
  static func block(_ fields: [(String, String)]) -> [UInt8] {
    var block: [UInt8] = []
    for (name, value) in fields {
      block.append(0)
      block += text(name)
      block += text(value)
    }
    return block
  }

  /// Returns a string literal that is not Huffman-coded (RFC 7541 §5.2).
  private static func text(_ text: String) -> [UInt8] {
    let bytes = [UInt8](text.utf8)
    guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
    var length: [UInt8] = [127]
    var rest = bytes.count - 127
    while rest >= 128 {
      length.append(UInt8(rest & 127) | 128)
      rest >>= 7
    }
    return length + [UInt8(rest)] + bytes
  }
}
