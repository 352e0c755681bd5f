/// Computes the CRC-32 of PNG chunks, eight bytes per step.
enum CRC32 {
  /// Eight tables of 256: table `k` advances a byte through `k` further zero bytes.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var value = UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
      tables[byte] = value
    }
    for index in 256..<(8 * 256) {
      let before = tables[index - 256]
      tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
    }
    return tables
  }()

  // Safe because no index leaves `0..<bytes.count`, and a byte chooses among the 256 entries of each table.
  static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    tables.withUnsafeBufferPointer { table in
      var crc: UInt32 = 0xFFFF_FFFF
      var offset = 0
      while bytes.count - offset >= 8 {
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) ^ UInt64(crc)
        // Two halves that can be computed in parallel.
        let low =
          table[1792 + Int(word & 0xFF)] ^ table[1536 + Int(word >> 8 & 0xFF)] ^ table[1280 + Int(word >> 16 & 0xFF)]
          ^ table[1024 + Int(word >> 24 & 0xFF)]
        let high =
          table[768 + Int(word >> 32 & 0xFF)] ^ table[512 + Int(word >> 40 & 0xFF)]
          ^ table[256 + Int(word >> 48 & 0xFF)]
          ^ table[Int(word >> 56)]
        crc = low ^ high
        offset += 8
      }
      while offset < bytes.count {
        crc = table[Int((crc ^ UInt32(bytes[offset])) & 0xFF)] ^ crc >> 8
        offset += 1
      }
      return ~crc
    }
  }
}
