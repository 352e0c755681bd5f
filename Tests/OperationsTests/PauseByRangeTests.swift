import CurlewCore
import CurlewLoading
import CurlewSerialization
import CurlewTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import CurlewOperations

/// What a paused `GET` makes of each answer to its resumption.
@Suite(.timeLimit(.minutes(10))) struct PauseByRangeTests {
  private static let length = 100_000
  private static let kept = 40_000
  private static let whole = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
  private static let other = Data((0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 17) })

  /// What comes of an operation that is paused in the middle and resumed.
  private struct Run {
    var result: Result<Data, any Error>
    var requests: [Request]
    var progress: TransferProgress
    var operation: HTTPRequestOperation
    /// All requests, also those of later operations.
    var collected: Collected<Request>
  }

  private func run(
    _ method: HTTPRequest.Method = .get, kept: Int = kept, etag: String? = "\"v1\"", fields: HTTPFields = [:],
    coding: String? = nil, pauses: Bool = true, then answers: [StubAnswer]
  ) async throws -> Run {
    let gate = ManualGate()
    let requests = Collected<Request>()
    let stub = StubTransport { asked in
      requests.append(asked.request)
      if asked.index > 0 { return answers[min(asked.index, answers.count) - 1] }
      var first = HTTPFields()
      if let etag { first[.eTag] = etag }
      if let coding { first[.contentEncoding] = coding }
      var answer = StubAnswer(
        headerFields: first,
        body: [.bytes(Self.whole[..<kept]), .wait { try await gate.wait() }, .bytes(Self.whole[kept...])])
      // A body of announced length has ended with its last byte, whatever comes after it.
      answer.announcesLength = kept < Self.length
      return answer
    }
    let operation = HTTPRequestOperation(Request(method, Fixture.url, headerFields: fields), over: Loader(stub))
    operation.start()
    await Fixture.wait(while: operation.downloadProgress.completed < kept)
    #expect(operation.pause())
    await operation.halted()
    #expect(operation.resume())
    gate.open()
    let result: Result<Data, any Error>
    do {
      result = .success(try await operation.value(as: Data.self))
    } catch {
      result = .failure(error)
    }
    return Run(
      result: result, requests: requests.all, progress: operation.downloadProgress, operation: operation,
      collected: requests)
  }

  private static func part(_ range: Range<Int>, of total: Int = length, etag: String = "\"v1\"") -> StubAnswer {
    StubAnswer(
      .partialContent,
      headerFields: [.contentRange: "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)", .eTag: etag],
      body: [.bytes(whole[range])])
  }

  private static func full(_ data: Data, etag: String = "\"v1\"") -> StubAnswer {
    StubAnswer(headerFields: [.eTag: etag], body: [.bytes(data)])
  }

  private static func unsatisfied(_ total: Int) -> StubAnswer {
    StubAnswer(.rangeNotSatisfiable, headerFields: [.contentRange: "bytes */\(total)", .eTag: "\"v1\""])
  }

  @Test func `the rest is asked for and joined`() async throws {
    let run = try await run(then: [Self.part(Self.kept..<Self.length)])
    #expect(try run.result.get() == Self.whole)
    #expect(run.requests.count == 2)
    #expect(run.requests[0].headerFields[.range] == nil && run.requests[0].headerFields[.acceptEncoding] == nil)
    #expect(run.requests[1].headerFields[.range] == "bytes=\(Self.kept)-")
    #expect(run.requests[1].headerFields[.ifRange] == "\"v1\"")
    #expect(run.operation.request.headerFields.isEmpty)
    #expect(run.operation.response?.status == .partialContent)
    #expect(run.progress.completed == 100_000 && run.progress.total == 100_000)
  }

  @Test func `a whole body takes the place of what was kept`() async throws {
    #expect(try await run(then: [Self.full(Self.whole)]).result.get() == Self.whole)
    #expect(try await run(then: [Self.full(Self.other, etag: "\"v2\"")]).result.get() == Self.other)
  }

  @Test func `a range that begins earlier cuts what was kept`() async throws {
    #expect(try await run(then: [Self.part(0..<Self.length)]).result.get() == Self.whole)
  }

  @Test func `a range that begins later begins anew, and a part that was not asked for is an error`() async throws {
    let part = Self.part(Self.kept + 1..<Self.length)
    let run = try await run(then: [part, Self.full(Self.whole)])
    #expect(try run.result.get() == Self.whole)
    #expect(run.requests.count == 3 && run.requests[2].headerFields[.range] == nil)
    for unasked in [part, Self.part(0..<Self.kept)] {
      let run = try await self.run(then: [part, unasked])
      #expect(throws: NetworkError.self) { try run.result.get() }
    }
  }

  @Test func `a range of another length begins anew, without a range`() async throws {
    let run = try await run(then: [Self.part(Self.kept..<Self.length, of: 100_001), Self.full(Self.other)])
    #expect(try run.result.get() == Self.other)
    #expect(run.requests.count == 3 && run.requests[2].headerFields[.range] == nil)
  }

  @Test func `a 416 that says that nothing is missing is a success`() async throws {
    let run = try await run(kept: Self.length, then: [Self.unsatisfied(Self.length)])
    #expect(try run.result.get() == Self.whole)
    #expect(run.operation.responseSerializationError == nil)
  }

  @Test func `another 416 begins anew, once`() async throws {
    let run = try await run(then: [Self.unsatisfied(50_000), Self.full(Self.other)])
    #expect(try run.result.get() == Self.other)
    #expect(run.requests.count == 3)
  }

  @Test func `an error page is not joined`() async throws {
    let run = try await run(then: [.text("gone", status: .notFound)])
    let error = #expect(throws: NetworkError.self) { try run.result.get() }
    #expect(error?.kind == .unacceptableStatus && error?.details.responseBody == Data("gone".utf8))
    #expect(run.operation.responseSerializationError != nil)
  }

  @Test func `without a strong validator it begins anew`() async throws {
    for etag in [nil, "W/\"v1\""] {
      let run = try await run(etag: etag, then: [Self.full(Self.whole)])
      #expect(try run.result.get() == Self.whole)
      #expect(run.requests[1].headerFields[.range] == nil)
    }
  }

  @Test func `a request with a range of its own begins anew and keeps it`() async throws {
    let fields: HTTPFields = [.range: "bytes=0-"]
    let run = try await run(fields: fields, then: [Self.full(Self.whole)])
    #expect(try run.result.get() == Self.whole)
    #expect(run.requests.allSatisfy { $0.headerFields == fields })
  }

  @Test func `a body in a coding that nobody undoes begins anew`() async throws {
    let run = try await run(coding: "br", then: [Self.full(Self.whole)])
    #expect(try run.result.get() == Self.whole)
    #expect(run.requests[1].headerFields[.range] == nil)
  }

  @Test func `other methods that can be repeated begin anew without a range`() async throws {
    let run = try await run(.put, then: [Self.full(Self.other)])
    #expect(try run.result.get() == Self.other)
    #expect(run.requests.count == 2 && run.requests[1].headerFields[.range] == nil)
  }

  @Test func `a POST keeps its connection`() async throws {
    let run = try await run(.post, then: [])
    #expect(try run.result.get() == Self.whole)
    #expect(run.requests.count == 1)
  }

  @Test func `the base class begins anew`() async throws {
    let gate = ManualGate()
    let stub = StubTransport { asked in
      StubAnswer(
        headerFields: [.eTag: "\"v1\""],
        body: [.bytes(Self.whole[..<Self.kept]), .wait { try await gate.wait() }, .bytes(Self.whole[Self.kept...])])
    }
    let operation = Fixture.operation(stub)
    operation.start()
    await Fixture.wait(while: operation.downloadProgress.completed < Self.kept)
    operation.pause()
    await operation.halted()
    #expect(stub.inFlightCount == 0)
    operation.resume()
    gate.open()
    #expect(try await operation.value(as: Data.self) == Self.whole)
    #expect(stub.requestCount == 2)
    #expect(operation.downloadProgress.completed == 100_000)
  }

  @Test func `pausing before the start adds no range`() async throws {
    let stub = StubTransport { asked in
      #expect(asked.request.headerFields[.range] == nil)
      return .text("hello")
    }
    let operation = HTTPRequestOperation(Request(.get, Fixture.url), over: Loader(stub))
    operation.pause()
    operation.resume()
    operation.start()
    #expect(try await operation.value(as: Data.self) == Data("hello".utf8))
    operation.pause()
    #expect(operation.request.headerFields.isEmpty)
  }

  @Test func `a copy of an operation that was resumed asks for the whole`() async throws {
    let run = try await run(then: [Self.part(Self.kept..<Self.length), Self.full(Self.whole)])
    #expect(try run.result.get() == Self.whole)
    #expect(run.requests.last?.headerFields[.range] == "bytes=\(Self.kept)-")
    let copy = run.operation.copied()
    #expect(copy.request.headerFields[.range] == nil && copy.request.headerFields[.ifRange] == nil)
    copy.start()
    #expect(try await copy.value(as: Data.self) == Self.whole)
    let last = try #require(run.collected.all.last)
    #expect(run.collected.all.count == 3 && last.headerFields[.range] == nil && last.headerFields[.ifRange] == nil)
  }
}
