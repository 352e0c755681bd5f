public import FoundationEssentials

extension Data {
  /// The bytes in short pieces, whose lengths depend only on the content.
  public var pieces: [Data] {
    var pieces: [Data] = []
    var rest = self[...]
    var state = UInt64(count) &+ 0x9E37_79B9_7F4A_7C15
    while let first = rest.first {
      state = state &* 6_364_136_223_846_793_005 &+ UInt64(first) &+ 1
      let piece = rest.prefix(1 + Int(state >> 60))
      pieces.append(Data(piece))
      rest = rest.dropFirst(piece.count)
    }
    return pieces
  }
}
