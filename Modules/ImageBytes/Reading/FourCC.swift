/// Four letters that identify a chunk or a box.
struct FourCC: RawRepresentable, Hashable, Sendable {
  var rawValue: UInt32

  init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Creates a code from four ASCII letters; any other character becomes `?`.
  init(_ letters: StaticString) {
    var value: UInt32 = 0
    for scalar in letters.description.unicodeScalars {
      value = value << 8 | (scalar.isASCII ? scalar.value : 0x3F)
    }
    rawValue = value
  }
}
