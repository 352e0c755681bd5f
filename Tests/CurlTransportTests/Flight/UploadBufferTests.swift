import Foundation
import Testing

@testable import CurlewCurlTransport

@Suite struct UploadBufferTests {
  private func take(_ count: Int, from buffer: inout UploadBuffer) -> Data {
    var bytes = Data(count: count)
    let taken = bytes.withUnsafeMutableBytes { buffer.take(into: $0) }
    return bytes.prefix(taken)
  }

  @Test(arguments: [1, 2, 3, 5, 7, 100]) func `bytes come out as they went in, whatever the sizes`(size: Int) {
    var buffer = UploadBuffer()
    var expected = Data()
    var out = Data()
    for length in [3, 1, 0, 7, 2, 2, 11] {
      let chunk = Data((0..<length).map { UInt8(truncatingIfNeeded: expected.count + $0) })
      buffer.append(chunk)
      expected += chunk
      out += take(size, from: &buffer)
    }
    while !buffer.isEmpty { out += take(size, from: &buffer) }
    #expect(out == expected)
    #expect(take(size, from: &buffer).isEmpty)
  }

  @Test func `a slice is read from its own beginning`() {
    var buffer = UploadBuffer()
    buffer.append(Data([9, 9, 1, 2, 3]).dropFirst(2))
    #expect(take(2, from: &buffer) == Data([1, 2]))
    #expect(take(2, from: &buffer) == Data([3]))
  }

  /// A source that is always ahead: the buffer is never empty, and must not keep what was taken.
  @Test func `what was taken is let go while more comes`() {
    var buffer = UploadBuffer()
    buffer.append(Data(count: 65_536))
    for _ in 0..<1000 {
      buffer.append(Data(count: 65_536))
      #expect(take(65_536, from: &buffer).count == 65_536)
      #expect(buffer.count == 65_536)
      #expect(buffer.held <= 3 * 65_536)
    }
  }
}
