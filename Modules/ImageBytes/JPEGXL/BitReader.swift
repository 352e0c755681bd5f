/// Reads bits, lowest first, as in JPEG XL headers (ISO/IEC 18181-1 §B).
struct BitReader {
  private var bytes: ByteReader
  private var current = 0
  private var left = 0

  init(_ bytes: ByteReader) {
    self.bytes = bytes
  }

  mutating func bool() throws(ImageError) -> Bool {
    try bits(1) == 1
  }

  /// Returns a number of up to 32 bits.
  mutating func bits(_ count: Int) throws(ImageError) -> Int {
    var value = 0
    var read = 0
    while read < count {
      if left == 0 {
        current = try bytes.uint8()
        left = 8
      }
      let taken = min(left, count - read)
      value |= (current & (1 << taken - 1)) << read
      current >>= taken
      left -= taken
      read += taken
    }
    return value
  }

  /// One of four codings of a number: an offset, plus a number of bits.
  struct Form {
    var offset: Int
    var bits: Int

    static func value(_ value: Int) -> Form { Form(offset: value, bits: 0) }
    static func bits(_ bits: Int, offset: Int = 0) -> Form { Form(offset: offset, bits: bits) }
  }

  /// Returns a number in the coding that two bits select.
  mutating func number(_ first: Form, _ second: Form, _ third: Form, _ fourth: Form) throws(ImageError) -> Int {
    let form =
      switch try bits(2) {
      case 0: first
      case 1: second
      case 2: third
      default: fourth
      }
    return form.offset + (try bits(form.bits))
  }
}
