import CurlewCore
import CurlewJSON
import CurlewLoading
import CurlewSerialization
import CurlewTestSupport
import Dispatch
import Foundation
import HTTPTypes
import Testing

@testable import CurlewOperations

@Suite(.timeLimit(.minutes(10))) struct HTTPRequestOperationTests {
  private struct Bird: Codable, Equatable {
    var name: String
  }

  /// What the blocks of an operation were given.
  private final class Blocks: Sendable {
    let values = Collected<any Sendable>()
    let errors = Collected<any Error>()
    let completions = Count()

    init(_ operation: HTTPRequestOperation) {
      operation.completionQueue = DispatchQueue(label: "blocks")
      operation.setCompletionBlock(
        success: { [values] _, value in values.append(value) }, failure: { [errors] _, error in errors.append(error) })
      operation.completionBlock = { [completions] in completions.add() }
    }
  }

  private func json(
    _ text: String, _ status: HTTPResponse.Status = .ok, type: String = "application/json"
  ) -> StubAnswer {
    StubAnswer(status, headerFields: [.contentType: type], body: [.bytes(Data(text.utf8))])
  }

  private func run(_ answer: StubAnswer) async -> (HTTPRequestOperation, Blocks) {
    let operation = HTTPRequestOperation(
      Request(.get, Fixture.url), over: Loader(StubTransport(answer)), .json(Bird.self))
    let blocks = Blocks(operation)
    operation.start()
    _ = try? await operation.value
    await Fixture.wait(while: blocks.completions.value == 0)
    return (operation, blocks)
  }

  @Test func `a success has a typed value, and only the success block is called`() async throws {
    let (operation, blocks) = await run(json(#"{"name":"Curlew"}"#))
    #expect(try operation.responseObject(as: Bird.self) == Bird(name: "Curlew"))
    #expect(try await operation.value(as: Bird.self) == Bird(name: "Curlew"))
    #expect(operation.responseObject as? Bird == Bird(name: "Curlew"))
    #expect(operation.responseData == Data(#"{"name":"Curlew"}"#.utf8))
    #expect(operation.error == nil && operation.responseSerializationError == nil)
    #expect(blocks.values.all.count == 1 && blocks.errors.all.isEmpty && blocks.completions.value == 1)
    let error = #expect(throws: NetworkError.self) { try operation.responseObject(as: Int.self) }
    #expect(error?.kind == .serializationFailed)
    #expect(error?.message.contains("Bird") == true && error?.message.contains("Int") == true)
  }

  @Test func `a status that is refused keeps the start of the body and nothing else`() async throws {
    let (operation, blocks) = await run(json(#"{"name":"none"}"#, .notFound))
    let error = try #require(operation.error as? NetworkError)
    #expect(error.kind == .unacceptableStatus)
    #expect(try error.refusedValue(.json(Bird.self)) == Bird(name: "none"))
    #expect((operation.responseSerializationError as? NetworkError)?.kind == .unacceptableStatus)
    #expect(operation.response?.status == .notFound)
    #expect(operation.responseData == Data(#"{"name":"none"}"#.utf8) && operation.responseObject == nil)
    #expect(operation.responseString == #"{"name":"none"}"#)
    #expect(blocks.values.all.isEmpty && blocks.errors.all.count == 1 && blocks.completions.value == 1)
    #expect(throws: NetworkError.self) { try operation.responseObject(as: Bird.self) }
  }

  @Test func `a wrong media type is refused before the body is read`() async {
    let made = Count()
    let answer = StubAnswer(
      headerFields: [.contentType: "text/html", .contentLength: "10000000"],
      body: (0..<1_000).map { _ in
        .made {
          made.add()
          return Data(count: 10_000)
        }
      })
    let (operation, _) = await run(answer)
    #expect((operation.error as? NetworkError)?.kind == .unacceptableContentType)
    // As many bytes as the error keeps, and not one piece more than that takes.
    #expect(made.value <= TransferValidation.errorBodyLimit / 10_000 + 2)
    #expect(operation.responseData?.count == TransferValidation.errorBodyLimit)
  }

  @Test func `a body that cannot be decoded is an error of the serializer`() async {
    let (operation, blocks) = await run(json("oops"))
    #expect((operation.error as? NetworkError)?.kind == .serializationFailed)
    #expect((operation.responseSerializationError as? NetworkError)?.kind == .serializationFailed)
    #expect(blocks.errors.all.count == 1)
  }

  @Test func `an error of the transport is none of the serializer`() async {
    let lost = NetworkError(.connectionLost, stage: .awaitingHead, message: "Lost.")
    let (operation, blocks) = await run(.failing(lost))
    #expect((operation.error as? NetworkError)?.kind == .connectionLost)
    #expect(operation.responseSerializationError == nil)
    #expect(blocks.errors.all.count == 1 && blocks.values.all.isEmpty)
  }

  @Test func `a cancelled one calls the failure block once`() async throws {
    let gate = ManualGate()
    let operation = HTTPRequestOperation(Request(.get, Fixture.url), over: Loader(Fixture.gated(gate)))
    let blocks = Blocks(operation)
    operation.start()
    try await gate.waitForArrivals()
    operation.cancel()
    operation.cancel()
    await Fixture.wait(while: blocks.completions.value == 0)
    #expect(blocks.errors.all.count == 1 && blocks.errors.all.first is CancellationError)
    #expect(operation.responseSerializationError == nil)
  }

  @Test func `a 204 is a success without a value to decode`() async throws {
    let operation = HTTPRequestOperation(
      Request(.get, Fixture.url), over: Loader(StubTransport(StubAnswer(.noContent))))
    operation.start()
    #expect(try await operation.value(as: Data.self).isEmpty)
  }

  @Test func `statuses that the serializer accepts are values, also those that are no success`() async throws {
    var serializer = DataResponseSerializer()
    serializer.validation = .everything
    let operation = HTTPRequestOperation(
      Request(.get, Fixture.url), over: Loader(StubTransport(.text("gone", status: .gone))), serializer)
    operation.start()
    #expect(try await operation.value(as: Data.self) == Data("gone".utf8))
    #expect(operation.response?.status == .gone)
  }

  @Test func `text is decoded in its charset, and in UTF-8 where that is unknown`() async throws {
    func text(_ bytes: [UInt8], _ type: String) async throws -> (String?, Charset) {
      let answer = StubAnswer(headerFields: [.contentType: type], body: [.bytes(Data(bytes))])
      let operation = HTTPRequestOperation(Request(.get, Fixture.url), over: Loader(StubTransport(answer)))
      operation.start()
      _ = try await operation.value
      return (operation.responseString, operation.responseStringEncoding)
    }
    #expect(
      try await text([0x82, 0xA0], "text/plain; charset=Shift_JIS") == ("あ", Charset(label: "shift_jis") ?? .utf8))
    #expect(try await text([0xC3, 0xA9], "text/plain; charset=utf-8") == ("é", .utf8))
    #expect(try await text([0xC3, 0xA9], "text/plain") == ("é", .utf8))
    #expect(try await text([0xC3, 0xA9], "text/plain; charset=invalid") == ("é", .utf8))
    #expect(try await text([0xE9], "text/plain; charset=iso-8859-1") == ("é", .iso88591))
    #expect(try await text([0xE9], "text/plain") == (nil, .utf8))
  }

  @Test func `progress is told in both directions`() async throws {
    let stub = StubTransport { asked in .bytes(asked.body) }
    let operation = HTTPRequestOperation(
      Request(.post, Fixture.url, body: .bytes(Data(count: 50_000))), over: Loader(stub))
    let (up, down) = (Collected<TransferProgress>(), Collected<TransferProgress>())
    operation.setUploadProgressBlock(on: .serial()) { up.append($0) }
    operation.setDownloadProgressBlock(on: .serial()) { down.append($0) }
    operation.start()
    _ = try await operation.value
    await Fixture.wait(while: up.all.last?.isFinal != true || down.all.last?.isFinal != true)
    #expect(up.all.map(\.completed) == [50_000] && up.all.map(\.total) == [50_000])
    #expect(down.all.last?.completed == 50_000 && down.all.last?.total == 50_000)
    #expect(down.all.map(\.recent).reduce(0, +) == 50_000)
    #expect(operation.downloadProgress.completed == 50_000)
  }
}
