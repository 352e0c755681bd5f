import CurlewCore
import CurlewJSON
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

extension ComponentName where Component == any RequestSerializer {
  fileprivate static let json = Self("json")
}

extension ComponentName where Component == any ResponseSerializer {
  fileprivate static let plain = Self("plain")
}

extension ComponentName where Component == any ServerTrustEvaluating {
  fileprivate static let nobody = Self("nobody")
}

/// Refuses every certificate.
private struct NobodyTrusted: ServerTrustEvaluating, Hashable {
  var connectionKey: ConnectionKey { ConnectionKey("nobody") }
  func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {
    throw ServerTrustError(.policy, message: "Nobody is trusted.")
  }
}

@Suite(.timeLimit(.minutes(10))) struct OperationManagerArchiveTests {
  private let loader = Loader(StubTransport(.text("hello")))

  private var names: ComponentNames {
    var names = ComponentNames()
    names[.api] = loader
    names[.json] = .json
    names[.plain] = .data
    names[.nobody] = NobodyTrusted()
    return names
  }

  private func manager() throws -> HTTPRequestOperationManager {
    let base = try BaseURL("http://stub.test/v1?access_token=hush-query")
    let manager = HTTPRequestOperationManager(baseURL: base, over: loader)
    manager.headerFields = [.userAgent: "birds/1", .authorization: "Bearer hush-field"]
    manager.credential = .password(user: "hush-user", password: "hush-password")
    return manager
  }

  private func stored(_ archive: OperationManagerArchive) throws -> (OperationManagerArchive, String) {
    let data = try JSONEncoder().encode(archive)
    return (try JSONDecoder().decode(OperationManagerArchive.self, from: data), String(decoding: data, as: UTF8.self))
  }

  @Test func `a manager with defaults is restored with them, and without any credential`() async throws {
    let (archive, text) = try stored(OperationManagerArchive(try manager(), names: names))
    #expect(!text.contains("hush") && archive.omittedSecrets == ["authorization"])
    #expect(archive.requestSerializer == nil && archive.responseSerializer == nil && archive.securityPolicy == nil)
    let again = try archive.manager(names: names)
    #expect(again.baseURL == (try BaseURL("http://stub.test/v1/")) && again.headerFields == [.userAgent: "birds/1"])
    #expect(again.credential == nil && again.shouldUseCredentialStorage && again.securityPolicy == nil)
    #expect(again.responseSerializer is JSONValueResponseSerializer)
    let operation = try #require(again.get("birds", ["kind": "curlew"]))
    #expect(operation.request.url.absoluteString == "http://stub.test/v1/birds?kind=curlew")
    #expect(operation.request.headerFields[.userAgent] == "birds/1")
    _ = try? await operation.value
  }

  @Test func `parts that the app has set are found by their names`() throws {
    let manager = try manager()
    manager.requestSerializer = .json
    manager.responseSerializer = .data
    manager.securityPolicy = NobodyTrusted()
    manager.shouldUseCredentialStorage = false
    let (archive, _) = try stored(
      OperationManagerArchive(manager, names: names, requestSerializer: .json, responseSerializer: .plain))
    #expect(archive.requestSerializer == .json && archive.responseSerializer == .plain)
    #expect(archive.securityPolicy == .nobody)
    let again = try archive.manager(names: names)
    #expect(again.responseSerializer is DataResponseSerializer && again.securityPolicy is NobodyTrusted)
    #expect(again.requestSerializer is JSONRequestSerializer && !again.shouldUseCredentialStorage)
    // A copy is archived as its original is.
    let copy = try OperationManagerArchive(
      manager.copied(), names: names, requestSerializer: .json, responseSerializer: .plain)
    #expect(copy.requestSerializer == .json && copy.responseSerializer == .plain && copy.securityPolicy == .nobody)
  }

  @Test func `a subclass is restored as such`() throws {
    final class Own: HTTPRequestOperationManager, @unchecked Sendable {}  // Safe because it adds no state.
    let archive = try OperationManagerArchive(Own(over: loader), names: names)
    let again = try archive.manager(as: Own.self, names: names)
    #expect(type(of: again) == Own.self && again.baseURL == nil)
  }

  @Test func `unknown names, versions and damaged parts are typed errors`() throws {
    let manager = try manager()
    let nameless = #expect(throws: NetworkError.self) { try OperationManagerArchive(manager, names: ComponentNames()) }
    #expect(nameless?.kind == .unknownComponent)
    manager.responseSerializer = .data
    let unnamed = #expect(throws: NetworkError.self) {
      try OperationManagerArchive(manager, names: names, responseSerializer: ComponentName("none"))
    }
    #expect(unnamed?.kind == .unknownComponent)
    let archive = try OperationManagerArchive(manager, names: names, responseSerializer: .plain)
    let unknown = #expect(throws: NetworkError.self) { try archive.manager(names: ComponentNames()) }
    #expect(unknown?.kind == .unknownComponent)
    let data = try JSONEncoder().encode(archive)
    for (key, value) in [
      ("version", 2 as Any), ("baseURL", "birds"), ("loader", 7), ("sample", [:]), ("usesCredentialStorage", 3),
    ] {
      var object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      object[key] = value
      let changed = try JSONSerialization.data(withJSONObject: object)
      #expect(throws: DecodingError.self, "\(key)") {
        _ = try JSONDecoder().decode(OperationManagerArchive.self, from: changed)
      }
    }
  }
}
