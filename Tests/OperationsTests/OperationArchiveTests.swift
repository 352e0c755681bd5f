import CurlewCore
import CurlewJSON
import CurlewLoading
import CurlewOperations
import CurlewRequests
import CurlewSecurity
import CurlewSerialization
import CurlewTestSupport
import Dispatch
import Foundation
import Glibc
import HTTPTypes
import Testing

extension ComponentName where Component == Loader {
  fileprivate static let api = Self("api")
}

extension ComponentName where Component == any ResponseSerializer {
  fileprivate static let bird = Self("bird")
}

@Suite(.timeLimit(.minutes(10))) struct OperationArchiveTests {
  private struct Bird: Codable, Equatable {
    var name: String
  }

  private static let answer = StubAnswer(
    headerFields: [.contentType: "application/json", .setCookie: "session=secret-cookie"],
    body: [.bytes(Data(#"{"name":"Curlew"}"#.utf8))])
  private let loader = Loader(
    StubTransport(answer), chain: InterceptorChain(redirect: Redirect(), authentication: Authentication()))

  private var names: ComponentNames {
    var names = ComponentNames()
    names[.api] = loader
    names[.bird] = .json(Bird.self)
    return names
  }

  private func operation(_ loader: Loader? = nil) -> HTTPRequestOperation {
    let request = Request(
      .get, Fixture.url, headerFields: [.authorization: "Basic secret-field", .accept: "application/json"])
    let operation = HTTPRequestOperation(request, over: loader ?? self.loader, .json(Bird.self))
    operation.serializerName = .bird
    operation.credential = .password(user: "secret-user", password: "secret-password")
    return operation
  }

  /// Stores an operation, and restores it as another process would.
  private func restored(_ operation: URLConnectionOperation) throws -> (URLConnectionOperation, String) {
    let stored = try JSONEncoder().encode(OperationArchive(operation, names: names))
    let archive = try JSONDecoder().decode(OperationArchive.self, from: stored)
    return (try archive.operation(names: names), String(decoding: stored, as: UTF8.self))
  }

  @Test func `a ready operation is restored as ready, without any credential`() async throws {
    let (again, stored) = try restored(operation())
    #expect(!stored.contains("secret"))
    #expect(again.operationState == .ready && again.request.headerFields == [.accept: "application/json"])
    again.start()
    #expect(try await again.value(as: Bird.self) == Bird(name: "Curlew"))
  }

  @Test func `an archive names the policy and forbids stored credentials as the operation does, or is refused`() throws
  {
    struct NobodyTrusted: ServerTrustEvaluating, Hashable {
      var connectionKey: ConnectionKey { ConnectionKey("nobody") }
      func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {
        throw ServerTrustError(.policy, message: "Nobody is trusted.")
      }
    }
    let original = operation()
    original.securityPolicy = NobodyTrusted()
    original.shouldUseCredentialStorage = false
    let nameless = #expect(throws: NetworkError.self) { try OperationArchive(original, names: names) }
    #expect(nameless?.kind == .unknownComponent)
    var named = names
    named[ComponentName<any ServerTrustEvaluating>("nobody")] = NobodyTrusted()
    let stored = try JSONEncoder().encode(OperationArchive(original, names: named))
    let archive = try JSONDecoder().decode(OperationArchive.self, from: stored)
    let again = try archive.operation(names: named)
    #expect(again.securityPolicy is NobodyTrusted && !again.shouldUseCredentialStorage)
    let forgotten = #expect(throws: NetworkError.self) { try archive.operation(names: names) }
    #expect(forgotten?.kind == .unknownComponent)
    // An archive that does not say whether stored credentials may be used is not read as one that allows them.
    var object = try #require(try JSONSerialization.jsonObject(with: stored) as? [String: Any])
    object["usesCredentialStorage"] = nil
    let silent = try JSONSerialization.data(withJSONObject: object)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(OperationArchive.self, from: silent) }
  }

  @Test func `an archive keeps the limit of the body and the choice about notifications`() throws {
    let original = operation()
    original.responseLimit = 1_000
    original.postsNotifications = false
    let stored = try JSONEncoder().encode(OperationArchive(original, names: names))
    let again = try JSONDecoder().decode(OperationArchive.self, from: stored).operation(names: names)
    #expect(again.responseLimit == 1_000 && !again.postsNotifications)
    // An archive of an earlier version says nothing about them.
    var object = try #require(try JSONSerialization.jsonObject(with: stored) as? [String: Any])
    object["responseLimit"] = nil
    object["postsNotifications"] = nil
    let silent = try JSONSerialization.data(withJSONObject: object)
    let old = try JSONDecoder().decode(OperationArchive.self, from: silent).operation(names: names)
    #expect(old.responseLimit == URLConnectionOperation.defaultResponseLimit && old.postsNotifications)
  }

  @Test func `one that executes or is paused goes on, and is restored as ready`() async throws {
    let gate = ManualGate()
    let stub = Fixture.gated(gate)
    let loader = Loader(stub)
    var names = names
    names[.api] = loader
    let operation = URLConnectionOperation(Request(.get, Fixture.url), over: loader)
    operation.start()
    try await gate.waitForArrivals()
    for _ in 0..<2 {
      let before = operation.operationState
      let archive = try OperationArchive(operation, names: names)
      #expect(archive.state == .ready && operation.operationState == before)
      #expect(try archive.operation(names: names).operationState == .ready)
      operation.pause()
    }
    operation.resume()
    gate.open()
    #expect(try await operation.value(as: Data.self) == Data("hello".utf8))
    #expect(operation.request.headerFields.isEmpty)
  }

  @Test func `a success is restored with its value, and its queue lets it go`() async throws {
    let operation = operation()
    operation.start()
    _ = try await operation.value
    let (again, stored) = try restored(operation)
    #expect(!stored.contains("secret"))
    #expect(again.isFinished && !again.isCancelled && again.error == nil)
    #expect(again.response?.status == .ok && again.responseData == operation.responseData)
    #expect(try await again.value(as: Bird.self) == Bird(name: "Curlew"))
    let queue = OperationQueue()
    queue.addOperation(again)
    await Fixture.wait(while: queue.operationCount > 0)
  }

  @Test func `failures and cancellations are restored as such`() async throws {
    var names = names
    let failing = Loader(StubTransport(.text("gone", status: .gone)))
    names[.api] = failing
    let failed = operation(failing)
    failed.credential = nil
    failed.start()
    _ = try? await failed.value
    let stored = try JSONEncoder().encode(OperationArchive(failed, names: names))
    let again = try JSONDecoder().decode(OperationArchive.self, from: stored).operation(names: names)
    let error = try #require(again.error as? NetworkError)
    #expect(error.kind == .unacceptableStatus && error.stage == .validating && error.details.response?.status == .gone)
    let cancelled = operation()
    cancelled.cancel()
    let (other, _) = try restored(cancelled)
    #expect(other.isFinished && other.isCancelled && other.error is CancellationError)
  }

  @Test func `unknown names, versions and classes are typed errors`() throws {
    let nameless = #expect(throws: NetworkError.self) { try OperationArchive(operation(), names: ComponentNames()) }
    #expect(nameless?.kind == .unknownComponent)
    let archive = try OperationArchive(operation(), names: names)
    let unknown = #expect(throws: NetworkError.self) { try archive.operation(names: ComponentNames()) }
    #expect(unknown?.kind == .unknownComponent)
    let stored = try JSONEncoder().encode(archive)
    for (key, value) in [("version", 9 as Any), ("state", "executing"), ("state", "finished"), ("kind", "connection")] {
      var object = try #require(try JSONSerialization.jsonObject(with: stored) as? [String: Any])
      object[key] = value
      let changed = try JSONSerialization.data(withJSONObject: object)
      #expect(throws: DecodingError.self, "\(key): \(value)") {
        _ = try JSONDecoder().decode(OperationArchive.self, from: changed)
      }
    }
    final class Own: HTTPRequestOperation, @unchecked Sendable {}  // Safe because it adds no state.
    let foreign = #expect(throws: NetworkError.self) {
      try OperationArchive(Own(Request(.get, Fixture.url), over: loader), names: names)
    }
    #expect(foreign?.kind == .unsupported)
  }

  @Test func `archives with flipped, lost and doubled bytes are read or refused, and never trap`() async throws {
    let operation = operation()
    operation.start()
    _ = try await operation.value
    let stored = [UInt8](try JSONEncoder().encode(OperationArchive(operation, names: names)))
    var random = SeededRandom(seed: 7)
    var (read, refused) = (0, 0)
    // `Scripts/soak` asks for more.
    let rounds = getenv("CURLEW_ARCHIVE_MUTATIONS").flatMap { Int(String(cString: $0)) } ?? 3_000
    for _ in 0..<rounds {
      var bytes = stored
      for _ in 0...Int.random(in: 0..<3, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(bytes[index], at: index)
        default: bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
        }
        if bytes.isEmpty { bytes = [0] }
      }
      do {
        _ = try JSONDecoder().decode(OperationArchive.self, from: Data(bytes)).operation(names: names)
        read += 1
      } catch {
        #expect(error is DecodingError || error is NetworkError, "\(error)")
        refused += 1
      }
    }
    #expect(read > 0 && refused > 1_000)
  }
}
