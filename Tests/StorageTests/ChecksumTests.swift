import CurlewStorage
import Testing

@Suite struct ChecksumTests {
  private func checksum(_ text: String) -> UInt64 { Array(text.utf8).withUnsafeBytes { Checksum(of: $0).value } }

  @Test func `known texts have the published values`() {
    #expect(checksum("") == 0xEF46_DB37_51D8_E999)
    #expect(checksum("a") == 0xD24E_C4F1_A98C_6E5B)
    #expect(checksum("abc") == 0x44BC_2CF5_AD77_0999)
    #expect(checksum("Nobody inspects the spammish repetition") == 0xFBCE_A83C_8A37_8BF1)
  }

  @Test func `pieces have the value of the whole`() {
    let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    for length in 0...bytes.count {
      let whole = bytes[..<length].withUnsafeBytes { Checksum(of: $0).value }
      for size in [1, 7, 31, 32, 33, 64] {
        var pieces = Checksum()
        for start in stride(from: 0, to: length, by: size) {
          bytes[start..<min(start + size, length)].withUnsafeBytes { pieces.update($0) }
        }
        #expect(pieces.value == whole)
      }
    }
  }

  @Test func `each bit counts`() {
    let bytes = [UInt8](repeating: 0, count: 75)
    let whole = bytes.withUnsafeBytes { Checksum(of: $0).value }
    for bit in 0..<(bytes.count * 8) {
      var changed = bytes
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(changed.withUnsafeBytes { Checksum(of: $0).value } != whole)
    }
  }
}
