import FoundationEssentials
import Testing

@testable import CurlewWebSocket

struct WritingTests {
  private func written(_ role: WebSocketRole, _ count: Int) -> [UInt8] {
    var writer = FrameWriter(role)
    var output: [UInt8] = []
    [UInt8](repeating: 0x61, count: count).withUnsafeBytes { writer.append(.binary, $0, to: &output) }
    return output
  }

  @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 70_000])
  func `a length is written in the shortest form, and read back`(_ count: Int) throws {
    let plain = written(.server, count)
    #expect(plain == RawFrame(2, [UInt8](repeating: 0x61, count: count)).bytes)
    let masked = written(.client, count)
    #expect(masked.count == plain.count + 4)
    #expect(masked[1] & 0x80 != 0)
    let events = try Reading(masked, role: .server).events
    #expect(events == [.message(.binary(Data(repeating: 0x61, count: count)))])
  }

  @Test func `a frame of a client has a mask of its own, which is not zero for long`() {
    var keys = MaskKeys()
    let drawn = Set((0..<1000).map { _ in keys.next() })
    #expect(drawn.count > 995)
    let masks = Set((0..<100).map { _ in Array(written(.client, 8)[2..<6]) })
    #expect(masks.count > 95)
  }

  @Test func `a mask applied in pieces is the mask applied at once`() {
    let bytes = (0..<100).map { UInt8($0) }
    let key: [UInt8] = [9, 8, 7, 6]
    let expected = bytes.enumerated().map { $1 ^ key[$0 % 4] }
    for cut in 0...bytes.count {
      var changed = bytes
      var mask = FrameMask(bytes: key)
      changed.withUnsafeMutableBytes {
        mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: $0[..<cut]))
        mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: $0[cut...]))
      }
      #expect(changed == expected, "cut at \(cut)")
    }
  }
}
