import CurlewCore
import FoundationEssentials
import HTTPTypes
import Testing

struct MultipartPartsTests {
  private let body = "--b\r\nA: 1\r\n\r\none\r\n--b\r\nA: 2\r\n\r\ntwo, longer\r\n--b\r\n\r\nthree\r\n--b--\r\n"

  private func parts(_ body: String, chunk: Int = 3) throws -> MultipartParts<AsyncStream<Data>> {
    let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
    var rest = Data(body.utf8)[...]
    while !rest.isEmpty {
      continuation.yield(rest.prefix(chunk))
      rest = rest.dropFirst(chunk)
    }
    continuation.finish()
    return try MultipartParts(stream, boundary: "b")
  }

  @Test func `parts come in order with their fields and bodies`() async throws {
    var read: [String] = []
    for try await part in try parts(body) {
      let bytes = try await part.body.collect(upTo: 100)
      read.append("\(part.fields[HTTPField.Name("A")!] ?? "-") \(String(decoding: bytes, as: UTF8.self))")
    }
    #expect(read == ["1 one", "2 two, longer", "- three"])
  }

  @Test func `a body that is not read is skipped, also from its middle`() async throws {
    var iterator = try parts(body).makeAsyncIterator()
    _ = try await iterator.next()
    let second = try #require(try await iterator.next())
    var bytes = second.body.makeAsyncIterator()
    #expect(try await bytes.next()?.isEmpty == false)
    let third = try #require(try await iterator.next())
    #expect(try await third.body.collect(upTo: 5) == Data("three".utf8))
    #expect(try await third.body.collect(upTo: 5).isEmpty)
    #expect(try await iterator.next() == nil)
    #expect(try await iterator.next() == nil)
  }

  @Test func `a body that is read too late throws instead of being empty`() async throws {
    var iterator = try parts(body).makeAsyncIterator()
    let first = try #require(try await iterator.next())
    let second = try #require(try await iterator.next())
    await #expect { _ = try await first.body.collect(upTo: 100) } throws: {
      ($0 as? MultipartError)?.kind == .partPassed
    }
    _ = try await iterator.next()
    #expect(try await iterator.next() == nil)
    await #expect { _ = try await second.body.collect(upTo: 100) } throws: {
      ($0 as? MultipartError)?.kind == .partPassed
    }
  }

  @Test func `collecting stops at its limit`() async throws {
    var iterator = try parts(body).makeAsyncIterator()
    let first = try #require(try await iterator.next())
    await #expect { _ = try await first.body.collect(upTo: 2) } throws: {
      ($0 as? MultipartError)?.kind == .bodyTooLong
    }
  }

  @Test func `a body that is cut throws from the part that is cut`() async throws {
    var iterator = try parts(String(body.unicodeScalars.prefix(38))).makeAsyncIterator()
    let first = try #require(try await iterator.next())
    #expect(try await first.body.collect(upTo: 3) == Data("one".utf8))
    let second = try #require(try await iterator.next())
    await #expect { _ = try await second.body.collect(upTo: 100) } throws: {
      ($0 as? MultipartError)?.kind == .truncated
    }
    await #expect(throws: MultipartError.self) { _ = try await iterator.next() }
  }

  @Test(.timeLimit(.minutes(10))) func `a second read while one waits is refused`() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
    let reader = PartReader(stream)
    continuation.yield(Data("--b\r\n\r\n".utf8))
    try await reader.open()
    // Both run on the reader's actor; the one that comes first waits for bytes when the other begins.
    async let first = reader.collect()
    async let second = reader.collect()
    await reader.bothBegan()
    continuation.yield(Data("x\r\n--b--".utf8))
    continuation.finish()
    let outcomes = [await first, await second]
    #expect(Set(outcomes) == [.success(Data("x".utf8)), .failure(.overlappingRead)])
  }

  @Test func `an error of the source is passed on`() async throws {
    struct Broken: Error {}
    let source = AsyncThrowingStream<Data, any Error> { $0.finish(throwing: Broken()) }
    var iterator = try MultipartParts(source, boundary: "b").makeAsyncIterator()
    await #expect(throws: Broken.self) { _ = try await iterator.next() }
  }
}

/// Reads one part from an actor, which lets two reads meet.
private actor PartReader {
  enum Outcome: Hashable {
    case success(Data)
    case failure(MultipartError.Kind?)
  }

  private let stream: AsyncStream<Data>
  private var body: MultipartPart<AsyncStream<Data>>.Body?
  private var begun = 0
  private var waiter: CheckedContinuation<Void, Never>?

  init(_ stream: AsyncStream<Data>) {
    self.stream = stream
  }

  func open() async throws {
    var iterator = try MultipartParts(stream, boundary: "b").makeAsyncIterator()
    body = try await iterator.next(isolation: self)?.body
  }

  func collect() async -> Outcome {
    begun += 1
    if begun == 2 { waiter?.resume() }
    do {
      return .success(try await body?.collect(upTo: 10) ?? Data())
    } catch {
      return .failure((error as? MultipartError)?.kind)
    }
  }

  func bothBegan() async {
    guard begun < 2 else { return }
    await withCheckedContinuation { waiter = $0 }
  }
}
