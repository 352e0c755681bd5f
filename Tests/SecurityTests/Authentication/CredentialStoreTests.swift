import CurlewCore
import CurlewSecurity
import CurlewTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Credentials in a file.
@Suite struct CredentialStoreTests {
  private static func space(
    _ host: String = "a.example", realm: String? = "r", scheme: String = "basic"
  ) throws
    -> ProtectionSpace
  {
    ProtectionSpace(origin: try Origin(scheme: .https, host: host), scheme: scheme, realm: realm)
  }

  @Test func `what was kept is there for the next store, each in its space`() async throws {
    let files = MemoryFileSystem()
    try files.createDirectory("/keys")
    try files.synchronizeDirectory("/")
    let store = try FileCredentialStore("/keys/all.json", in: files)
    let credentials: [(ProtectionSpace, Credential)] = [
      (try Self.space(), .password(user: "é\"\\", password: "p\u{0}\n")),
      (try Self.space(realm: nil), .password(user: "", password: "")),
      (try Self.space("[::1]"), .password(user: "v6", password: "x")),
      (try Self.space(scheme: "bearer"), .bearer(token: "t")),
    ]
    for (space, credential) in credentials { try await store.set(credential, for: space) }
    files.crash()
    let again = try FileCredentialStore("/keys/all.json", in: files)
    for (space, credential) in credentials { #expect(again.credential(for: space) == credential) }
    #expect(again.credential(for: try Self.space("b.example")) == nil)
    #expect(again.credential(for: try Self.space(realm: "other")) == nil)
    try await again.set(nil, for: credentials[0].0)
    #expect(try FileCredentialStore("/keys/all.json", in: files).credential(for: credentials[0].0) == nil)
    #expect(try files.list("/keys") == ["all.json"])
  }

  @Test func `the file is for its owner alone, also in place of one that was not`() async throws {
    let path = "/tmp/curlew-credentials-\(UInt64.random(in: .min ... .max))"
    defer { try? LocalFileSystem().remove(path) }
    try Data("[]".utf8).write(to: URL(filePath: path))
    chmod(path, 0o644)
    let store = try FileCredentialStore(path)
    try await store.set(.bearer(token: "t"), for: try Self.space())
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test(arguments: [
    "", "{}", "[", "[{\"host\":\"a\"}]",
    "[{\"scheme\":\"ftp\",\"host\":\"a\",\"port\":1,\"isProxy\":false,\"authentication\":\"basic\",\"token\":\"s3cret\"}]",
    "[{\"scheme\":\"https\",\"host\":\"a\",\"port\":1,\"isProxy\":false,\"authentication\":\"basic\",\"password\":\"s3cret\"}]",
  ])
  func `what is no file of credentials is refused without quoting it`(text: String) async throws {
    let files = MemoryFileSystem()
    let file = try files.open("/c", [.write, .create])
    try Array(text.utf8).withUnsafeBytes { try file.write($0, at: 0) }
    let error = #expect(throws: CredentialStoreError.self) { try FileCredentialStore("/c", in: files) }
    #expect(error?.kind == .unreadableFile)
    #expect(!String(describing: error).contains("s3cret"))
  }

  @Test func `past the size, and on a disk that fails, what was there stays`() async throws {
    let files = MemoryFileSystem()
    let store = try FileCredentialStore("/c", in: files)
    try await store.set(.bearer(token: "old"), for: try Self.space())
    let large = Credential.bearer(token: String(repeating: "x", count: FileCredentialStore.maximumBytes))
    let error = await #expect(throws: CredentialStoreError.self) { try await store.set(large, for: try Self.space()) }
    #expect(error?.kind == .tooLarge)
    #expect(store.credential(for: try Self.space()) == .bearer(token: "old"))
    let full = MemoryFileSystem(capacity: 10)
    let other = try FileCredentialStore("/c", in: full)
    let fault = await #expect(throws: CredentialStoreError.self) {
      try await other.set(.bearer(token: "t"), for: try Self.space())
    }
    #expect(fault?.kind == .unwritableFile)
    #expect(other.credential(for: try Self.space()) == nil)
    #expect(try full.list("/").isEmpty)
  }

  @Test func `many at once all come to be kept`() async throws {
    let files = MemoryFileSystem()
    let store = try FileCredentialStore("/c", in: files)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<50 {
        group.addTask { try await store.set(.bearer(token: "\(index)"), for: try Self.space(realm: "\(index)")) }
      }
      try await group.waitForAll()
    }
    let again = try FileCredentialStore("/c", in: files)
    for index in 0..<50 {
      #expect(again.credential(for: try Self.space(realm: "\(index)")) == .bearer(token: "\(index)"))
    }
  }
}
