import CurlewCore
import CurlewJSON
import CurlewRequests
import CurlewSecurity
import CurlewSerialization
import CurlewSession
import CurlewTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import CurlewSessionManagers

extension ComponentName where Component == SessionConfiguration {
  fileprivate static let api = Self("api")
}
extension ComponentName where Component == any ResponseSerializer {
  fileprivate static let text = Self("text")
}
extension ComponentName where Component == any RequestSerializer {
  fileprivate static let json = Self("json")
}
extension ComponentName where Component == any ServerTrustEvaluating {
  fileprivate static let system = Self("system")
}

@Suite struct SessionManagerArchiveTests {
  private func names() throws -> ComponentNames {
    var names = ComponentNames()
    names[.api] = SessionConfiguration(.shared(StubTransport(Fixture.json())))
    names[.text] = .string
    names[.json] = .json
    names[.system] = try SecurityPolicy.system()
    return names
  }

  private func manager(_ names: ComponentNames) throws -> HTTPSessionManager {
    var configuration = try names.component(.api)
    configuration.options.timeouts.total = .seconds(900)
    let manager = HTTPSessionManager(baseURL: try BaseURL("https://stub.test/v1/"), configuration)
    manager.headerFields = [.userAgent: "birds/1", .authorization: "Bearer secret"]
    return manager
  }

  @Test func `a manager is restored with its settings, and without secrets`() async throws {
    let names = try names()
    let manager = try manager(names)
    manager.responseSerializer = .string
    manager.requestSerializer = .json
    try manager.setSecurityPolicy(try SecurityPolicy.system())
    let archive = try SessionManagerArchive(
      manager, configuration: .api, names: names, requestSerializer: .json, responseSerializer: .text,
      securityPolicy: .system)
    let stored = try JSONEncoder().encode(archive)
    #expect(!String(decoding: stored, as: UTF8.self).contains("secret\""))
    let read = try JSONDecoder().decode(SessionManagerArchive.self, from: stored)
    #expect(read.omittedSecrets == ["authorization"])
    let again: HTTPSessionManager = try read.manager(names: names)
    #expect(again.baseURL == manager.baseURL && again.headerFields == [.userAgent: "birds/1"])
    #expect(again.configuration.options.timeouts.total == .seconds(900))
    #expect(again.responseSerializer is StringResponseSerializer && again.securityPolicy is SecurityPolicy)
    #expect(type(of: again.requestSerializer) == type(of: manager.requestSerializer))
    // The stub shows no certificate.
    try again.setSecurityPolicy(nil)
    again.completionQueue = DispatchQueue(label: "archive")
    #expect(await again.ended(Fixture.request).value is String)
  }

  @Test func `defaults need no names, and a plain manager is restored as one`() throws {
    let names = try names()
    let archive = try SessionManagerArchive(
      URLSessionManager(try names.component(.api)), configuration: .api, names: names)
    let again = try archive.manager(as: URLSessionManager.self, names: names)
    #expect(type(of: again) == URLSessionManager.self && archive.responseSerializer == nil && archive.baseURL == nil)
  }

  @Test func `what has no name, and what is not an archive, is refused`() throws {
    let names = try names()
    let manager = try manager(names)
    #expect(throws: NetworkError.self) {
      try SessionManagerArchive(manager, configuration: .api, names: ComponentNames())
    }
    try manager.setSecurityPolicy(RecordingTrustEvaluator())
    #expect(throws: NetworkError.self) { try SessionManagerArchive(manager, configuration: .api, names: names) }
    try manager.setSecurityPolicy(nil)
    let stored = try JSONEncoder().encode(SessionManagerArchive(manager, configuration: .api, names: names))
    let text = String(decoding: stored, as: UTF8.self)
    let wrong = [
      text.replacingOccurrences(of: #""version":1"#, with: #""version":2"#),
      text.replacingOccurrences(of: "https:", with: "gopher:"),
      text.replacingOccurrences(of: #""configuration""#, with: #""other""#), "{}",
    ]
    for text in wrong {
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(SessionManagerArchive.self, from: Data(text.utf8))
      }
    }
    let read = try JSONDecoder().decode(SessionManagerArchive.self, from: stored)
    #expect(throws: NetworkError.self) { try read.manager(names: ComponentNames()) }
  }
}
