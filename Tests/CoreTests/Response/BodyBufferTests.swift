import FoundationEssentials
import Testing

@testable import CurlewCore

@Suite struct BodyBufferTests {
  private func taken(_ buffer: inout BodyBuffer) -> [Data] {
    var pieces: [Data] = []
    while let piece = buffer.popFirst() { pieces.append(piece) }
    return pieces
  }

  @Test func `bytes come out as they went in, whatever is taken in between`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var buffer = BodyBuffer()
      var waiting = Data()
      var next: UInt8 = 0
      for _ in 0..<60 {
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
          guard let piece = buffer.popFirst() else {
            #expect(waiting.isEmpty)
            continue
          }
          #expect(!piece.isEmpty && waiting.starts(with: piece))
          waiting.removeFirst(piece.count)
        default:
          let size = [0, 1, 7, 900, 16_383, 16_384, 16_385, 40_000].randomElement() ?? 0
          let bytes = Data(
            (0..<size).map { _ in
              next &+= 1
              return next
            })
          if Bool.random() { buffer.append(bytes) } else { bytes.withUnsafeBytes { buffer.append($0) } }
          waiting += bytes
        }
        #expect(buffer.count == waiting.count)
      }
      #expect(taken(&buffer).reduce(Data(), +) == waiting)
      #expect(buffer.count == 0)
    }
  }

  @Test func `small pieces become one of at most 16 kB, and a large one stays as it came`() {
    var buffer = BodyBuffer()
    for _ in 0..<20 { buffer.append(Data(count: 1_000)) }
    let large = Data(count: 50_000)
    buffer.append(large)
    buffer.append(Data(count: 1))
    buffer.append(Data(count: 2))
    #expect(taken(&buffer).map(\.count) == [16_000, 4_000, 50_000, 3])
  }

  @Test func `a piece that was taken is not lengthened`() {
    var buffer = BodyBuffer()
    buffer.append(Data([1]))
    let first = buffer.popFirst()
    buffer.append(Data([2]))
    #expect(first == Data([1]) && taken(&buffer) == [Data([2])])
  }
}
