import Testing

@testable import CurlewImageBytes

struct ByteReaderTests {
  /// Numbers around every boundary a check could get wrong.
  private static let extremes = [Int.min, -1, 0, 1, 3, 4, 5, 7, 8, 9, Int.max - 8, Int.max - 1, Int.max]

  @Test func `no offset and no length traps`() {
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    bytes.withUnsafeBytes { buffer in
      for isPrefix in [false, true] {
        let file = ByteReader(buffer, isPrefix: isPrefix)
        for offset in Self.extremes {
          #expect((try? file.uint8(at: offset)) == ((0..<8).contains(offset) ? offset + 1 : nil))
          #expect((try? file.uint16(at: offset)) != nil || !(0..<7).contains(offset))
          #expect((try? file.uint32(at: offset)) != nil || !(0..<5).contains(offset))
          for count in Self.extremes {
            _ = try? file.uint(bytes: min(count, 8), at: offset)
            _ = try? file.crc32(count, at: offset)
            _ = try? file.matches([1], at: offset)
            guard var window = try? file.window(at: offset, count: count) else { continue }
            #expect(window.remaining == count)
            _ = try? window.hasMore()
            _ = try? window.requireAll()
            _ = window.firstOffset(of: 9)
            for step in Self.extremes {
              try? window.skip(step)
              try? window.move(to: step)
              try? window.move(toRelative: step)
              #expect(window.position >= window.start && window.position <= window.end)
              window.skipPadding()
              _ = try? window.take(step)
              _ = try? window.uint32()
            }
          }
        }
      }
    }
  }

  @Test func `beyond a window is malformed, beyond the bytes is truncated`() throws {
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    bytes.withUnsafeBytes { buffer in
      let file = ByteReader(buffer, isPrefix: false)
      #expect(#expect(throws: ImageError.self) { try file.uint32(at: 5) }?.neededBytes == 9)
      guard let window = try? file.window(at: 2, count: 3) else {
        Issue.record("The window is inside the bytes.")
        return
      }
      #expect(#expect(throws: ImageError.self) { try window.uint32(at: 2) }?.kind == .malformed)
      #expect(#expect(throws: ImageError.self) { try window.uint8(at: 1) }?.kind == .malformed)
      #expect(throws: ImageError.self) { try window.window(at: 3, count: 3) }
    }
  }

  @Test func `numbers are read in both orders`() throws {
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    let read = bytes.withUnsafeBytes { buffer -> [UInt64] in
      var reader = ByteReader(buffer, isPrefix: false)
      var values: [UInt64] = []
      for order in [ByteOrder.bigEndian, .littleEndian] {
        reader.order = order
        for count in [1, 2, 3, 4, 8] { values.append((try? reader.uint(bytes: count, at: 0)) ?? 0) }
        values.append(UInt64((try? reader.uint16(at: 0)) ?? 0))
        values.append(UInt64((try? reader.uint32(at: 0)) ?? 0))
      }
      return values
    }
    #expect(
      read == [
        1, 0x0102, 0x010203, 0x0102_0304, 0x0102_0304_0506_0708, 0x0102, 0x0102_0304, 1, 0x0201, 0x030201, 0x0403_0201,
        0x0807_0605_0403_0201, 0x0201, 0x0403_0201,
      ])
  }

  @Test func `the checksum agrees with its definition at every length`() {
    for count in 0..<70 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
      #expect(bytes.withUnsafeBytes { Int(CRC32.checksum($0)) } == ImageBuilder.crc(bytes))
    }
  }
}
