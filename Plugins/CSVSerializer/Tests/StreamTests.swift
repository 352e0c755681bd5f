import CurlewCSV
import FoundationEssentials
import Testing

@Suite struct StreamTests {
  struct Bird: Decodable, Sendable, Equatable {
    var name: String
    var legs: Int
  }

  private func stream(_ text: String, chunk: Int) -> AsyncStream<Data> {
    AsyncStream { continuation in
      var rest = Data(text.utf8)
      while !rest.isEmpty {
        continuation.yield(rest.prefix(chunk))
        rest = rest.dropFirst(min(chunk, rest.count))
      }
      continuation.finish()
    }
  }

  @Test(arguments: [1, 3, 1000])
  func `rows are decoded as their bytes arrive`(chunk: Int) async throws {
    var birds: [Bird] = []
    for try await bird in stream("name,legs\nCurlew,2\n\"Gu\nll\",2", chunk: chunk).csvRows(as: Bird.self) {
      birds.append(bird)
    }
    #expect(birds == [Bird(name: "Curlew", legs: 2), Bird(name: "Gu\nll", legs: 2)])
    var lines: [Int] = []
    for try await record in stream("a\n\"b\n\"\nc", chunk: chunk).csvRecords() { lines.append(record.line) }
    #expect(lines == [1, 2, 4])
  }

  @Test func `a row is there before the stream ends`() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
    var rows = stream.csvRows(as: Bird.self).makeAsyncIterator()
    continuation.yield(Data("name,legs\nCurlew,2\nGull".utf8))
    #expect(try await rows.next() == Bird(name: "Curlew", legs: 2))
    continuation.yield(Data(",3".utf8))
    continuation.finish()
    #expect(try await rows.next() == Bird(name: "Gull", legs: 3))
    #expect(try await rows.next() == nil)
  }

  @Test func `a stream ends with its first error`() async throws {
    var rows = stream("name,legs\nCurlew,2\nGull,two\nTern,2\n", chunk: 4).csvRows(as: Bird.self).makeAsyncIterator()
    #expect(try await rows.next()?.name == "Curlew")
    do {
      _ = try await rows.next()
      Issue.record("The row was decoded.")
    } catch let error as CSVError {
      #expect(error.kind == .invalidValue && error.line == 3 && error.column == 6)
    }
    #expect(try await rows.next() == nil)
  }
}
