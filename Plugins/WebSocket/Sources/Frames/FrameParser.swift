/// Divides the bytes of a peer into frames (RFC 6455 §5.2), without I/O.
///
/// Bytes may arrive in pieces of any size. A payload is passed on as it arrives, so a frame needs no buffer.
struct FrameParser: Sendable {
  /// What was found next.
  enum Part: Sendable, Hashable {
    /// A frame begins.
    case header(FrameHeader)
    /// This range of the given bytes belongs to the payload.
    case payload(Range<Int>)
    /// The frame is complete.
    case end
  }

  private enum State: Sendable, Hashable {
    /// Collects the header.
    case header
    /// Expects this many bytes of payload.
    case payload(Int)
  }

  /// The longest header: two bytes, eight of length, four of mask.
  private static let longestHeader = 14

  let role: WebSocketRole
  /// The most bytes of a frame's payload.
  let frameLimit: Int
  /// Whether a data frame may be compressed.
  let mayCompress: Bool
  private var state = State.header
  private var header: [UInt8] = []
  private var mask = FrameMask(0)

  init(_ role: WebSocketRole, frameLimit: Int, mayCompress: Bool) {
    self.role = role
    self.frameLimit = frameLimit
    self.mayCompress = mayCompress
    header.reserveCapacity(Self.longestHeader)
  }

  /// Whether it is between two frames.
  var isAtFrameStart: Bool { state == .header && header.isEmpty }

  /// Returns the next part, and advances `offset` over it; nil when the bytes are used up.
  mutating func next(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) throws(WebSocketViolation) -> Part? {
    switch state {
    case .header:
      while offset < bytes.count {
        header.append(bytes[offset])
        offset += 1
        guard header.count >= 2 else { continue }
        // What is wrong is known as early as possible, and a frame is refused before its payload arrives.
        if header.count == 2 { try checkStart() }
        guard header.count == headerLength else { continue }
        let complete = try parsed()
        header.removeAll(keepingCapacity: true)
        state = .payload(complete.length)
        return .header(complete)
      }
      return nil
    case .payload(0):
      state = .header
      return .end
    case .payload(let left):
      guard offset < bytes.count else { return nil }
      let count = min(left, bytes.count - offset)
      defer { offset += count }
      state = .payload(left - count)
      return .payload(offset..<offset + count)
    }
  }

  /// Appends the next bytes of a payload, in their order, without the mask.
  mutating func append(_ payload: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    let start = bytes.count
    bytes.append(contentsOf: payload)
    guard role == .server else { return }
    bytes.withUnsafeMutableBytes { mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
  }

  /// The bytes of the header, as the first two tell.
  private var headerLength: Int {
    let extended =
      switch header[1] & 0x7F {
      case 126: 2
      case 127: 8
      default: 0
      }
    return 2 + extended + (header[1] & 0x80 != 0 ? 4 : 0)
  }

  /// Checks the first two bytes.
  private func checkStart() throws(WebSocketViolation) {
    let (first, second) = (header[0], header[1])
    guard first & 0x30 == 0 else { throw .protocolError("A frame sets RSV2 or RSV3, which no extension defines") }
    guard let opcode = FrameOpcode(rawValue: first & 0x0F) else {
      throw .protocolError("A frame has the reserved opcode \(first & 0x0F)")
    }
    if first & 0x40 != 0 {
      guard mayCompress else { throw .protocolError("A frame sets RSV1, and no extension was negotiated") }
      guard opcode == .text || opcode == .binary else {
        throw .protocolError("A frame that does not begin a message sets RSV1")
      }
    }
    let isMasked = second & 0x80 != 0
    guard isMasked == (role == .server) else {
      throw .protocolError(isMasked ? "A server's frame is masked" : "A client's frame is not masked")
    }
    guard opcode.isControl else { return }
    guard first & 0x80 != 0 else { throw .protocolError("A control frame is fragmented") }
    guard second & 0x7F <= 125 else { throw .protocolError("A control frame is longer than 125 bytes") }
  }

  /// Returns the complete header.
  private mutating func parsed() throws(WebSocketViolation) -> FrameHeader {
    let short = header[1] & 0x7F
    var length = UInt64(short)
    if short >= 126 {
      length = 0
      for byte in header[2..<(short == 126 ? 4 : 10)] { length = length << 8 | UInt64(byte) }
      guard length > (short == 126 ? 125 : 65_535) else {
        throw .protocolError("The length of a frame is not written in the shortest form")
      }
      guard length <= UInt64(Int64.max) else { throw .protocolError("The length of a frame has its highest bit set") }
    }
    guard length <= UInt64(frameLimit) else {
      throw .tooLarge("A frame of \(length) bytes is larger than the limit of \(frameLimit)")
    }
    if role == .server { mask = FrameMask(bytes: header.suffix(4)) }
    guard let opcode = FrameOpcode(rawValue: header[0] & 0x0F) else { throw .protocolError("A frame has no opcode") }
    return FrameHeader(
      opcode: opcode, isFinal: header[0] & 0x80 != 0, isCompressed: header[0] & 0x40 != 0, length: Int(length))
  }
}
