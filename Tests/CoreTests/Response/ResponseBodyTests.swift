import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import CurlewCore

@Suite struct ResponseBodyTests {
  /// 160 pieces of 100 bytes, each of another value.
  private static let pieces = (0..<160).map { Data(repeating: UInt8($0 % 251), count: 100) }
  private static let whole = pieces.reduce(Data(), +)

  @Test(arguments: [nil, Int64.min, -1, 0, 1, 100, 15_999, 16_000, 16_001, .max])
  func `all bytes are collected, whatever length was announced`(announced: Int64?) async throws {
    let body = ResponseBody(PieceSource(Self.pieces))
    #expect(try await body.collect(upTo: 16_000, expecting: announced) == Self.whole)
  }

  @Test func `a body that comes whole is handed on, whatever length was announced`() async throws {
    for announced in [nil, 0, 16_000, .max] as [Int64?] {
      let body = ResponseBody(PieceSource([Self.whole]))
      #expect(try await body.collect(upTo: 16_000, expecting: announced) == Self.whole)
    }
    #expect(try await ResponseBody(PieceSource([])).collect(upTo: 0, expecting: 10).isEmpty)
  }

  @Test(arguments: [nil, 16_000, .max] as [Int64?])
  func `one byte past the limit ends the transfer, whatever length was announced`(announced: Int64?) async throws {
    let source = PieceSource(Self.pieces)
    let error = await #expect(throws: NetworkError.self) {
      _ = try await ResponseBody(source).collect(upTo: 15_999, expecting: announced)
    }
    #expect(error?.kind == .bodyTooLarge)
    #expect(source.isCancelled)
  }

  @Test func `an announced length is taken at once and no more than that`() async throws {
    let bytes = try await ResponseBody(PieceSource(Self.pieces)).collect(upTo: 1 << 20, expecting: 16_000)
    #expect(try Self.allocated(bytes) < 16_000 + 64)
  }

  @Test(arguments: [1 << 21, Int64.max])
  func `more than a megabyte, or than the limit, is not taken on trust`(announced: Int64) async throws {
    let bytes = try await ResponseBody(PieceSource(Self.pieces)).collect(upTo: 1 << 40, expecting: announced)
    #expect(try Self.allocated(bytes) <= (1 << 20) + 4096)
    let few = try await ResponseBody(PieceSource(Self.pieces)).collect(upTo: 16_200, expecting: announced)
    #expect(try Self.allocated(few) < 16_200 + 64)
  }

  @Test func `a body of bytes that was cancelled is not taken for an empty one`() async throws {
    let body = ResponseBody(Data([1, 2, 3]))
    body.cancel()
    await #expect(throws: CancellationError.self) { try await body.collect(upTo: 9) }
  }

  @Test func `a cancelled task gets nothing more, even of bytes that have arrived`() async throws {
    for body in [ResponseBody(Data([1, 2])), ResponseBody(PieceSource(Self.pieces))] {
      let task = Task {
        var iterator = body.makeAsyncIterator()
        #expect(try await iterator.next()?.isEmpty == false)
        withUnsafeCurrentTask { $0?.cancel() }
        return try await iterator.next()
      }
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    let channel = BodyChannel(pausingFrom: 100)
    for _ in 0..<2 { _ = Data([1, 2]).withUnsafeBytes { channel.put($0) } }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await ResponseBody(channel).collect(upTo: 100)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `one that is cancelled behind its bytes does not end well either, and after its end nothing changes`()
    async throws
  {
    let cut = ResponseBody(Data([1]))
    var iterator = cut.makeAsyncIterator()
    #expect(try await iterator.next() == Data([1]))
    cut.cancel()
    await #expect(throws: CancellationError.self) { try await iterator.next() }

    let whole = ResponseBody(Data([1]), trailers: [.eTag: "\"a\""])
    #expect(try await whole.collect(upTo: 1) == Data([1]))
    whole.cancel()
    #expect(whole.trailers == [.eTag: "\"a\""])
  }

  @Test(arguments: [("5", 5), ("5, 5", 5), ("+5", nil), ("-1", nil), ("5, 6", nil), ("", nil)] as [(String, Int64?)])
  func `an announced length is a number of bytes`(value: String, length: Int64?) throws {
    let url = try #require(URL(string: "http://a.test/"))
    #expect(ResponseHead(url: url, status: .ok, headerFields: [.contentLength: value]).expectedLength == length)
  }

  /// The memory behind bytes, used or not.
  private static func allocated(_ data: Data) throws -> Int {
    // Swift's Glibc has no <malloc.h>.
    let symbol = try #require(dlsym(nil, "malloc_usable_size"))
    // Safe because that is its type.
    let size = unsafeBitCast(symbol, to: (@convention(c) (UnsafeRawPointer?) -> Int).self)
    return data.withUnsafeBytes { size($0.baseAddress) }
  }
}

/// Hands out pieces.
private final class PieceSource: ResponseBodySource {
  private struct State {
    var pieces: ArraySlice<Data>
    var isCancelled = false
  }

  private let state: Guarded<State>

  init(_ pieces: [Data]) { state = Guarded(State(pieces: pieces[...])) }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  var trailers: HTTPFields? { nil }

  func next() async throws -> Data? { state.withLock { $0.pieces.popFirst() } }

  func cancel() { state.withLock { $0.isCancelled = true } }
}
