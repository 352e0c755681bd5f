import CurlewCore
import CurlewLoading
import CurlewOperations
import CurlewRequests
import CurlewSecurity
import CurlewSerialization
import CurlewTestSupport
import Foundation
import HTTPTypes
import Testing

extension ComponentName where Component == Loader {
  fileprivate static let api = Self("api")
}

extension ComponentName where Component == any ResponseSerializer {
  fileprivate static let plain = Self("plain")
}

/// Archives of operations in every state, written here and read by a process of its own.
@Suite(.timeLimit(.minutes(10))) struct ArchiveInAnotherProcessTests {
  /// The states of an operation, its three ends and its two kinds of pauses apart.
  enum Moment: String, Sendable, CaseIterable, Codable, CustomTestStringConvertible {
    case ready, held, executing, paused, succeeded, failed, cancelled
    var testDescription: String { rawValue }
  }

  private static func names(_ transport: StubTransport) -> ComponentNames {
    var names = ComponentNames()
    names[.api] = Loader(transport, chain: InterceptorChain(authentication: Authentication()))
    names[.plain] = .data
    return names
  }

  /// Brings an operation to a moment.
  private func operation(
    at moment: Moment, _ names: ComponentNames, _ gate: ManualGate
  ) async throws
    -> HTTPRequestOperation
  {
    let fields: HTTPFields = [.authorization: "Bearer hush-field", .cookie: "id=hush-cookie", .accept: "text/plain"]
    let url = try #require(URL(string: "http://stub.test/?token=hush-query&page=2"))
    let request = Request(.get, url, headerFields: fields)
    let operation = HTTPRequestOperation(request, over: try names.component(.api), .data)
    operation.serializerName = .plain
    operation.completionQueue = DispatchQueue(label: "archive")
    operation.credential = .password(user: "hush-user", password: "hush-password")
    switch moment {
    case .ready: break
    case .held: operation.pause()
    case .executing, .paused:
      operation.start()
      await Fixture.wait(while: operation.downloadProgress.completed < 5)
      if moment == .paused {
        operation.pause()
        await operation.halted()
      }
    case .succeeded, .failed:
      gate.open()
      operation.start()
      _ = try? await operation.value
    case .cancelled: operation.cancel()
    }
    return operation
  }

  private func answer(_ moment: Moment, _ gate: ManualGate) -> StubTransport {
    StubTransport { _ in
      if moment == .failed { return .text("gone", status: .gone) }
      return StubAnswer(
        headerFields: [.setCookie: "id=hush-new-cookie", .eTag: "\"v1\""],
        body: [.bytes(Data("first".utf8)), .wait { try await gate.wait() }, .bytes(Data(" and last".utf8))])
    }
  }

  @Test(arguments: Moment.allCases)
  func `an operation of any state is restored elsewhere, without any credential`(moment: Moment) async throws {
    let gate = ManualGate()
    let names = Self.names(answer(moment, gate))
    let operation = try await operation(at: moment, names, gate)
    let before = operation.operationState
    let stored = try JSONEncoder().encode(OperationArchive(operation, names: names))
    #expect(operation.operationState == before, "Archiving changes nothing.")
    #expect(!String(decoding: stored, as: UTF8.self).contains("hush"))
    await #expect(processExitsWith: .success) { [stored = stored as Data, moment = moment as Moment] in
      let stub = StubTransport(.text("anew"))
      let archive = try JSONDecoder().decode(OperationArchive.self, from: stored)
      let again = try #require(try archive.operation(names: Self.names(stub)) as? HTTPRequestOperation)
      #expect(again.request.url.absoluteString == "http://stub.test/?page=2")
      #expect(again.request.headerFields == [.accept: "text/plain"] && again.credential == nil)
      #expect(archive.request.omittedSecrets == ["authorization", "cookie", "token"])
      let queue = OperationQueue()
      switch moment {
      case .ready, .held, .executing, .paused:
        #expect(again.operationState == .ready && !again.isCancelled)
        queue.addOperation(again)
        #expect(try await again.value(as: Data.self) == Data("anew".utf8))
      case .succeeded:
        #expect(again.isFinished && again.error == nil && again.response?.status == .ok)
        #expect(again.response?.headerFields[.eTag] == "\"v1\"")
        #expect(try await again.value(as: Data.self) == Data("first and last".utf8))
      case .failed:
        let error = try #require(again.error as? NetworkError)
        #expect(again.isFinished && error.kind == .unacceptableStatus && error.details.response?.status == .gone)
      case .cancelled: #expect(again.isFinished && again.isCancelled && again.error is CancellationError)
      }
      if again.operationState == .finished, queue.operationCount == 0 { queue.addOperation(again.copied()) }
      await Fixture.wait(while: queue.operationCount > 0)
    }
    operation.cancel()
    gate.open()
  }
}
