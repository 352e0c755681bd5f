import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import CurlewSecurity

@Suite struct OAuth2TokenTests {
  private func inFolder(_ work: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "curlew-oauth-\(UInt64.random(in: 0 ... .max))")
      .path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await work(folder + "/token")
  }

  private static let full = OAuth2Token(
    BearerToken("T0", expires: Date(timeIntervalSince1970: 1_700_000_000.5)), refreshToken: "R0", scope: "a b")

  /// A server whose refresh tokens are good for one time.
  private final class Rotation: Sendable {
    let count: Guarded<Int>
    init(_ count: Int = 0) { self.count = Guarded(count) }

    func answer(_ form: [String: String]) -> StubAnswer {
      let next = count.withLock { count -> Int? in
        guard form["refresh_token"] == "R\(count)" else { return nil }
        count += 1
        return count
      }
      guard let next else { return .json(#"{"error": "invalid_grant"}"#, status: .badRequest) }
      return .json(
        #"{"access_token": "T\#(next)", "token_type": "Bearer", "refresh_token": "R\#(next)", "expires_in": 3600}"#)
    }
  }

  @Test func `a file keeps a token for its owner only`() async throws {
    try await inFolder { path in
      let file = OAuth2TokenFile(path)
      #expect(try file.read() == nil)
      try Data().write(to: URL(filePath: path))
      #expect(chmod(path, 0o644) == 0)
      try file.write(Self.full)
      #expect(try file.read() == Self.full)
      #expect(try LocalFileSystem().status(path)?.permissions == 0o600)
      try file.write(OAuth2Token(BearerToken("U")))
      #expect(try file.read() == OAuth2Token(BearerToken("U")))
    }
  }

  @Test func `a link is replaced by the file, and what it leads to stays`() async throws {
    try await inFolder { path in
      try Data("other".utf8).write(to: URL(filePath: path + "-target"))
      #expect(symlink(path + "-target", path) == 0)
      try OAuth2TokenFile(path).write(Self.full)
      #expect(try LocalFileSystem().linkStatus(path)?.kind == .regular)
      #expect(try Data(contentsOf: URL(filePath: path + "-target")) == Data("other".utf8))
    }
  }

  @Test func `a token of a new login takes the place of the one in the file, with its refresh token`() async throws {
    try await inFolder { path in
      let rotation = Rotation(7)
      let endpoint = TokenEndpoint { form, _ in rotation.answer(form) }
      let clock = ManualClock()
      let file = OAuth2TokenFile(path)
      // Without an expiry the old token looks usable.
      try file.write(OAuth2Token(BearerToken("old"), refreshToken: "old"))
      let login = OAuth2Token(BearerToken("T7"), refreshToken: "R7")
      let tokens = try TokenSource(
        for: ["https://api.test"], refreshing: endpoint.client(clock: clock), token: login, keptIn: file)
      #expect(try file.read() == login)
      #expect(try await tokens.token(refused: "T7", clock: clock).value == "T8")
      // The same while the source exists.
      rotation.count.withLock { $0 = 20 }
      try file.write(OAuth2Token(BearerToken("T20"), refreshToken: "R20"))
      tokens.set(BearerToken("T20"))
      #expect(try await tokens.token(refused: "T20", clock: clock).value == "T21")
    }
  }

  @Test(arguments: ["", "{", "[]", "{}", #"{"token": ""}"#, #"{"token": "the-secret", "expires": "x"}"#])
  func `a damaged file is an error that quotes nothing of it`(content: String) async throws {
    try await inFolder { path in
      try Data(content.utf8).write(to: URL(filePath: path))
      let error = #expect(throws: CredentialStoreError.self) { try OAuth2TokenFile(path).read() }
      #expect(error?.kind == .unreadableFile)
      #expect(error?.message.contains("the-secret") == false)
    }
  }

  @Test func `a write that fails at any step leaves the old token`() async throws {
    try await inFolder { path in
      try OAuth2TokenFile(path).write(Self.full)
      for operation in [FileFault.Operation.open, .write, .synchronize, .rename] {
        let files = FailingFileSystem(over: LocalFileSystem())
        files.fail(FileFault(operation))
        let error = #expect(throws: CredentialStoreError.self) {
          try OAuth2TokenFile(path, in: files).write(OAuth2Token(BearerToken("U")))
        }
        #expect(error?.kind == .unwritableFile)
        #expect(try OAuth2TokenFile(path).read() == Self.full)
      }
      let tooLarge = OAuth2Token(BearerToken(String(repeating: "x", count: OAuth2TokenFile.maximumBytes)))
      #expect(throws: CredentialStoreError.self) { try OAuth2TokenFile(path).write(tooLarge) }
      #expect(try OAuth2TokenFile(path).read() == Self.full)
    }
  }

  @Test func `a refresh token that the server replaces is in the file before its token is sent`() async throws {
    try await inFolder { path in
      let rotation = Rotation()
      let endpoint = TokenEndpoint { form, _ in rotation.answer(form) }
      let file = OAuth2TokenFile(path)
      try file.write(Self.full)
      let clock = ManualClock()
      let tokens = try TokenSource(for: ["https://api.test"], refreshing: endpoint.client(clock: clock), keptIn: file)
      for number in 1...3 {
        #expect(try await tokens.token(refused: "T\(number - 1)", clock: clock).value == "T\(number)")
        #expect(try file.read()?.refreshToken == "R\(number)")
      }
    }
  }

  @Test func `a file that cannot be written loses no token, and an older file is not used then`() async throws {
    try await inFolder { path in
      let rotation = Rotation()
      let endpoint = TokenEndpoint { form, _ in rotation.answer(form) }
      let files = FailingFileSystem(over: LocalFileSystem())
      try OAuth2TokenFile(path).write(Self.full)
      files.fail(FileFault(.write, lasts: true))
      let clock = ManualClock()
      let tokens = try TokenSource(
        for: ["https://api.test"], refreshing: endpoint.client(clock: clock),
        keptIn: OAuth2TokenFile(path, in: files))
      #expect(try await tokens.token(refused: "T0", clock: clock).value == "T1")
      #expect(try OAuth2TokenFile(path).read() == Self.full)
      #expect(try await tokens.token(refused: "T1", clock: clock).value == "T2")
      files.heal()
      #expect(try await tokens.token(refused: "T2", clock: clock).value == "T3")
      #expect(try OAuth2TokenFile(path).read()?.refreshToken == "R3")
    }
  }

  @Test func `a token that another process has put into the file is used instead of a renewal`() async throws {
    try await inFolder { path in
      let rotation = Rotation()
      let endpoint = TokenEndpoint { form, _ in rotation.answer(form) }
      let clock = ManualClock()
      let file = OAuth2TokenFile(path)
      try file.write(Self.full)
      let sources = try (0..<2).map { _ in
        try TokenSource(for: ["https://api.test"], refreshing: endpoint.client(clock: clock), keptIn: file)
      }
      #expect(try await sources[0].token(refused: "T0", clock: clock).value == "T1")
      #expect(try await sources[1].token(refused: "T0", clock: clock).value == "T1")
      #expect(rotation.count.withLock { $0 } == 1)
      #expect(try await sources[1].token(refused: "T1", clock: clock).value == "T2")
    }
  }

  @Test func `a refresh token that is refused, or missing, is a typed error of each request`() async throws {
    let endpoint = TokenEndpoint { _, _ in .json(#"{"error": "invalid_grant"}"#, status: .badRequest) }
    for token in [OAuth2Token(BearerToken("T"), refreshToken: "R"), OAuth2Token(BearerToken("T"))] {
      let tokens = try TokenSource(for: ["https://api.test"], refreshing: endpoint.client(), token: token)
      let error = await #expect(throws: NetworkError.self) { try await tokens.token(refused: "T") }
      #expect(error?.kind == .authenticationFailed)
      #expect((error?.details.underlying as? OAuth2Error)?.kind == .invalidGrant)
    }
  }

  @Test func `one hundred requests at once get one token`() async throws {
    let endpoint = TokenEndpoint { _, _ in .json(#"{"access_token": "T", "token_type": "Bearer", "expires_in": 3600}"#)
    }
    let tokens = try TokenSource(for: ["https://api.test"], clientCredentials: endpoint.client())
    let transport = StubTransport { asked in .text(asked.request.headerFields[.authorization] ?? "") }
    let loader = Loader(transport, chain: InterceptorChain(authentication: Authentication(tokens: [tokens])))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask {
          let (data, _) = try await loader.data(for: Request(.get, "https://api.test/"), upTo: 100)
          #expect(String(decoding: data, as: UTF8.self) == "Bearer T")
        }
      }
      try await group.waitForAll()
    }
    #expect(endpoint.transport.requests.count == 1)
  }
}
