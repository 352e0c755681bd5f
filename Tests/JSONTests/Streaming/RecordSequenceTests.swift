import CurlewJSON
import FoundationEssentials
import Synchronization
import Testing

struct RecordSequenceTests {
  /// Gives the same chunk over and over, as many times as asked.
  private struct RepeatedChunks: AsyncSequence, AsyncIteratorProtocol, Sendable {
    let chunk: Data
    var count: Int
    var failure: (any Error)?

    func makeAsyncIterator() -> Self { self }

    mutating func next() async throws -> Data? {
      guard count > 0 else {
        if let failure { throw failure }
        return nil
      }
      count -= 1
      return chunk
    }
  }

  private struct Broken: Error {}

  private func stream(_ text: String, chunk: Int = 5) -> AsyncStream<Data> {
    AsyncStream { continuation in
      var rest = Data(text.utf8)[...]
      while !rest.isEmpty {
        continuation.yield(Data(rest.prefix(chunk)))
        rest = rest.dropFirst(chunk)
      }
      continuation.finish()
    }
  }

  @Test func `lines are read as values and as types`() async throws {
    struct Row: Decodable, Equatable { var id: Int }
    let text = "{\"id\":1}\n\n{\"id\":2}\r\n{\"id\":3}"
    let values = try await stream(text).jsonLines().reduce(into: []) { $0.append($1) }
    #expect(values == [["id": 1], ["id": 2], ["id": 3]])
    let rows = try await stream(text).jsonLines(as: Row.self).reduce(into: []) { $0.append($1) }
    #expect(rows == [Row(id: 1), Row(id: 2), Row(id: 3)])
  }

  @Test func `text sequences are read as values and as types`() async throws {
    let text = "\u{1E}[1,\n2]\n\u{1E}[3]\n"
    let values = try await stream(text).jsonTextSequence().reduce(into: []) { $0.append($1) }
    #expect(values == [[1, 2], [3]])
    let lists = try await stream(text).jsonTextSequence(as: [Int].self).reduce(into: []) { $0.append($1) }
    #expect(lists == [[1, 2], [3]])
  }

  @Test func `an invalid line ends the stream with its number and column`() async throws {
    var iterator = stream("[1]\n[2,]\n[3]\n").jsonLines().makeAsyncIterator()
    #expect(try await iterator.next() == [1])
    do {
      _ = try await iterator.next()
      Issue.record("no error")
    } catch let error as JSONRecordError {
      #expect(error.kind == .invalid)
      #expect(error.number == 2)
      #expect(error.column == 4)
      #expect(error.offset == 4)
      #expect(error.description.hasPrefix("line 2, column 4: "))
    }
    #expect(try await iterator.next() == nil)
  }

  @Test func `a line of another type is told by its path and the reason, without the type names of decoders`()
    async throws
  {
    struct Bird: Decodable { var name: String }
    let error = await #expect(throws: JSONRecordError.self) {
      for try await _ in stream("{\"name\":\"a\"}\n{\"name\":7}\n").jsonLines(as: Bird.self) {}
    }
    let words = try #require(error?.description)
    #expect(words.hasPrefix("line 2: `name`: ") && !words.contains("DecodingError"), "\(words)")
  }

  @Test func `invalid lines are skipped and told when that is asked for`() async throws {
    let told = Mutex<[Int]>([])
    var options = JSONRecordOptions()
    options.maximumRecordBytes = 8
    options.invalidRecords = .skip { error in told.withLock { $0.append(error.number) } }
    let text = "1\n{\n\"2\n[3]\n\"0123456789\"\n4\nnul"
    let values = try await stream(text).jsonLines(options: options).reduce(into: []) { $0.append($1) }
    #expect(values == [1, [3], 4])
    #expect(told.withLock { $0 } == [2, 3, 5, 7])
    let typed = try await stream("1\n\"x\"\n2\n").jsonLines(as: Int.self, options: options).reduce(into: []) {
      $0.append($1)
    }
    #expect(typed == [1, 2])
  }

  @Test func `an error of the stream itself comes through`() async throws {
    let broken = RepeatedChunks(chunk: Data("1\n2".utf8), count: 1, failure: Broken())
    var iterator = broken.jsonLines().makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    await #expect(throws: Broken.self) { try await iterator.next() }
  }

  @Test func `a byte order mark can start the stream only`() async throws {
    let values = try await stream("\u{FEFF}1\n2\n").jsonLines().reduce(into: []) { $0.append($1) }
    #expect(values == [1, 2])
    await #expect(throws: JSONRecordError.self) {
      try await stream("1\n\u{FEFF}2\n").jsonLines().reduce(into: []) { $0.append($1) }
    }
  }

  @Test func `a chunk is read only when its values are asked for`() async throws {
    let pulled = Mutex(0)
    // Each chunk ends the line before it and begins the next one.
    let chunks = RepeatedChunks(chunk: Data("5]\n[1,".utf8), count: 1000).map { chunk in
      pulled.withLock { $0 += 1 }
      return chunk
    }
    var options = JSONRecordOptions()
    options.invalidRecords = .skip { _ in }
    var count = 0
    for try await value in chunks.jsonLines(options: options) {
      count += 1
      #expect(value == [1, 5])
      // The first chunk begins the first line.
      #expect(pulled.withLock { $0 } == count + 1)
    }
    #expect(count == 999)
  }
}
