import CurlewCore
import CurlewStorage
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewLoading

@Suite(.timeLimit(.minutes(10))) struct CacheSecretTests {
  @Test func `fingerprints are SipHash-2-4`() throws {
    // The key, the messages 00, 01, 02, … and the hashes of the reference implementation's vectors.
    let secret = try #require(CacheSecret(Data(0..<16)))
    let expected: [Int: UInt64] = [
      0: 0x726f_db47_dd0e_0e31, 1: 0x74f8_39c5_93dc_67fd, 7: 0xab02_00f5_8b01_d137, 8: 0x93f5_f579_9a93_2462,
      15: 0xa129_ca61_49be_45e5, 63: 0x958a_324c_eb06_4572,
    ]
    for (count, hash) in expected {
      let bytes = (0..<count).map { UInt8($0) }
      #expect(bytes.withUnsafeBytes { secret.fingerprint(of: $0) } == hash, "\(count) bytes")
    }
  }

  /// A cache over a directory that outlives it.
  private func scene(_ files: MemoryFileSystem, _ secret: CacheSecret, vary: String?) throws -> CacheScene {
    let store = DiskCacheStore(
      try BoundedStore("/cache", limits: .init(capacity: 1 << 20), in: files), secret: secret)
    var fields: HTTPFields = [.cacheControl: "max-age=100"]
    fields[.vary] = vary
    return CacheScene(fields, store)
  }

  @Test(
    arguments: [
      ([.authorization: "Basic YTpi"], nil), ([.cookie: "session=1"], "Cookie"),
    ] as [(HTTPFields, String?)])
  func `entries that depend on secrets are found again with the store's secret only`(
    fields: HTTPFields, vary: String?
  ) async throws {
    let files = MemoryFileSystem()
    let kept = CacheSecret()
    try await scene(files, kept, vary: vary).get(fields)
    #expect(try await scene(files, kept, vary: vary).get(fields).source == .cache)
    #expect(try await scene(files, CacheSecret(), vary: vary).get(fields).source == .network)
  }

  @Test(arguments: [([:], nil), ([.acceptLanguage: "en"], "Accept-Language")] as [(HTTPFields, String?)])
  func `other entries are found by every process`(fields: HTTPFields, vary: String?) async throws {
    let files = MemoryFileSystem()
    try await scene(files, CacheSecret(), vary: vary).get(fields)
    #expect(try await scene(files, CacheSecret(), vary: vary).get(fields).source == .cache)
  }
}
