/// The line and column of an offset, both from 1.
struct SourcePosition: Equatable {
  private(set) var line = 1
  private(set) var column = 1

  init(offset: Int, in bytes: UnsafeRawBufferPointer) {
    var lineStart = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let offset = min(max(offset, 0), bytes.count)
    var position = 0
    while position < offset {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
        if byte == UInt8(ascii: "\r"), position < offset, bytes[position] == UInt8(ascii: "\n") { position += 1 }
        line += 1
        lineStart = position
      }
    }
    guard lineStart < offset else { return }
    for byte in bytes[lineStart..<offset] where byte & 0xC0 != 0x80 { column += 1 }
  }
}
