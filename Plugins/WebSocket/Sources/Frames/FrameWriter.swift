/// Writes frames (RFC 6455 §5.2), without I/O.
struct FrameWriter: Sendable {
  let role: WebSocketRole
  private var keys = MaskKeys()

  init(_ role: WebSocketRole) { self.role = role }

  /// Appends a frame to bytes that are to be sent.
  mutating func append(
    _ opcode: FrameOpcode, isFinal: Bool = true, isCompressed: Bool = false, _ payload: UnsafeRawBufferPointer,
    to output: inout [UInt8]
  ) {
    output.append((isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue)
    let masked: UInt8 = role == .client ? 0x80 : 0
    switch payload.count {
    case ...125: output.append(masked | UInt8(payload.count))
    case ...65_535:
      output.append(masked | 126)
      append(payload.count, bytes: 2, to: &output)
    default:
      output.append(masked | 127)
      append(payload.count, bytes: 8, to: &output)
    }
    guard role == .client else { return output.append(contentsOf: payload) }
    var mask = FrameMask(keys.next())
    mask.append(to: &output)
    let start = output.count
    output.append(contentsOf: payload)
    output.withUnsafeMutableBytes { mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
  }

  private func append(_ number: Int, bytes: Int, to output: inout [UInt8]) {
    for place in (0..<bytes).reversed() { output.append(UInt8(truncatingIfNeeded: number >> (8 * place))) }
  }
}
